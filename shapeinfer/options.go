package shapeinfer

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// Options steer an inference. The zero value infers with everything symbolic.
// An inference only reads them: several may share one Options value.
type Options struct {
	// Dims binds symbols to numbers, everywhere in the model: those of dim_param,
	// and those that inference makes for dims without a name and for sizes that
	// depend on tensor values.
	Dims map[string]int64
	// Ties binds symbols to expressions over others, such as total to past + 1.
	Ties map[string]dim.Dim
	// InputShapes gives shapes of graph inputs by name. A dim of it may be a
	// number, which also binds the symbol that the file declares there, or an
	// expression, which that symbol then stands for. It may override a declared
	// number; that is noted. Two bindings of one symbol that provably differ
	// are a [BindingError].
	InputShapes map[string][]dim.Dim
	// Feeds gives values of graph inputs by name, in place of the default where
	// the file stores one. Type and shape must be those of the input.
	Feeds map[string]*tensor.Value
	// Catalogue holds the operators that are known; nil stands for all that the
	// program knows. Add operators of your own with
	//
	//	catalogue.New().With(own)
	Catalogue *op.Catalogue
	// Policy limits what may be known; nil limits nothing.
	Policy Policy
	// DefaultDims is the size of every dynamic dim that Dims and InputShapes do
	// not set; 0 keeps those symbolic. What it set is listed in Result.Assumed.
	DefaultDims int64
	// DeclaredOnly takes the types that the file declares and infers nothing.
	DeclaredOnly bool
	// IgnoreDeclared does not use the file's value_info and output types.
	IgnoreDeclared bool

	settled map[string]settledDim // found out by an earlier round of the same inference
}
