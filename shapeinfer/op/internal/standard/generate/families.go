// Package generate holds the operators of ai.onnx that make tensors from attributes or sizes.
package generate

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		constantOps,
		generatorOps,
		rangeOps,
		randomOps,
	}
}
