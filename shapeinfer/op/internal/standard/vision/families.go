// Package vision holds the operators of ai.onnx for images: resizing, sampling, regions.
package vision

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		nonMaxSuppressionOps,
		depthSpaceOps,
		gridOps,
		imageDecoderOps,
		resizeOps,
		roiOps,
		upsampleOps,
	}
}
