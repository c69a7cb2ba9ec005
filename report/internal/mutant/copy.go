package mutant

import "onnxmem/onnxgraph"

// Copy is a model whose structure can be changed without changing m. Stored
// tensors share their contents.
func Copy(m *onnxgraph.Model) *onnxgraph.Model {
	out := *m
	out.OpsetImports = append([]onnxgraph.OpsetImport(nil), m.OpsetImports...)
	out.Graph = copyGraph(m.Graph)
	out.Functions = each(m.Functions, func(f onnxgraph.Function) onnxgraph.Function {
		f.Inputs, f.Outputs = append([]string(nil), f.Inputs...), append([]string(nil), f.Outputs...)
		f.Nodes = each(f.Nodes, copyNode)
		f.OpsetImports = append([]onnxgraph.OpsetImport(nil), f.OpsetImports...)
		f.AttributeDefaults = each(f.AttributeDefaults, copyAttribute)
		return f
	})
	return &out
}

func each[T any](list []*T, change func(T) T) []*T {
	if list == nil {
		return nil
	}
	out := make([]*T, len(list))
	for i, x := range list {
		if x != nil {
			y := change(*x)
			out[i] = &y
		}
	}
	return out
}

func copyGraph(g *onnxgraph.Graph) *onnxgraph.Graph {
	if g == nil {
		return nil
	}
	out := *g
	out.Nodes = each(g.Nodes, copyNode)
	out.Initializers = each(g.Initializers, func(t onnxgraph.Tensor) onnxgraph.Tensor {
		t.Dims = append([]int64(nil), t.Dims...)
		return t
	})
	out.SparseInitializers = each(g.SparseInitializers, func(s onnxgraph.SparseTensor) onnxgraph.SparseTensor { return s })
	out.Inputs, out.Outputs, out.ValueInfos = each(g.Inputs, copyValue), each(g.Outputs, copyValue), each(g.ValueInfos, copyValue)
	return &out
}

func copyValue(v onnxgraph.ValueInfo) onnxgraph.ValueInfo {
	v.Type = copyType(v.Type)
	return v
}

func copyType(t *onnxgraph.Type) *onnxgraph.Type {
	if t == nil {
		return nil
	}
	out := *t
	out.Elem = copyType(t.Elem)
	if t.Shape != nil {
		out.Shape = &onnxgraph.Shape{Dims: append([]onnxgraph.Dim(nil), t.Shape.Dims...)}
	}
	return &out
}

func copyNode(n onnxgraph.Node) onnxgraph.Node {
	n.Inputs, n.Outputs = append([]string(nil), n.Inputs...), append([]string(nil), n.Outputs...)
	n.Attributes = each(n.Attributes, copyAttribute)
	return n
}

func copyAttribute(a onnxgraph.Attribute) onnxgraph.Attribute {
	a.Ints, a.Floats, a.Strings = append([]int64(nil), a.Ints...), append([]float32(nil), a.Floats...), append([]string(nil), a.Strings...)
	a.Graph, a.Graphs = copyGraph(a.Graph), each(a.Graphs, func(g onnxgraph.Graph) onnxgraph.Graph { return *copyGraph(&g) })
	return a
}
