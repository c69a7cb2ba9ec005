package modeltest

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"onnxmem/onnxgraph"
)

// A Tensor is a stored constant, for an initializer or an attribute.
type Tensor struct{ fields message }

// header encodes the fields of a TensorProto that say what it is.
func header(name string, dtype onnxgraph.DType, dims []int64) Tensor {
	var t Tensor
	t.fields.packed(1, dims)
	t.fields.number(2, int64(dtype))
	t.fields.optional(8, name)
	return t
}

// NewTensor is a tensor with the given values: a slice of a number type, bool
// or string, whose Go type gives the data type. Numbers go into raw_data.
func NewTensor(name string, dims []int64, values any) Tensor {
	if list, ok := values.([]string); ok {
		t := header(name, onnxgraph.String, dims)
		for _, s := range list {
			t.fields.text(6, s)
		}
		return t
	}
	dtype := dtypeOf(values)
	raw, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(fmt.Sprintf("modeltest: values of type %T: %v", values, err))
	}
	return RawTensor(name, dtype, dims, raw)
}

func dtypeOf(values any) onnxgraph.DType {
	switch values.(type) {
	case []float32:
		return onnxgraph.Float
	case []float64:
		return onnxgraph.Double
	case []int8:
		return onnxgraph.Int8
	case []int16:
		return onnxgraph.Int16
	case []int32:
		return onnxgraph.Int32
	case []int64:
		return onnxgraph.Int64
	case []uint8:
		return onnxgraph.Uint8
	case []uint16:
		return onnxgraph.Uint16
	case []uint32:
		return onnxgraph.Uint32
	case []uint64:
		return onnxgraph.Uint64
	case []bool:
		return onnxgraph.Bool
	}
	panic(fmt.Sprintf("modeltest: no data type for values of type %T", values))
}

// RawTensor is a tensor with the given raw_data, of any length.
func RawTensor(name string, dtype onnxgraph.DType, dims []int64, raw []byte) Tensor {
	t := header(name, dtype, dims)
	t.fields.message(9, raw)
	return t
}

// Zeros is a tensor of zeros in raw_data.
func Zeros(name string, dtype onnxgraph.DType, dims ...int64) Tensor {
	elements, _ := onnxgraph.ElementCount(dims)
	size, ok := onnxgraph.ByteSize(dtype, elements)
	if !ok {
		panic(fmt.Sprintf("modeltest: no size for %v%d", dtype, dims))
	}
	return RawTensor(name, dtype, dims, make([]byte, size))
}

// ExternalTensor is a tensor whose values lie in another file. A negative
// offset or length is left out.
func ExternalTensor(name string, dtype onnxgraph.DType, dims []int64, location string, offset, length int64) Tensor {
	t := header(name, dtype, dims)
	t.fields.entry(13, "location", location)
	if offset >= 0 {
		t.fields.entry(13, "offset", strconv.FormatInt(offset, 10))
	}
	if length >= 0 {
		t.fields.entry(13, "length", strconv.FormatInt(length, 10))
	}
	t.fields.number(14, 1)
	return t
}

// TypedTensor is a tensor with the given bytes as the value field of that
// number of TensorProto: 4 float_data, 5 int32_data, 7 int64_data, 10
// double_data, 11 uint64_data, each a packed run as it is in a file.
func TypedTensor(name string, dtype onnxgraph.DType, dims []int64, field int32, run []byte) Tensor {
	t := header(name, dtype, dims)
	t.fields.message(protowire.Number(field), run)
	return t
}

// UnmarkedExternalTensor is an [ExternalTensor] without the data_location that
// says so.
func UnmarkedExternalTensor(name string, dtype onnxgraph.DType, dims []int64, location string) Tensor {
	t := header(name, dtype, dims)
	t.fields.entry(13, "location", location)
	return t
}

// sparse encodes a SparseTensorProto. A part that is the zero Tensor is left
// out, as only a wrong file does.
func sparse(dims []int64, values, indices Tensor) message {
	var s message
	if values.fields != nil {
		s.message(1, values.fields)
	}
	if indices.fields != nil {
		s.message(2, indices.fields)
	}
	s.packed(3, dims)
	return s
}
