package ort

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/tensor"
)

// remember declares what the runtime's inference found for the values of a
// graph. The runtime infers again after it has changed the graph, and keeps
// what it knew of values that stay.
func remember(g *onnxgraph.Graph, types *shapeinfer.Scope) *onnxgraph.Graph {
	copied := *g
	copied.ValueInfos = nil
	for id := range types.Graph.Values {
		v, t := &types.Graph.Values[id], &types.Facts[id].Type
		if v.Origin != onnxgraph.NodeOutput || v.IsOutput || !t.IsTensor() || !t.Shape.Ranked() {
			continue
		}
		copied.ValueInfos = append(copied.ValueInfos, &onnxgraph.ValueInfo{Name: v.Name, Type: declaration(t)})
	}
	return &copied
}

// declaration is the declared form of a type, in which expressions get lost.
func declaration(t *tensor.Type) *onnxgraph.Type {
	d := &onnxgraph.Type{Kind: onnxgraph.KindTensor, DType: t.DType, Shape: &onnxgraph.Shape{}}
	for _, x := range t.Shape.Dims() {
		var dim onnxgraph.Dim
		if n, ok := x.Int(); ok {
			dim.Value, dim.HasValue = n, true
		} else if name, ok := nameOf(x); ok {
			dim.Param = name
		}
		d.Shape.Dims = append(d.Shape.Dims, dim)
	}
	return d
}
