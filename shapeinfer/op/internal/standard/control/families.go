// Package control holds control flow, sequences and optionals of ai.onnx.
package control

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		ifOps,
		loopOps,
		scanOps,
		sequenceOps,
		sequenceMapOps,
		optionalOps,
	}
}
