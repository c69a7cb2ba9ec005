package weights

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
)

// A collector lists the stored tensors of scopes.
type collector struct {
	w     *Set
	seen  map[*onnxgraph.Tensor]bool
	roles *roleFinder
	sizes map[*onnxgraph.Tensor]int64 // elements of packed weights
}

// scope lists the tensors of a graph or function, then those of its bodies.
func (c *collector) scope(s *onnxgraph.Scope) {
	if s == nil {
		return
	}
	if s.Graph != nil {
		c.initializers(s)
	}
	for i, n := range s.Nodes {
		packedInputs(s, int32(i), c.sizes)
		if memory.IsConstant(n) {
			c.constant(s, int32(i), n)
		}
		for _, body := range s.Subgraphs(int32(i)) {
			c.scope(body)
		}
	}
}

func (c *collector) initializers(s *onnxgraph.Scope) {
	for _, t := range s.Graph.Initializers {
		id, ok := s.Lookup(t.Name)
		if !ok {
			id = onnxgraph.NoValue
		}
		c.dense(s, id, t.Name, t)
	}
	for _, t := range s.Graph.SparseInitializers {
		if t.Values == nil {
			continue
		}
		id, ok := s.Lookup(t.Values.Name)
		if !ok {
			id = onnxgraph.NoValue
		}
		c.sparse(s, id, t.Values.Name, t)
	}
}

// constant lists what a Constant node holds, whatever form its value has.
// https://onnx.ai/onnx/operators/onnx__Constant.html
func (c *collector) constant(s *onnxgraph.Scope, i int32, n *onnxgraph.Node) {
	id, name := onnxgraph.NoValue, ""
	if outs := s.NodeOutputs(i); len(outs) > 0 {
		id, name = outs[0], n.Outputs[0]
	}
	plain := func(d onnxgraph.DType, dims []int64, elements, bytes int64) {
		c.add(s, id, Tensor{Name: name, DType: d, Dims: dims, Elements: elements, Bytes: bytes, Stored: bytes})
	}
	for _, a := range n.Attributes {
		switch a.Name {
		case "value":
			c.dense(s, id, name, a.Tensor)
		case "sparse_value":
			c.sparse(s, id, name, a.SparseTensor)
		case "value_float":
			plain(onnxgraph.Float, nil, 1, 4)
		case "value_int":
			plain(onnxgraph.Int64, nil, 1, 8)
		case "value_string":
			plain(onnxgraph.String, nil, 1, int64(len(a.String)))
		case "value_floats":
			k := int64(len(a.Floats))
			plain(onnxgraph.Float, []int64{k}, k, 4*k)
		case "value_ints":
			k := int64(len(a.Ints))
			plain(onnxgraph.Int64, []int64{k}, k, 8*k)
		case "value_strings":
			bytes := int64(0)
			for _, text := range a.Strings {
				bytes += int64(len(text))
			}
			plain(onnxgraph.String, []int64{int64(len(a.Strings))}, int64(len(a.Strings)), bytes)
		}
	}
}

func (c *collector) dense(s *onnxgraph.Scope, id onnxgraph.ValueID, name string, t *onnxgraph.Tensor) {
	if t == nil || c.seen[t] {
		return
	}
	c.seen[t] = true
	w := Tensor{Name: name, DType: t.DType, Dims: t.Dims, Tensor: t}
	elements, sized := t.Elements()
	w.Elements = elements
	if t.DType == onnxgraph.String {
		w.Bytes = t.StringBytes()
	} else {
		w.Bytes, sized = t.Bytes()
	}
	w.Stored, w.unsized = w.Bytes, !sized
	c.add(s, id, w)
}

// sparse counts a tensor in coordinate form at its dense size, which is what
// runtimes make of it, and at its stored one.
func (c *collector) sparse(s *onnxgraph.Scope, id onnxgraph.ValueID, name string, t *onnxgraph.SparseTensor) {
	if t == nil || t.Values == nil || c.seen[t.Values] {
		return
	}
	c.seen[t.Values] = true
	w := Tensor{Name: name, DType: t.Values.DType, Dims: t.Dims, Tensor: t.Values}
	var counted, sized bool
	w.Elements, counted = onnxgraph.ElementCount(t.Dims)
	w.Bytes, sized = onnxgraph.ByteSize(t.Values.DType, w.Elements)
	w.Stored, _ = t.Values.Bytes()
	if t.Indices != nil {
		indices, _ := t.Indices.Bytes()
		w.Stored = memory.AddBytes(w.Stored, indices)
	}
	w.unsized = !counted || !sized
	c.add(s, id, w)
}

func (c *collector) add(s *onnxgraph.Scope, id onnxgraph.ValueID, w Tensor) {
	w.Graph = s.Path
	w.node = id != onnxgraph.NoValue && s.Values[id].Origin == onnxgraph.NodeOutput
	c.roles.of(s, id, &w)
	c.w.Tensors = append(c.w.Tensors, w)
}
