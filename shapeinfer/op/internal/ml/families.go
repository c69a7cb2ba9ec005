// Package ml holds the operators of ai.onnx.ml: classic machine learning.
package ml

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		mlFeatureOps,
		mlLabelOps,
		mlLinearOps,
		mlMapOps,
		mlTreeOps,
	}
}
