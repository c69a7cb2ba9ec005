package onnxgo

import (
	"gorgonia.org/tensor"

	"onnxmem/onnxgraph"
)

// dtypes pairs the element types that onnx-go knows with ours. It has none for
// 16-bit floats, bfloat16 and the 8, 6, 4 and 2-bit types.
var dtypes = []struct {
	theirs tensor.Dtype
	ours   onnxgraph.DType
}{
	{tensor.Float32, onnxgraph.Float},
	{tensor.Float64, onnxgraph.Double},
	{tensor.Int8, onnxgraph.Int8},
	{tensor.Int16, onnxgraph.Int16},
	{tensor.Int32, onnxgraph.Int32},
	{tensor.Int64, onnxgraph.Int64},
	{tensor.Uint8, onnxgraph.Uint8},
	{tensor.Uint16, onnxgraph.Uint16},
	{tensor.Uint32, onnxgraph.Uint32},
	{tensor.Uint64, onnxgraph.Uint64},
	{tensor.Bool, onnxgraph.Bool},
	{tensor.String, onnxgraph.String},
	{tensor.Complex64, onnxgraph.Complex64},
	{tensor.Complex128, onnxgraph.Complex128},
}

// DType is the ONNX element type of a tensor that onnx-go made; ok is false
// for types which the format does not have.
func DType(d tensor.Dtype) (t onnxgraph.DType, ok bool) {
	for _, pair := range dtypes {
		if pair.theirs == d {
			return pair.ours, true
		}
	}
	return onnxgraph.Undefined, false
}
