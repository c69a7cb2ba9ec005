package onnxgo

import (
	"encoding/binary"
	"fmt"

	"gorgonia.org/tensor"

	"onnxmem/onnxgraph"
)

// storedTensor turns a tensor of onnx-go into one of ours, with a copy of its
// values.
func storedTensor(name string, t tensor.Tensor) (*onnxgraph.Tensor, error) {
	dtype, ok := DType(t.Dtype())
	if !ok {
		return nil, fmt.Errorf("tensor %q: no ONNX type for %v", name, t.Dtype())
	}
	dims := make([]int64, 0, t.Dims())
	for _, d := range t.Shape() {
		dims = append(dims, int64(d))
	}
	// A scalar's data is the number itself, every other tensor's a slice.
	raw, err := binary.Append(nil, binary.LittleEndian, t.Data())
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", name, err)
	}
	made := onnxgraph.NewTensor(name, dtype, dims, raw)
	if want, ok := made.Bytes(); !ok || want != int64(len(raw)) {
		return nil, fmt.Errorf("tensor %q: %d bytes for the shape %v of %v", name, len(raw), dims, dtype)
	}
	return made, nil
}

// declaredType turns the placeholder of a value into a declared type. Its
// shape is kept only when the caller knows that it is whole.
func declaredType(t tensor.Tensor, shape bool) *onnxgraph.Type {
	dtype, ok := DType(t.Dtype())
	if !ok {
		return nil
	}
	declared := &onnxgraph.Type{Kind: onnxgraph.KindTensor, DType: dtype}
	if shape {
		declared.Shape = &onnxgraph.Shape{}
		for _, d := range t.Shape() {
			declared.Shape.Dims = append(declared.Shape.Dims, onnxgraph.Dim{Value: int64(d), HasValue: true})
		}
	}
	return declared
}
