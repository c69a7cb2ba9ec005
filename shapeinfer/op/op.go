// Package op is the catalogue of operators: for each, in one place, everything
// that the standard says about the types and values of its outputs, the
// multiply-accumulates that it takes, and which outputs must be views.
//
// A family of operators is one file below internal. Adding an operator is one
// entry in one file's table; lists, help and the coverage table are made from
// the catalogue, which package catalogue puts together.
package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
)

// The operator domains of the catalogue. The default domain has the empty name.
const (
	DomainML              = "ai.onnx.ml"
	DomainPreview         = "ai.onnx.preview"
	DomainPreviewTraining = "ai.onnx.preview.training"
	DomainMicrosoft       = "com.microsoft"
	DomainNchwc           = "com.microsoft.nchwc"
	DomainInternalNHWC    = "com.ms.internal.nhwc"
	DomainATen            = "org.pytorch.aten"
)

// An Op is one operator over the range of versions that behave alike. Its
// functions may be called by several goroutines, each with a [Call] of its own.
type Op struct {
	Domain string // empty: ai.onnx
	Name   string
	// Versions are the opset versions of the domain at which the operator was
	// introduced or changed and that this entry covers, ascending. Versions
	// that other rules apply to are entries of their own.
	Versions []int
	// Infer sets the outputs' types, and their values where they can be known.
	Infer func(*Call) error
	// MACs counts multiply-accumulates of one run, nil where there are none.
	MACs func(*Call) dim.Dim
	// Views lists outputs that share the storage of an input in every runtime
	// that does not copy for its own reasons: Reshape and its kin.
	Views []View
	// Effect says where the elements of the first output come from.
	Effect Effect
	// Elementwise says that each element of the first output is a function of
	// the elements at the same place of the inputs, which broadcast to its
	// shape. Parameters may be one a channel, as those of BatchNormalization.
	Elementwise bool
	// ShapeOnly says that the outputs depend on the shape of the input alone,
	// not on its elements.
	ShapeOnly bool
	// Random says whether equal inputs may give different outputs.
	Random Randomness
	// Roles says which inputs are parameters by the operator's definition.
	Roles Roles
	// Normalizes says that the operator scales and shifts what it normalizes by
	// its parameters, vectors of one element a channel.
	Normalizes bool
	// QuantizedWeights says that the operator takes weights as integers, or turns
	// them into floats.
	QuantizedWeights bool
	// Deprecated says that the standard withdrew the operator with the last of
	// Versions; its types still follow.
	Deprecated bool
}

// An ID names an operator over all of its versions. Tables about operators
// outside the catalogue are keyed by it.
type ID struct{ Domain, Name string }

// IDOf returns the identity of the operator that a node names.
func IDOf(n *onnxgraph.Node) ID { return ID{onnxgraph.CanonicalDomain(n.Domain), n.OpType} }

// ID returns the identity of the operator.
func (o *Op) ID() ID { return ID{o.Domain, o.Name} }

// A View says that an output is another view of an input's storage.
type View struct{ Output, Input int }

// ViewOfFirst is the Views of the operators that only relabel their input.
var ViewOfFirst = []View{{0, 0}}
