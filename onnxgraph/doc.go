// Package onnxgraph reads ONNX model files into plain Go values.
//
// [Open] and [Read] parse the protobuf structure of a model (IR versions 1 to
// 14, https://github.com/onnx/onnx/blob/main/docs/IR.md) without loading a
// single weight: a [Tensor] knows where its payload lies, and reads it, by
// range, only when somebody asks for the values. A model of many gigabytes
// therefore opens in milliseconds and a few MiB of memory.
//
// [Resolve] turns the names of a graph into a [Scope]: dense value indices,
// producers and consumers, outer-scope values, and a dependency order of
// the nodes, with everything wrong that it met on the way as diagnostics.
package onnxgraph
