package onnxgraph

import (
	"bytes"
	"errors"
	"fmt"
)

// ReadTensor reads a TensorProto on its own, as the .pb files of ONNX test
// data hold one. Its values cannot be external.
func ReadTensor(data []byte) (*Tensor, error) {
	t, err := readTensor(&source{file: bytes.NewReader(data), size: int64(len(data))})
	if err != nil {
		return nil, fmt.Errorf("not a readable ONNX tensor: %w", err)
	}
	if !t.DType.Valid() {
		return nil, errors.New("the file holds no TensorProto")
	}
	return t, nil
}

func readTensor(data *source) (*Tensor, error) {
	d := newDecoder(data, tensorProto)
	t := &Tensor{data: data, Extent: Extent{Length: data.size}}
	d.tensorFields(t)
	return t, d.Err()
}
