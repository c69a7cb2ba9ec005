package shapeinfer

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// Knowledge says how much inference may know.
type Knowledge uint8

const (
	// Full is everything that follows from the file and the bindings.
	Full Knowledge = iota
	// OrtLoad is what ONNX Runtime knows when it plans memory at load time:
	// the standard's per-operator rules on constants only. Values do not
	// propagate through nodes; an unnamed or uncomputed dim equals nothing, not
	// even itself; named dims and the file's value_info are kept.
	OrtLoad
)

// Options steer an inference. The zero value infers with everything symbolic.
type Options struct {
	// Dims binds symbols (dim_param) to numbers, everywhere in the model.
	Dims map[string]int64
	// InputShapes gives shapes of graph inputs by name. A dim of it may be a
	// number, which also binds the symbol that the file declares there, or an
	// expression, which that symbol then stands for. It may override a declared
	// number; that is noted. Two bindings of one symbol that provably differ
	// are a [BindingError].
	InputShapes map[string][]dim.Dim
	// Feeds gives values of graph inputs by name, in place of the default where
	// the file stores one. Type and shape must be those of the input.
	Feeds map[string]*tensor.Value
	// Knowledge limits what is inferred.
	Knowledge Knowledge
	// DefaultDims binds every symbol that Dims and InputShapes leave open; 0
	// leaves them open. What it bound is listed in Result.Assumed.
	DefaultDims int64
	// DeclaredOnly takes the types that the file declares and infers nothing.
	DeclaredOnly bool
	// IgnoreDeclared does not use the file's value_info and output types.
	IgnoreDeclared bool
}
