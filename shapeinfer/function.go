package shapeinfer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// maxCallDepth bounds calls of functions in functions, as the ONNX checker
// does.
const maxCallDepth = 100

// A functionRun is a local function inferred for one set of arguments.
type functionRun struct {
	scope   *Scope
	outputs []tensor.Fact
}

// function finds the local function that a node calls. An overload that does
// not exist falls back to the one without.
func (e *engine) function(n *onnxgraph.Node) *onnxgraph.Scope {
	k := onnxgraph.FunctionKey{Domain: onnxgraph.CanonicalDomain(n.Domain), Name: n.OpType, Overload: n.Overload}
	if s := e.program.Functions[k]; s != nil {
		return s
	}
	k.Overload = ""
	return e.program.Functions[k]
}

// callFunction infers the body of a local function with the caller's types,
// values and attributes. A body is inferred once for each different call and
// never expanded, so nested calls cost no more than their distinct arguments.
func (f *frame) callFunction(n *onnxgraph.Node, node *Node, body *onnxgraph.Scope) error {
	fn := body.Function
	if len(n.Inputs) > len(fn.Inputs) || len(n.Outputs) > len(fn.Outputs) {
		return &op.Error{Code: op.CodeArity, Message: fmt.Sprintf("function %s takes %d inputs and gives %d outputs", fn.Name, len(fn.Inputs), len(fn.Outputs))}
	}
	if len(n.Outputs) < len(fn.Outputs) {
		f.e.diagnose(Error, op.CodeArity, f.scope.Graph.Path, f.label(), "function %s gives %d outputs, the node takes %d", fn.Name, len(fn.Outputs), len(n.Outputs))
	}
	k := onnxgraph.FunctionKey{Domain: fn.Domain, Name: fn.Name, Overload: fn.Overload}
	for _, running := range f.e.calling {
		if running == k {
			return &op.Error{Code: "recursion", Message: fmt.Sprintf("function %s calls itself", fn.Name)}
		}
	}
	if len(f.e.calling) >= maxCallDepth {
		return &op.Error{Code: "call-depth", Message: fmt.Sprintf("functions call each other more than %d deep", maxCallDepth)}
	}
	attrs := functionAttributes(fn, n)
	arguments := f.arguments(len(fn.Inputs))
	signature := callSignature(k, arguments, attrs)
	run := f.e.functions[signature]
	if run == nil {
		f.e.calling = append(f.e.calling, k)
		run = f.runFunction(body, arguments, attrs)
		f.e.calling = f.e.calling[:len(f.e.calling)-1]
		f.e.functions[signature] = run
	}
	node.Function = run.scope
	for o := range f.call.Outputs {
		if o < len(run.outputs) {
			f.call.Outputs[o] = f.renameFresh(o, run.outputs[o], arguments)
		}
	}
	return nil
}

func (f *frame) arguments(n int) []tensor.Fact {
	ids := f.scope.Graph.NodeInputs(f.node)
	arguments := make([]tensor.Fact, n)
	for i, fact := range f.call.Inputs {
		if fact == nil {
			continue
		}
		arguments[i] = *fact
		if arguments[i].Value == nil {
			arguments[i].Value = f.captured(ids[i])
		}
	}
	return arguments
}

func (f *frame) runFunction(body *onnxgraph.Scope, arguments []tensor.Fact, attrs map[string]*onnxgraph.Attribute) *functionRun {
	imports := body.Function.OpsetImports
	if len(imports) == 0 {
		imports = f.imports
	}
	b := f.e.newFrame(body, imports, attrs)
	b.id = "function\x00" + strconv.Itoa(f.e.frames)
	for i, id := range body.Inputs {
		if id != onnxgraph.NoValue && i < len(arguments) {
			b.scope.Facts[id] = arguments[i]
		}
	}
	b.run()
	return &functionRun{b.scope, b.outputs()}
}

// functionAttributes are the attributes that references in a function's body
// mean: the caller's, else the function's defaults.
func functionAttributes(fn *onnxgraph.Function, n *onnxgraph.Node) map[string]*onnxgraph.Attribute {
	attrs := make(map[string]*onnxgraph.Attribute, len(n.Attributes)+len(fn.AttributeDefaults))
	for _, a := range fn.AttributeDefaults {
		attrs[a.Name] = a
	}
	for _, a := range n.Attributes {
		attrs[a.Name] = a
	}
	return attrs
}

// callSignature tells calls apart that may give different types. Values and
// tensor attributes count by identity unless they are tiny.
func callSignature(k onnxgraph.FunctionKey, arguments []tensor.Fact, attrs map[string]*onnxgraph.Attribute) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\x00%s\x00%s", k.Domain, k.Name, k.Overload)
	for _, a := range arguments {
		b.WriteByte(0)
		b.WriteString(a.Type.String())
		if v := a.Value; v != nil && len(v.Elems) <= 64 {
			for _, x := range v.Elems {
				fmt.Fprintf(&b, " %s %v %q", x.Num, x.Float, x.Text)
			}
		} else if v != nil {
			fmt.Fprintf(&b, " %p", v)
		}
		if a.Items != nil {
			fmt.Fprintf(&b, " %d%v", len(a.Items), a.Items)
		}
	}
	names := make([]string, 0, len(attrs))
	for name := range attrs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		a := attrs[name]
		fmt.Fprintf(&b, "\x00%s=%d %v %d %q %v %v %q %p %p", name, a.Type, a.Float, a.Int, a.String, a.Floats, a.Ints, a.Strings, a.Tensor, a.Graph)
	}
	return b.String()
}

// renameFresh gives the symbols that were born inside a function new names at
// each call: two calls need not agree on a size that depends on run-time
// values.
func (f *frame) renameFresh(o int, fact tensor.Fact, arguments []tensor.Fact) tensor.Fact {
	inner, ok := fact.Type.Tensor()
	if !ok || fact.Type.Elem != nil {
		return fact
	}
	var dims []dim.Dim
	for i, d := range inner.Shape.Dims() {
		if !d.HasBounded() || comesFrom(d, arguments) {
			continue
		}
		if dims == nil {
			dims = inner.Shape.Clone()
		}
		lo, _ := d.Lower()
		dims[i] = f.Fresh(o, i, max(lo, 0), d.UpperExpr())
	}
	if dims != nil {
		fact.Type.Shape, fact.Value = tensor.MakeShape(dims...), nil
	}
	return fact
}

func comesFrom(d dim.Dim, arguments []tensor.Fact) bool {
	known := map[string]bool{}
	for _, a := range arguments {
		if inner, ok := a.Type.Tensor(); ok {
			for _, x := range inner.Shape.Dims() {
				for _, name := range x.Symbols() {
					known[name] = true
				}
			}
		}
	}
	for _, name := range d.Symbols() {
		if !known[name] {
			return false
		}
	}
	return true
}
