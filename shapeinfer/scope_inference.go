package shapeinfer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// A scopeInference is the inference of one scope: the main graph, a subgraph, or a function
// for one set of argument types.
type scopeInference struct {
	e       *engine
	scope   *Scope
	imports []onnxgraph.OpsetImport
	attrs   map[string]*onnxgraph.Attribute // what attribute references mean here; nil outside functions
	id      scopeID                         // distinguishes symbols made in different scopes

	node   int32 // under inference
	call   op.Call
	inBuf  []*tensor.Fact // reused from node to node
	outBuf []tensor.Fact
}

func (e *engine) inferenceOf(g *onnxgraph.Scope, imports []onnxgraph.OpsetImport, attrs map[string]*onnxgraph.Attribute) *scopeInference {
	e.budget.steps -= int64(len(g.Values)) / valuesPerStep
	e.budget.cells -= cellsPerValue * int64(len(g.Values)+len(g.Nodes))
	f := &scopeInference{e: e, imports: imports, attrs: attrs}
	f.scope = &Scope{Graph: g, Facts: make([]tensor.Fact, len(g.Values)), Nodes: make([]Node, len(g.Nodes))}
	f.call.Engine = f
	for i := range g.Values {
		if v := &g.Values[i]; v.Origin == onnxgraph.Initializer {
			f.scope.Facts[i] = f.storedFact(v)
		}
	}
	return f
}

// storedFact is the type of an initializer. Its elements are read when a node
// asks for them.
func (f *scopeInference) storedFact(v *onnxgraph.Value) tensor.Fact {
	if v.Sparse != nil {
		// Readers see a sparse initializer as the dense tensor it stands for.
		return tensor.Fact{Type: tensor.Of(v.Sparse.Values.DType, f.storedShape(v.Name, v.Sparse.Dims))}
	}
	if !v.Tensor.DType.Valid() {
		f.e.diagnose(Error, "data-type", f.scope.Graph.Path, "", "initializer %q has element type %s", v.Name, v.Tensor.DType)
	}
	return tensor.Fact{Type: tensor.Of(v.Tensor.DType, f.storedShape(v.Name, v.Tensor.Dims))}
}

func (f *scopeInference) storedShape(name string, dims []int64) tensor.Shape {
	for _, d := range dims {
		if d < 0 {
			f.e.diagnose(Error, "negative-dim", f.scope.Graph.Path, "", "initializer %q has a dim of %d", name, d)
			return tensor.RankOnly(len(dims))
		}
	}
	return tensor.IntShape(dims...)
}

// run infers the nodes in dependency order.
func (f *scopeInference) run() {
	for _, i := range f.scope.Graph.Order {
		f.infer(i)
	}
}

// infer infers node i.
func (f *scopeInference) infer(i int32) {
	g := f.scope.Graph
	f.node = i
	node := &f.scope.Nodes[i]
	node.visited = true
	n := f.withAttributes(g.Nodes[i])
	ids := g.NodeInputs(i)
	f.inBuf = f.inBuf[:0]
	for _, id := range ids {
		f.inBuf = append(f.inBuf, f.scope.Fact(id))
	}
	outs := g.NodeOutputs(i)
	outputs := slices.Grow(f.outBuf[:0], len(outs))[:len(outs)]
	clear(outputs)
	f.outBuf = outputs
	f.call.Node, f.call.Inputs, f.call.Outputs = n, f.inBuf, outputs
	f.call.Op, f.call.Since, f.call.Opset = nil, 0, 0
	if f.e.budget.ended {
		node.MACs = dim.Unknown()
		for k := range outputs {
			outputs[k].Reason = overBudget
		}
	} else if err := f.apply(n, node); err != nil {
		reason := f.fail(n, node, err)
		node.MACs = dim.Unknown()
		clear(outputs)
		for k := range outputs {
			outputs[k].Reason = reason
		}
	}
	f.spend()
	for slot, id := range outs {
		if id != onnxgraph.NoValue {
			f.recordOutput(n, node, slot, id, &outputs[slot])
		}
	}
}

// apply finds what the node means, an operator or a local function, and infers
// its outputs. A standard operator comes before a function of the same name,
// as in ONNX Runtime.
func (f *scopeInference) apply(n *onnxgraph.Node, node *Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &op.Error{Code: "internal", Message: fmt.Sprintf("internal error: %v", r)}
		}
	}()
	node.MACs = dim.Int(0)
	if f.e.opts.DeclaredOnly {
		node.MACs = dim.Unknown()
		return nil
	}
	opset, imported := onnxgraph.OpsetVersion(f.imports, n.Domain)
	found := f.e.find(n, opset, imported)
	o, since := found.op, found.since
	if o == nil {
		if body := f.e.program.FunctionOf(n); body != nil {
			return f.callFunction(n, node, body)
		}
		node.MACs = dim.Unknown()
		node.unknown = true
		return f.unknownOp(n, opset, imported)
	}
	node.Op, node.Since = o, since
	f.call.Op, f.call.Since, f.call.Opset = o, since, opset
	if o.Deprecated && since == o.Versions[len(o.Versions)-1] {
		f.Warn("deprecated-operator", fmt.Sprintf("the operator was deprecated in version %d", since))
	}
	if found.schema != nil {
		if v := found.schema.Check(n, f.call.Inputs); v != nil {
			if len(n.Outputs) == 0 {
				return &op.Error{Code: v.Code, Message: v.Message}
			}
			f.e.diagnose(Error, v.Code, f.scope.Graph.Path, f.label(), "%s: %s", n.OpType, v.Message)
		}
	}
	if err := o.Infer(&f.call); err != nil {
		return err
	}
	if o.MACs != nil {
		node.MACs = o.MACs(&f.call)
	}
	return nil
}

func (f *scopeInference) unknownOp(n *onnxgraph.Node, opset int64, imported bool) error {
	name := domainName(n.Domain)
	for o := range f.call.Outputs {
		f.call.Unknown(o, "unknown operator %s of domain %s", n.OpType, name)
	}
	switch {
	case f.e.catalogue.Has(n.Domain, n.OpType) && imported:
		return &op.Error{Code: "opset", Message: fmt.Sprintf("the operator does not exist in version %d of %s, which the model imports", opset, name)}
	case f.e.catalogue.Has(n.Domain, n.OpType):
		return &op.Error{Code: "opset", Message: fmt.Sprintf("the operator does not exist in version 1 of %s, the version of a model that imports none", name)}
	}
	severity := Warning
	if onnxgraph.CanonicalDomain(n.Domain) == "" {
		severity = Error
	}
	f.e.diagnose(severity, "unknown-operator", f.scope.Graph.Path, f.label(), "unknown operator %s of domain %s: its outputs are unknown, unless the file or an operator rule declares them", n.OpType, name)
	return nil
}

func (f *scopeInference) label() string {
	return onnxgraph.NodeLabel(f.scope.Graph.Nodes[f.node], int(f.node))
}

// fail reports a node that its operator refuses, with the types that it was
// given. It returns the reason without them.
func (f *scopeInference) fail(n *onnxgraph.Node, node *Node, err error) (reason string) {
	node.Failed = true
	code := "node"
	var e *op.Error
	if errors.As(err, &e) {
		code = e.Code
	}
	var b strings.Builder
	for i, name := range n.Inputs {
		if b.Len() > maxMessage {
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
		if fact := f.call.Inputs[i]; fact != nil {
			b.WriteString(" " + fact.Type.String())
		}
	}
	reason = refusal(code, n.OpType) + ": " + err.Error()
	f.e.diagnose(Error, code, f.scope.Graph.Path, f.label(), "%s; inputs: %s", reason, b.String())
	return reason
}

// refusal says what about a node is wrong.
func refusal(code, operator string) string {
	switch code {
	case op.CodeType, op.CodeRank, op.CodeShape, op.CodeValue:
		return "invalid inputs for " + operator
	case op.CodeAttribute:
		return "invalid attributes for " + operator
	case op.CodeSubgraph:
		return "invalid subgraph for " + operator
	}
	return operator
}

// withAttributes replaces attribute references by what they mean in the function that
// is called. A reference to an attribute that the caller leaves out, and that
// has no default, drops the attribute.
func (f *scopeInference) withAttributes(n *onnxgraph.Node) *onnxgraph.Node {
	if !slices.ContainsFunc(n.Attributes, func(a *onnxgraph.Attribute) bool { return a.RefAttrName != "" }) {
		return n
	}
	copied := *n
	copied.Attributes = nil
	for _, a := range n.Attributes {
		if a.RefAttrName != "" {
			value := f.attrs[a.RefAttrName]
			if value == nil {
				continue
			}
			named := *value
			named.Name = a.Name
			a = &named
		}
		copied.Attributes = append(copied.Attributes, a)
	}
	return &copied
}

func fullyKnown(t tensor.Type) bool {
	inner, ok := t.Tensor()
	if !ok || inner.DType == onnxgraph.Undefined || !inner.Shape.Ranked() {
		return false
	}
	return op.AllKnown(inner.Shape.Dims())
}
