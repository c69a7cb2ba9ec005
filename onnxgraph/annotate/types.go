package annotate

import (
	"google.golang.org/protobuf/encoding/protowire"

	"onnxmem/onnxgraph"
)

// This file edits encoded types. Each function takes the present encoding of a
// message, empty for a new one, and gives it the content wanted; fields that
// say so already, unknown ones and denotations stay as they are.

// newValueInfo encodes a ValueInfoProto.
func newValueInfo(v *onnxgraph.ValueInfo) []byte {
	return setType(bytesField(1, []byte(v.Name)).raw, v.Type)
}

// setType gives a ValueInfoProto its type. What cannot be taken apart is left
// alone.
func setType(old []byte, t *onnxgraph.Type) []byte {
	return edit(old, func(m fields) fields {
		return m.withMessage(2, func(old []byte) []byte { return typeProto(old, t) })
	})
}

// typeDepth is how deep the messages of a type nest, a dim of a shape being
// four deep: TypeProto, Tensor, TensorShapeProto, Dimension.
func typeDepth(t *onnxgraph.Type) int {
	depth := 4
	for ; t.Elem != nil; t = t.Elem {
		depth += 2
	}
	return depth
}

func edit(old []byte, change func(fields) fields) []byte {
	m, ok := split(old)
	if !ok {
		return old
	}
	return change(m).join()
}

// members are the numbers in TypeProto of its oneof.
var members = map[onnxgraph.TypeKind]protowire.Number{
	onnxgraph.KindTensor:       1,
	onnxgraph.KindSequence:     4,
	onnxgraph.KindMap:          5,
	onnxgraph.KindOpaque:       7,
	onnxgraph.KindSparseTensor: 8,
	onnxgraph.KindOptional:     9,
}

func typeProto(old []byte, t *onnxgraph.Type) []byte {
	return edit(old, func(m fields) fields {
		for kind, number := range members {
			if kind != t.Kind {
				m = m.without(number, protowire.BytesType)
			}
		}
		number, ok := members[t.Kind]
		if !ok {
			return m
		}
		return m.withMessage(number, func(old []byte) []byte { return member(old, t) })
	})
}

func member(old []byte, t *onnxgraph.Type) []byte {
	return edit(old, func(m fields) fields {
		switch t.Kind {
		case onnxgraph.KindTensor, onnxgraph.KindSparseTensor:
			return tensorType(m, t)
		case onnxgraph.KindSequence, onnxgraph.KindOptional:
			return elemType(m, 1, t.Elem)
		case onnxgraph.KindMap:
			return elemType(m.withVarint(1, uint64(t.Key), sameDType(t.Key)), 2, t.Elem)
		case onnxgraph.KindOpaque:
			return withText(withText(m, 1, t.OpaqueDomain), 2, t.OpaqueName)
		}
		return m
	})
}

// tensorType edits a TypeProto.Tensor or TypeProto.SparseTensor.
func tensorType(m fields, t *onnxgraph.Type) fields {
	m = m.withVarint(1, uint64(t.DType), sameDType(t.DType))
	if t.Shape == nil {
		return m.without(2, protowire.BytesType)
	}
	return m.withMessage(2, func(old []byte) []byte { return shape(old, t.Shape.Dims) })
}

func sameDType(d onnxgraph.DType) func(uint64) bool {
	return func(v uint64) bool { return onnxgraph.DType(int32(v)) == d }
}

// elemType edits the type of the elements of a sequence or optional, or of the
// values of a map.
func elemType(m fields, number protowire.Number, elem *onnxgraph.Type) fields {
	if elem == nil {
		return m.without(number, protowire.BytesType)
	}
	return m.withMessage(number, func(old []byte) []byte { return typeProto(old, elem) })
}

// shape edits a TensorShapeProto. Dims of another rank are all written anew.
func shape(old []byte, dims []onnxgraph.Dim) []byte {
	return edit(old, func(m fields) fields {
		if _, n := m.last(1, protowire.BytesType); n != len(dims) {
			m = m.without(1, protowire.BytesType)
			for _, d := range dims {
				m = append(m, bytesField(1, dimension(nil, d)))
			}
			return m
		}
		axis := 0
		out := append(fields(nil), m...)
		for i, f := range m {
			if !f.is(1, protowire.BytesType) {
				continue
			}
			if b := dimension(f.bytes, dims[axis]); string(b) != string(f.bytes) {
				out[i] = bytesField(1, b)
			}
			axis++
		}
		return out
	})
}

// dimension edits a TensorShapeProto.Dimension, whose value is a oneof.
func dimension(old []byte, d onnxgraph.Dim) []byte {
	return edit(old, func(m fields) fields {
		switch {
		case d.HasValue:
			m = m.without(2, protowire.BytesType)
			return m.withVarint(1, uint64(d.Value), func(v uint64) bool { return int64(v) == d.Value })
		case d.Param != "":
			return withText(m.without(1, protowire.VarintType), 2, d.Param)
		}
		return m.without(1, protowire.VarintType).without(2, protowire.BytesType)
	})
}

func withText(m fields, number protowire.Number, text string) fields {
	if i, n := m.last(number, protowire.BytesType); n > 0 && string(m[i].bytes) == text {
		return m
	}
	m = m.without(number, protowire.BytesType)
	if text == "" {
		return m
	}
	return append(m, bytesField(number, []byte(text)))
}
