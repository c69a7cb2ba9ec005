package onnxgraph

import (
	"bytes"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// The fields on the way from a model to its initializers.
const (
	modelGraphField       protowire.Number = 7
	graphInitializerField protowire.Number = 5
)

// ReadTensor reads a TensorProto on its own, as the .pb files of ONNX test
// data hold one. Offsets in errors count from the start of a model that would
// hold the tensor alone, a few bytes more than the tensor's own.
func ReadTensor(data []byte) (*Tensor, error) {
	graph := protowire.AppendTag(nil, graphInitializerField, protowire.BytesType)
	graph = protowire.AppendBytes(graph, data)
	model := protowire.AppendTag(nil, modelGraphField, protowire.BytesType)
	model = protowire.AppendBytes(model, graph)
	m, err := Read(bytes.NewReader(model), int64(len(model)))
	if err != nil {
		return nil, err
	}
	if len(m.Graph.Initializers) != 1 || !m.Graph.Initializers[0].DType.Valid() {
		return nil, errors.New("the file holds no TensorProto")
	}
	return m.Graph.Initializers[0], nil
}
