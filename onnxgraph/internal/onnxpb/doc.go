// Package onnxpb is the code that protoc-gen-go generates from onnx-ml.proto. It
// is for tests only: a second reader to compare ours with, and a writer. It
// registers under a name of its own, because other programs' copies of
// onnx.proto register under "onnx", and protobuf stops a program that has two.
package onnxpb

//go:generate protoc -I . --go_out=. --go_opt=module=onnxmem/onnxgraph/internal/onnxpb --go_opt=Monnxmem/onnx.proto=onnxmem/onnxgraph/internal/onnxpb onnxmem/onnx.proto
