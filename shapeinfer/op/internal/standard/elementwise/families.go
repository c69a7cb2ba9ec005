// Package elementwise holds the operators of ai.onnx that work element by element, with numpy's broadcasting where they take several tensors.
package elementwise

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		activationOps,
		binaryOps,
		castOps,
		clipOps,
		comparisonOps,
		unaryOps,
		variadicOps,
		whereOps,
		gatedOps,
	}
}
