package modeltest

import (
	"fmt"

	"onnxmem/onnxgraph"
)

// TensorType is the type of a tensor. A dim is an int or int64, a string that
// names it, or nil when it is neither. Without dims it is a scalar; see
// [Unranked].
func TensorType(dtype onnxgraph.DType, dims ...any) *onnxgraph.Type {
	shape := &onnxgraph.Shape{Dims: make([]onnxgraph.Dim, len(dims))}
	for i, d := range dims {
		switch d := d.(type) {
		case int:
			shape.Dims[i] = onnxgraph.Dim{Value: int64(d), HasValue: true}
		case int64:
			shape.Dims[i] = onnxgraph.Dim{Value: d, HasValue: true}
		case string:
			shape.Dims[i] = onnxgraph.Dim{Param: d}
		case nil:
		default:
			panic(fmt.Sprintf("modeltest: a dim of type %T", d))
		}
	}
	return &onnxgraph.Type{Kind: onnxgraph.KindTensor, DType: dtype, Shape: shape}
}

// Unranked is the type of a tensor whose rank is not known.
func Unranked(dtype onnxgraph.DType) *onnxgraph.Type {
	return &onnxgraph.Type{Kind: onnxgraph.KindTensor, DType: dtype}
}

// SequenceOf is the type of a sequence.
func SequenceOf(elem *onnxgraph.Type) *onnxgraph.Type {
	return &onnxgraph.Type{Kind: onnxgraph.KindSequence, Elem: elem}
}

// OptionalOf is the type of an optional value.
func OptionalOf(elem *onnxgraph.Type) *onnxgraph.Type {
	return &onnxgraph.Type{Kind: onnxgraph.KindOptional, Elem: elem}
}

// MapOf is the type of a map.
func MapOf(key onnxgraph.DType, value *onnxgraph.Type) *onnxgraph.Type {
	return &onnxgraph.Type{Kind: onnxgraph.KindMap, Key: key, Elem: value}
}

// valueInfo encodes a ValueInfoProto.
func valueInfo(name string, t *onnxgraph.Type) message {
	var v message
	v.text(1, name)
	if t != nil {
		v.message(2, encodeType(t))
	}
	return v
}

// encodeType encodes a TypeProto.
func encodeType(t *onnxgraph.Type) message {
	var m, value message
	switch t.Kind {
	case onnxgraph.KindTensor:
		m.message(1, encodeTensorType(t))
	case onnxgraph.KindSparseTensor:
		m.message(8, encodeTensorType(t))
	case onnxgraph.KindSequence, onnxgraph.KindOptional:
		if t.Elem != nil {
			value.message(1, encodeType(t.Elem))
		}
		if t.Kind == onnxgraph.KindSequence {
			m.message(4, value)
		} else {
			m.message(9, value)
		}
	case onnxgraph.KindMap:
		value.number(1, int64(t.Key))
		if t.Elem != nil {
			value.message(2, encodeType(t.Elem))
		}
		m.message(5, value)
	case onnxgraph.KindOpaque:
		value.optional(1, t.OpaqueDomain)
		value.optional(2, t.OpaqueName)
		m.message(7, value)
	}
	m.optional(6, t.Denotation)
	return m
}

// encodeTensorType encodes a TypeProto.Tensor or TypeProto.SparseTensor.
func encodeTensorType(t *onnxgraph.Type) message {
	var m message
	m.number(1, int64(t.DType))
	if t.Shape == nil {
		return m
	}
	var shape message
	for _, d := range t.Shape.Dims {
		var dim message
		if d.HasValue {
			dim.number(1, d.Value)
		}
		dim.optional(2, d.Param)
		dim.optional(3, d.Denotation)
		shape.message(1, dim)
	}
	m.message(2, shape)
	return m
}
