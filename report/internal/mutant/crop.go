package mutant

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
)

// Crop keeps some nodes in a row of an inferred model's main graph: what they
// read from before them becomes an input of the type that was inferred, and
// what nobody among them reads an output.
func Crop(r *shapeinfer.Result, first, count int) *onnxgraph.Model {
	m := Copy(r.Program.Model)
	g := m.Graph
	g.Nodes = g.Nodes[first:min(first+count, len(g.Nodes))]
	made, read := map[string]bool{}, map[string]bool{}
	for _, n := range g.Nodes {
		for _, out := range n.Outputs {
			made[out] = true
		}
	}
	var stored []*onnxgraph.Tensor
	known := map[string]bool{"": true}
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			read[in] = true
		}
	}
	for _, t := range g.Initializers {
		if read[t.Name] {
			stored = append(stored, t)
		}
		known[t.Name] = true
	}
	g.Initializers, g.Inputs, g.Outputs, g.ValueInfos = stored, nil, nil, nil
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			if !made[in] && !known[in] {
				known[in] = true
				g.Inputs = append(g.Inputs, &onnxgraph.ValueInfo{Name: in, Type: typeOf(r, in)})
			}
		}
		for _, out := range n.Outputs {
			if out != "" && !read[out] {
				g.Outputs = append(g.Outputs, &onnxgraph.ValueInfo{Name: out})
			}
		}
	}
	return m
}

// typeOf is the type that was inferred for a value of the main graph, as a
// tensor with numbers and symbols for dims; nil where that is no such tensor.
func typeOf(r *shapeinfer.Result, name string) *onnxgraph.Type {
	fact, ok := r.Lookup(name)
	if !ok || !fact.Type.IsTensor() {
		return nil
	}
	t := &onnxgraph.Type{Kind: onnxgraph.KindTensor, DType: fact.Type.DType}
	if !fact.Type.Shape.Ranked() {
		return t
	}
	t.Shape = &onnxgraph.Shape{}
	for _, d := range fact.Type.Shape.Dims() {
		if n, ok := d.Int(); ok {
			t.Shape.Dims = append(t.Shape.Dims, onnxgraph.Dim{Value: n, HasValue: true})
		} else {
			t.Shape.Dims = append(t.Shape.Dims, onnxgraph.Dim{Param: d.String()})
		}
	}
	return t
}
