// Package contrib holds the operators of ONNX Runtime, com.microsoft and its kin, and of PyTorch's ATen domain.
package contrib

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		atenOps,
		contribActivationOps,
		contribAttentionOps,
		contribConvOps,
		contribFourierOps,
		contribGQAOps,
		contribGatherOps,
		contribGenerationOps,
		contribHyperConnectionOps,
		contribLegacyOps,
		contribMHAOps,
		contribMatMulOps,
		contribMoEOps,
		contribNGramOps,
		contribNHWCOps,
		contribNchwcOps,
		contribNormOps,
		contribOtherOps,
		contribPackedMatMulOps,
		contribPaddingOps,
		contribQLinearOps,
		contribQuantizeOps,
		contribRecurrentOps,
		contribShapeOps,
		contribSparseIndexerOps,
		contribStateOps,
	}
}
