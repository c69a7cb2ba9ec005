package ort

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// loadPolicy limits an inference to what ONNX Runtime 1.32 knows when it loads a
// model and plans its memory: ONNX's per-operator rules, in which a dim is a
// number, a name or nothing, and the few values that the runtime propagates.
// Sources: the inference functions of the operators' definitions in onnx/defs,
// ONNX Runtime's core/graph/data_propagation, and the types that the runtime
// reports for each operator with named, unnamed and fixed dims.
type loadPolicy struct{}

var _ shapeinfer.Policy = loadPolicy{}

// NamedDimsOnly implements [shapeinfer.Policy].
func (loadPolicy) NamedDimsOnly() bool { return true }

// LimitOutput implements [shapeinfer.Policy].
func (loadPolicy) LimitOutput(n shapeinfer.InferredNode, slot int, fact *tensor.Fact) {
	if !propagates(n, fact) {
		fact.Value = nil
	}
	fact.Items = nil
	limit := shapeLimits[op.IDOf(n.Node)]
	fact.Type = fact.Type.MapInner(func(t tensor.Type) tensor.Type {
		if limit != nil {
			t.Shape = limit(n, slot, t.Shape)
		}
		t.Shape = namesOnly(t.Shape)
		return t
	})
}

// LimitSubgraphInputs implements [shapeinfer.Policy]: iterations of a Loop may
// change the shapes of the values that it carries, so only what the body declares
// of them is known.
func (loadPolicy) LimitSubgraphInputs(n *onnxgraph.Node, inputs []tensor.Fact) []tensor.Fact {
	if op.IDOf(n) != (op.ID{Name: "Loop"}) {
		return inputs
	}
	inputs = slices.Clone(inputs)
	for i := 2; i < len(inputs); i++ {
		inputs[i].Type.Shape, inputs[i].Value = declaredShape(n, i), nil
	}
	return inputs
}

// declaredShape is the shape that the body of a node declares for an input.
func declaredShape(n *onnxgraph.Node, input int) tensor.Shape {
	body := n.Attribute("body")
	if body == nil || body.Graph == nil || input >= len(body.Graph.Inputs) {
		return tensor.Shape{}
	}
	t := body.Graph.Inputs[input].Type
	if t == nil || t.Shape == nil {
		return tensor.Shape{}
	}
	dims := make([]dim.Dim, len(t.Shape.Dims))
	for i, d := range t.Shape.Dims {
		if d.Param == "" && d.HasValue && d.Value >= 0 {
			dims[i] = dim.Int(d.Value)
		}
	}
	return tensor.MakeShape(dims...)
}

// namesOnly forgets dims that are neither a number nor a plain name.
func namesOnly(s tensor.Shape) tensor.Shape {
	return s.Map(func(_ int, d dim.Dim) dim.Dim {
		if d.IsSymbolic() && (d.HasDataDependent() || !isName(d)) {
			return dim.Unknown()
		}
		return d
	})
}

// isName reports whether an expression is one symbol and nothing else.
func isName(d dim.Dim) bool {
	names := d.Symbols()
	return len(names) == 1 && d.String() == names[0]
}

// propagates reports whether the runtime follows the elements of a node's
// output: those of a constant; of a Shape whose dims are all numbers; and what
// some operators make of such lists and their single elements. Constants do
// not take part in that.
func propagates(n shapeinfer.InferredNode, fact *tensor.Fact) bool {
	if fact.Value == nil {
		return false
	}
	id := op.IDOf(n.Node)
	if id == constant {
		return true
	}
	follows := propagation[id]
	if follows == nil {
		return false
	}
	for _, x := range fact.Value.Elems {
		if _, ok := x.Int64(); !ok {
			return false
		}
	}
	return follows(n, len(fact.Value.Elems) == 1 && len(fact.Value.Dims) <= 1)
}

var constant = op.ID{Name: "Constant"}

// propagation says when the runtime follows the integers of an operator's
// output. single says that it has one element, as a scalar or a list.
var propagation = map[op.ID]func(n shapeinfer.InferredNode, single bool) bool{
	{Name: "Shape"}:     func(shapeinfer.InferredNode, bool) bool { return true },
	{Name: "Cast"}:      func(n shapeinfer.InferredNode, _ bool) bool { return propagated(n, 0) },
	{Name: "Gather"}:    firstPropagates,
	{Name: "Squeeze"}:   firstPropagates,
	{Name: "Unsqueeze"}: firstPropagates,
	{Name: "Concat"}:    func(n shapeinfer.InferredNode, _ bool) bool { return allPropagated(n, true) },
	{Name: "Add"}:       listsPropagate,
	{Name: "Sub"}:       listsPropagate,
	{Name: "Mul"}:       listsPropagate,
	{Name: "Div"}:       func(n shapeinfer.InferredNode, single bool) bool { return single && allPropagated(n, false) },
}

func firstPropagates(n shapeinfer.InferredNode, single bool) bool { return single && propagated(n, 0) }

func listsPropagate(n shapeinfer.InferredNode, single bool) bool { return allPropagated(n, !single) }

// allPropagated reports whether the elements of all inputs are propagated, and
// are lists where that matters.
func allPropagated(n shapeinfer.InferredNode, lists bool) bool {
	for slot := range n.Inputs {
		if !propagated(n, slot) || lists && len(n.In(slot).Value.Dims) != 1 {
			return false
		}
	}
	return true
}

// propagated reports whether the elements of an input are known and do not come
// from a constant.
func propagated(n shapeinfer.InferredNode, slot int) bool {
	if n.In(slot).Value == nil {
		return false
	}
	v := &n.Scope.Values[n.Scope.NodeInputs(n.Index)[slot]]
	return v.Origin == onnxgraph.NodeOutput && op.IDOf(n.Scope.Nodes[v.Producer]) != constant
}
