package shapeinfer

import (
	"fmt"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file infers calls of local functions (FunctionProto, IR version 8): each
// body once for every different call.

// maxCallDepth bounds calls of functions in functions, as the ONNX checker
// does.
const maxCallDepth = 100

// A functionRun is a local function inferred for one set of arguments.
type functionRun struct {
	scope   *Scope
	outputs []tensor.Fact
}

// callFunction infers the body of a local function with the caller's types,
// values and attributes. A body is inferred once for each different call and
// never expanded, so nested calls cost no more than their distinct arguments.
func (f *scopeInference) callFunction(n *onnxgraph.Node, node *Node, body *onnxgraph.Scope) error {
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
	signature := f.callSignature(body, arguments, attrs)
	run := f.e.functions[signature]
	if run == nil {
		f.e.calling = append(f.e.calling, k)
		run = f.runFunction(body, arguments, attrs)
		f.e.calling = f.e.calling[:len(f.e.calling)-1]
		f.e.functions[signature] = run
	}
	node.Function = run.scope
	copy(f.call.Outputs, f.withNewSymbols(run.outputs, arguments))
	return nil
}

func (f *scopeInference) arguments(n int) []tensor.Fact {
	ids := f.scope.Graph.NodeInputs(f.node)
	arguments := make([]tensor.Fact, n)
	for i, fact := range f.call.Inputs {
		if fact == nil {
			continue
		}
		arguments[i] = *fact
		if arguments[i].Value == nil {
			arguments[i].Value = f.smallValue(ids[i])
		}
	}
	return arguments
}

func (f *scopeInference) runFunction(body *onnxgraph.Scope, arguments []tensor.Fact, attrs map[string]*onnxgraph.Attribute) *functionRun {
	imports := body.Function.OpsetImports
	if len(imports) == 0 {
		imports = f.imports
	}
	b := f.e.inferenceOf(body, imports, attrs)
	b.id = f.e.names.newScope()
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
