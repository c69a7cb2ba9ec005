// Package text holds the operators of ai.onnx for strings.
package text

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		textOps,
	}
}
