// Package onnxgo takes over models from programs that load them with
// github.com/owulveryck/onnx-go.
//
// onnx-go decodes a file into a [Backend]: a graph whose nodes are values,
// whose edges run from a node's outputs to its inputs, weighted by position,
// and which is told each operation. The Backend of this package writes that
// down, and [Backend.Model] makes an [onnxgraph.Model] of it:
//
//	backend := onnxgo.NewBackend()
//	model := onnx.NewModel(backend)
//	if err := backend.Decode(model, data); err != nil { ... }
//	taken, lost, err := backend.Model(model, onnxgo.Options{Opsets: map[string]int64{"": 9}})
//
// onnx-go does not hand over everything that the file says. [Backend.Model]
// lists what is missing as diagnostics; [Convert], which has the file's bytes,
// reads them a second time with [onnxgraph.Read] and lists each single fact
// that got lost. Whoever has the bytes and needs no onnx-go should call
// [onnxgraph.Read] alone, which loses nothing.
//
// onnx-go refuses, or fails on, half, brain and narrow floats, strings, 8 and
// 16-bit integers as weights, external data, subgraphs (If, Loop, Scan) and
// IR version 1 attributes without a type. Those are a [*DecodeError].
package onnxgo
