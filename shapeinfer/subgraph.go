package shapeinfer

import (
	"fmt"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file is what an operator may ask of its inference ([op.Engine]): the
// elements of its inputs, and the inference of the graphs in its attributes.

var _ op.Engine = (*scopeInference)(nil)

// Value implements [op.Engine]: the elements of input slot i of the node under
// inference, read from the file when it is a stored tensor.
func (f *scopeInference) Value(i int) *tensor.Value {
	id := f.scope.Graph.NodeInputs(f.node)[i]
	return f.valueOf(id)
}

func (f *scopeInference) valueOf(id onnxgraph.ValueID) *tensor.Value {
	fact := f.scope.Fact(id)
	if fact == nil || fact.Value != nil {
		return valueOrNil(fact)
	}
	v := &f.scope.Graph.Values[id]
	if v.Origin == onnxgraph.Initializer && v.Tensor != nil {
		return f.e.read(v.Tensor)
	}
	return nil
}

// TensorValue implements [op.Engine].
func (f *scopeInference) TensorValue(t *onnxgraph.Tensor) *tensor.Value {
	if t == nil {
		return nil
	}
	return f.e.read(t)
}

// Warn implements [op.Engine].
func (f *scopeInference) Warn(code, message string) {
	n := f.scope.Graph.Nodes[f.node]
	f.e.diagnose(Warning, code, f.scope.Graph.Path, f.label(), "%s: %s", n.OpType, message)
}

// subgraph finds the scope of the graph in an attribute.
func (f *scopeInference) subgraph(attr string) (index int, g *onnxgraph.Scope) {
	for k, b := range f.scope.Graph.Subgraphs(f.node) {
		if b.Attr == attr {
			return k, b
		}
	}
	return -1, nil
}

// SubgraphInputs implements [op.Engine].
func (f *scopeInference) SubgraphInputs(attr string) int {
	if _, g := f.subgraph(attr); g != nil {
		return len(formalInputs(g))
	}
	return 0
}

// formalInputs are the inputs of a subgraph that its node gives. Before IR version 4 an
// initializer had to be listed as an input too, in subgraphs as in models.
func formalInputs(g *onnxgraph.Scope) []onnxgraph.ValueID {
	for _, id := range g.Inputs {
		if g.Values[id].Origin == onnxgraph.Initializer {
			ids := make([]onnxgraph.ValueID, 0, len(g.Inputs))
			for _, id := range g.Inputs {
				if g.Values[id].Origin != onnxgraph.Initializer {
					ids = append(ids, id)
				}
			}
			return ids
		}
	}
	return g.Inputs
}

// SkipSubgraph implements [op.Engine].
func (f *scopeInference) SkipSubgraph(attr string) {
	if k, g := f.subgraph(attr); g != nil {
		f.recordSubgraph(k, nil)
	}
}

func (f *scopeInference) recordSubgraph(k int, s *Scope) {
	node := &f.scope.Nodes[f.node]
	if node.Subgraphs == nil {
		node.Subgraphs = make([]*Scope, len(f.scope.Graph.Subgraphs(f.node)))
	}
	node.Subgraphs[k] = s
}

// recorded reports whether the k-th subgraph of the node was inferred before.
func (f *scopeInference) recorded(k int) bool {
	subgraphs := f.scope.Nodes[f.node].Subgraphs
	return k < len(subgraphs) && subgraphs[k] != nil
}

// unknownFacts are the outputs of a subgraph that the budget leaves no room for.
func unknownFacts(n int) []tensor.Fact {
	facts := make([]tensor.Fact, n)
	for i := range facts {
		facts[i].Reason = overBudget
	}
	return facts
}

// InferSubgraph implements [op.Engine].
func (f *scopeInference) InferSubgraph(attr string, inputs []tensor.Fact) ([]tensor.Fact, error) {
	k, g := f.subgraph(attr)
	if g == nil {
		return nil, &op.Error{Code: op.CodeSubgraph, Message: fmt.Sprintf("attribute %q has no graph", attr)}
	}
	formals := formalInputs(g)
	if len(inputs) > len(formals) {
		return nil, &op.Error{Code: op.CodeSubgraph, Message: fmt.Sprintf("the graph in %q has %d inputs, not %d", attr, len(formals), len(inputs))}
	}
	if f.e.budget.ended && f.recorded(k) {
		return unknownFacts(len(g.Outputs)), nil
	}
	b := f.e.inferenceOf(g, f.imports, f.attrs)
	b.id = f.subgraphID(k)
	if policy := f.e.opts.Policy; policy != nil {
		inputs = policy.LimitSubgraphInputs(f.scope.Graph.Nodes[f.node], inputs)
	}
	for i, id := range formals {
		if i < len(inputs) {
			if err := fitsDeclared(&g.Values[id], inputs[i].Type); err != nil {
				return nil, err
			}
			b.scope.Facts[id] = inputs[i]
		}
		if d := g.Values[id].Declared; d != nil && g.Values[id].Origin == onnxgraph.GraphInput {
			b.mergeInput(&g.Values[id], &b.scope.Facts[id])
		}
	}
	for id := range g.Values {
		if v := &g.Values[id]; v.Origin == onnxgraph.OuterScope {
			b.scope.Facts[id] = f.scope.Facts[v.Outer]
			if b.scope.Facts[id].Value == nil {
				b.scope.Facts[id].Value = f.smallValue(v.Outer)
			}
		}
	}
	b.run()
	f.recordSubgraph(k, b.scope)
	return b.outputs(), nil
}

// fitsDeclared refuses an operand of another element type than the subgraph declares
// for it. Declared dims may be those of one iteration only and are no reason.
func fitsDeclared(v *onnxgraph.Value, given tensor.Type) error {
	if v.Declared == nil || given.Kind != onnxgraph.KindTensor || v.Declared.Kind != onnxgraph.KindTensor {
		return nil
	}
	want, have := v.Declared.DType, given.DType
	if want == have || want == onnxgraph.Undefined || have == onnxgraph.Undefined {
		return nil
	}
	return &op.Error{Code: op.CodeType, Message: fmt.Sprintf("input %q of the subgraph is declared as %s, but the node gives it %s", v.Name, want, have)}
}

// smallValue is the value of an outer tensor that a subgraph reads. Only tensors
// small enough to decide a shape are looked at.
func (f *scopeInference) smallValue(id onnxgraph.ValueID) *tensor.Value {
	t := f.scope.Facts[id].Type
	if _, n, ok := tensor.Fits(t.DType, t.Shape); !ok || n > 64 {
		return nil
	}
	return f.valueOf(id)
}

// mergeInput completes the fact of a subgraph's input by its declaration, without
// a warning: subgraphs are often declared for one iteration only.
func (f *scopeInference) mergeInput(v *onnxgraph.Value, fact *tensor.Fact) {
	if fact.Type.Kind != onnxgraph.KindUnset && fullyKnown(fact.Type) {
		return
	}
	used, conflict := false, false
	merged := f.mergeType(fact.Type, f.e.declared.read(v.Declared), &used, &conflict)
	if fact.Type.Kind == onnxgraph.KindUnset || fact.Type.DType == onnxgraph.Undefined {
		fact.Type = merged
	}
}

// outputs are the facts of the scope's outputs.
func (f *scopeInference) outputs() []tensor.Fact {
	g := f.scope.Graph
	out := make([]tensor.Fact, len(g.Outputs))
	for i, id := range g.Outputs {
		if id == onnxgraph.NoValue {
			continue
		}
		out[i] = f.scope.Facts[id]
		if out[i].Value == nil {
			out[i].Value = f.smallValue(id)
		}
	}
	return out
}
