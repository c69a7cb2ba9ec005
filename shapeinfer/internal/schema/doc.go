// Package schema holds what the ONNX standard and ONNX Runtime declare of each
// version of each operator: arity, attributes, and the element types that its
// inputs and outputs may have. [Schema.Check] holds a node against it.
//
// The data are generated from the schema lists in testdata/schemas, which come
// from onnx 1.23.2 and onnxruntime 1.32 (Apache-2.0, MIT).
package schema

//go:generate go run ./generate -out table.txt ../../../testdata/schemas/onnx.json.gz ../../../testdata/schemas/contrib.json.gz ../../../testdata/schemas/ort_default.json.gz
