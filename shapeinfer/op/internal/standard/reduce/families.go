// Package reduce holds the operators of ai.onnx that reduce or accumulate along axes.
package reduce

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		argReduceOps,
		cumulativeOps,
		reduceOps,
	}
}
