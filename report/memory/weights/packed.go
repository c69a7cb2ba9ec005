package weights

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer/op"
)

// This file counts what packed weights stand for: tensors of bytes that hold
// several elements each.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md

// unpack counts the elements of packed weights; sizes are those that their
// readers give.
func (w *Set) unpack(sizes map[*onnxgraph.Tensor]int64) {
	for i := range w.Tensors {
		t := &w.Tensors[i]
		if n, ok := sizes[t.Tensor]; ok && t.Tensor != nil {
			t.Elements = n
		}
	}
}

// packedInputs notes how many elements the packed weights of a node stand for.
func packedInputs(s *onnxgraph.Scope, i int32, sizes map[*onnxgraph.Tensor]int64) {
	n := s.Nodes[i]
	id := op.IDOf(n)
	if id.Domain != op.DomainMicrosoft {
		return
	}
	integer := func(name string, missing int64) int64 {
		if a := n.Attribute(name); a != nil {
			return a.Int
		}
		return missing
	}
	at := func(slot int) *onnxgraph.Tensor {
		if ins := s.NodeInputs(i); slot < len(ins) {
			return source(s, ins[slot], nil).tensor
		}
		return nil
	}
	switch id.Name {
	case "MatMulNBits", "MatMulBnb4":
		if elements, ok := onnxgraph.ElementCount([]int64{integer("K", -1), integer("N", -1)}); ok {
			sizes[at(1)] = elements
		}
	case "GatherBlockQuantized":
		unpackBytes(at(0), integer("bits", 4), sizes)
	case "QMoE":
		for _, slot := range []int{2, 5, 8} { // the three layers of the experts
			unpackBytes(at(slot), integer("expert_weight_bits", 4), sizes)
		}
	}
}

// unpackBytes counts the elements of so many bits in a tensor of bytes.
func unpackBytes(t *onnxgraph.Tensor, bits int64, sizes map[*onnxgraph.Tensor]int64) {
	if t == nil || t.DType != onnxgraph.Uint8 || bits != 2 && bits != 4 {
		return
	}
	if n, ok := t.Elements(); ok {
		sizes[t] = memory.MulBytes(n, 8/bits)
	}
}
