package memory

import (
	"onnxmem/onnxgraph"
)

// IsConstant reports whether a node only holds a stored tensor.
func IsConstant(n *onnxgraph.Node) bool {
	return n.OpType == "Constant" && onnxgraph.CanonicalDomain(n.Domain) == ""
}
