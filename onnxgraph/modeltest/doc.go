// Package modeltest builds small models for the tests of any package:
//
//	m := modeltest.New(17).
//		Input("x", onnxgraph.Float, 1, "c", 224, 224).
//		InitZeros("w", onnxgraph.Float, 64, 3, 7, 7).
//		Node("Conv", []string{"x", "w"}, []string{"y"}, modeltest.Ints("pads", 3, 3, 3, 3)).
//		Output("y").
//		Model(t)
//
// It encodes the file format itself, from the field numbers of onnx-ml.proto,
// and so shares no code with the reader that it is used to test.
package modeltest
