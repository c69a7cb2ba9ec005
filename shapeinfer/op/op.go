// Package op is the catalogue of operators: for each, in one place, everything
// that the standard says about the types and values of its outputs, the
// multiply-accumulates that it takes, and which outputs must be views.
//
// A family of operators is one file below internal. Adding an operator is one
// entry in one file's table; lists, help and the coverage table are made from
// the catalogue, which package catalogue puts together.
package op

import (
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

// An Op is one operator over the range of versions that behave alike.
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
	// Deprecated says that the standard withdrew the operator with the last of
	// Versions; its types still follow.
	Deprecated bool
}

// A View says that an output is another view of an input's storage.
type View struct{ Output, Input int }

// ViewOfFirst is the Views of the operators that only relabel their input.
var ViewOfFirst = []View{{0, 0}}
