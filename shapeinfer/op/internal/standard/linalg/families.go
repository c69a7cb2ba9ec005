// Package linalg holds the matrix products of ai.onnx and what is related to them.
package linalg

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		detOps,
		einsumOps,
		gemmOps,
		matMulOps,
	}
}
