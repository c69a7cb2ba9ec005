package shapeinfer

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file reads the types that a file declares.

// declaredDims are the dims of a declared tensor, or of the tensors that a
// sequence, optional or map is declared to hold.
func declaredDims(t *onnxgraph.Type) []onnxgraph.Dim {
	for t != nil && t.Shape == nil {
		t = t.Elem
	}
	if t == nil {
		return nil
	}
	return t.Shape.Dims
}

// declaresRank reports whether the shape of that tensor is declared at all.
func declaresRank(t *onnxgraph.Type) bool {
	for t != nil && t.Shape == nil {
		t = t.Elem
	}
	return t != nil
}

// eachDeclaredDim visits the dims at every level of a declared type.
func eachDeclaredDim(t *onnxgraph.Type, f func(onnxgraph.Dim)) {
	for ; t != nil; t = t.Elem {
		if t.Shape != nil {
			for _, d := range t.Shape.Dims {
				f(d)
			}
		}
	}
}

// isDynamic reports whether a declared dim says nothing. Some exporters write
// -1.
func isDynamic(d onnxgraph.Dim) bool {
	return d.Param == "" && (!d.HasValue || d.Value < 0)
}

// A typeReader turns declared types into inferred ones.
type typeReader struct {
	symbols *symbolTable
	// number is what a declared size stands for.
	number func(n int64) dim.Dim
	// dynamic is what the dim of an axis is whose size is not declared.
	dynamic func(axis int) dim.Dim
}

// inputTypes reads the type of an input of the main graph. Only there does a
// dynamic dim without a name get a symbol.
func (t *symbolTable) inputTypes(input string) typeReader {
	dynamic := unknownDim
	if !t.plain || t.byDefault != 0 {
		dynamic = func(axis int) dim.Dim { return t.symbol(t.unnamed(input, axis)) }
	}
	return typeReader{t, dim.Int, dynamic}
}

// otherTypes reads the types of all other values. Once the caller has overridden
// a declared size, the sizes that were computed from it no longer hold.
func (t *symbolTable) otherTypes(overridden bool) typeReader {
	number := dim.Int
	if overridden {
		number = func(int64) dim.Dim { return dim.Unknown() }
	}
	return typeReader{t, number, unknownDim}
}

func unknownDim(int) dim.Dim { return dim.Unknown() }

// read converts a declared type.
func (r typeReader) read(t *onnxgraph.Type) tensor.Type {
	if t == nil {
		return tensor.Type{}
	}
	out := tensor.Type{Kind: t.Kind, DType: t.DType, Key: t.Key}
	if !t.DType.Valid() {
		out.DType = onnxgraph.Undefined
	}
	if t.Elem != nil {
		elem := r.read(t.Elem)
		out.Elem = &elem
	}
	if t.Shape == nil {
		return out
	}
	dims := make([]dim.Dim, len(t.Shape.Dims))
	for i, d := range t.Shape.Dims {
		dims[i] = r.dim(d, i)
	}
	out.Shape = tensor.MakeShape(dims...)
	return out
}

// dim converts a declared dim. A size of 0 is taken at its word, as ONNX
// Runtime does.
func (r typeReader) dim(d onnxgraph.Dim, axis int) dim.Dim {
	switch {
	case isDynamic(d) || !r.symbols.plain && isPlaceholder(d.Param):
		return r.dynamic(axis)
	case d.Param != "":
		return r.symbols.param(d.Param)
	}
	return r.number(d.Value)
}
