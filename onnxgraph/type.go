package onnxgraph

// A TypeKind says what kind of value a Type describes.
type TypeKind uint8

// The kinds of TypeProto.
const (
	KindUnset TypeKind = iota // a TypeProto without a value
	KindTensor
	KindSparseTensor
	KindSequence
	KindOptional
	KindMap
	KindOpaque
)

// A Type is the declared type of a value (TypeProto).
type Type struct {
	Kind         TypeKind
	DType        DType  // of tensors and sparse tensors; Undefined when not given
	Shape        *Shape // of tensors and sparse tensors; nil when the rank is not given
	Key          DType  // of maps
	Elem         *Type  // of sequences, optionals, and map values; may be nil
	Denotation   string
	OpaqueDomain string
	OpaqueName   string
}

// A Shape is a declared shape: its length is the rank, zero for scalars.
type Shape struct {
	Dims []Dim
}

// A Dim is a declared dimension: a number, a name, or neither.
type Dim struct {
	Value      int64
	Param      string
	HasValue   bool // dim_value is present, possibly 0 or negative
	Denotation string
}
