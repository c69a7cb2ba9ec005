// Package signal holds the operators of ai.onnx for signals: Fourier transforms and windows.
package signal

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		signalWindowOps,
		fourierOps,
	}
}
