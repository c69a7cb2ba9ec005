// Package attention holds attention and what goes with it in ai.onnx: caches, linear attention.
package attention

import (
	"onnxmem/shapeinfer/op"
)

// Families lists the tables of operators, one per file.
func Families() [][]op.Op {
	return [][]op.Op{
		attentionOps,
		flexAttentionOps,
		linearAttentionOps,
		sequenceCacheOps,
	}
}
