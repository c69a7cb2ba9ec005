// Package nn holds the layers of neural networks in ai.onnx: convolutions, pools, normalizations, recurrent layers, losses, quantization.
package nn

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		softmaxOps,
		quantizeOps,
		lossOps,
		dropoutOps,
		batchNormOps,
		col2ImOps,
		convOps,
		convTransposeOps,
		globalPoolOps,
		normOps,
		poolOps,
		recurrentOps,
	}
}
