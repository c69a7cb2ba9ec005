// Package training holds the operators of ai.onnx.preview.training.
package training

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		trainingOps,
	}
}
