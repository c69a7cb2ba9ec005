// Package movement holds the operators of ai.onnx that move, copy, pick or relabel elements.
package movement

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		identityOps,
		shapeQueryOps,
		reshapeOps,
		squeezeOps,
		transposeOps,
		concatOps,
		splitOps,
		sliceOps,
		gatherOps,
		scatterOps,
		expandOps,
		nonZeroOps,
		oneHotOps,
		topKOps,
		uniqueOps,
		triangleOps,
		centerCropPadOps,
		padOps,
	}
}
