package shapeinfer

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// A Policy limits an inference to what some program knows that infers less: a
// runtime that plans its memory before it sees any input. Without a policy
// everything counts that follows from the file and the options.
type Policy interface {
	// NamedDimsOnly reports whether a dim is a number, a name that the file gives
	// it, or unknown. An unnamed dynamic dim and one that depends on tensor values
	// then get no symbol, an expression in dim_param is a name like any other, and
	// the name that the file declares for a dim counts wherever inference finds no
	// number.
	NamedDimsOnly() bool
	// LimitOutput forgets what is not known of one output of a node that was
	// inferred.
	LimitOutput(n InferredNode, slot int, fact *tensor.Fact)
	// LimitSubgraphInputs returns what is known of the inputs that node n gives to
	// a graph in its attributes. It must not change the list that it is given.
	LimitSubgraphInputs(n *onnxgraph.Node, inputs []tensor.Fact) []tensor.Fact
}

// An InferredNode is a node whose outputs were inferred, as a [Policy] sees it.
// It must not be kept: the next node takes its place.
type InferredNode struct {
	*op.Call // Op is nil and Since is 0 where no operator of that name is known
	// Scope is the graph or function that holds the node, and Index the node's
	// index in it.
	Scope *onnxgraph.Scope
	Index int32
}

// namedDimsOnly is what the policy says of dims.
func (o *Options) namedDimsOnly() bool { return o.Policy != nil && o.Policy.NamedDimsOnly() }
