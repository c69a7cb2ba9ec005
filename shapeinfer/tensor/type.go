// Package tensor describes what is known of one value of a graph before it
// runs: its [Type], and, for small tensors that may decide shapes, its
// [Value], element by element. All of it prints itself: see [Fact.String].
//
// Types, shapes, values and facts may be read by several goroutines. None of
// their methods changes them.
package tensor

import (
	"slices"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
)

// A Type is the type of a value as far as it is known. The zero Type says
// nothing.
type Type struct {
	Kind  onnxgraph.TypeKind // KindUnset: not even the kind is known
	DType onnxgraph.DType    // of tensors and sparse tensors; Undefined when unknown
	Key   onnxgraph.DType    // of maps
	Shape Shape              // of tensors and sparse tensors
	Elem  *Type              // of sequences, optionals and map values; nil when unknown
}

// Of is the type of a dense tensor. A number that names no element type, as a
// wrong file may have it, is an unknown one.
func Of(d onnxgraph.DType, s Shape) Type {
	if !d.Valid() {
		d = onnxgraph.Undefined
	}
	return Type{Kind: onnxgraph.KindTensor, DType: d, Shape: s}
}

// SequenceOf is the type of a sequence of elem.
func SequenceOf(elem Type) Type {
	return Type{Kind: onnxgraph.KindSequence, Elem: &elem}
}

// OptionalOf is the type of an optional elem.
func OptionalOf(elem Type) Type {
	return Type{Kind: onnxgraph.KindOptional, Elem: &elem}
}

// MapOf is the type of a map from key to value.
func MapOf(key onnxgraph.DType, value Type) Type {
	return Type{Kind: onnxgraph.KindMap, Key: key, Elem: &value}
}

// IsTensor reports whether t is a dense tensor.
func (t Type) IsTensor() bool { return t.Kind == onnxgraph.KindTensor }

// Tensor returns the innermost tensor type: t itself, or that of the elements
// of a sequence, an optional, or the values of a map. ok is false where the
// nesting ends in nothing known.
func (t Type) Tensor() (inner Type, ok bool) {
	for t.Elem != nil {
		t = *t.Elem
	}
	return t, t.Kind == onnxgraph.KindTensor || t.Kind == onnxgraph.KindSparseTensor
}

// MapInner returns t with f applied to its innermost type: to t itself, or to
// that of the elements of a sequence, an optional, or the values of a map.
func (t Type) MapInner(f func(inner Type) Type) Type {
	if t.Elem == nil {
		return f(t)
	}
	elem := t.Elem.MapInner(f)
	t.Elem = &elem
	return t
}

// Name prints the kind and element type without a shape: FLOAT,
// SEQUENCE(FLOAT), OPTIONAL(SEQUENCE(FLOAT)), MAP(INT64,FLOAT), SPARSE(FLOAT).
// It is empty where the element type is unknown.
func (t Type) Name() string {
	wrap := func(head string) string {
		if t.Elem == nil {
			return ""
		}
		inner := t.Elem.Name()
		if inner == "" {
			return ""
		}
		return head + inner + ")"
	}
	switch t.Kind {
	case onnxgraph.KindTensor, onnxgraph.KindSparseTensor:
		if t.DType == onnxgraph.Undefined {
			return ""
		}
		if t.Kind == onnxgraph.KindSparseTensor {
			return "SPARSE(" + t.DType.String() + ")"
		}
		return t.DType.String()
	case onnxgraph.KindSequence:
		return wrap("SEQUENCE(")
	case onnxgraph.KindOptional:
		return wrap("OPTIONAL(")
	case onnxgraph.KindMap:
		return wrap("MAP(" + t.Key.String() + ",")
	case onnxgraph.KindOpaque:
		return "OPAQUE"
	}
	return ""
}

// Bytes is the size of a dense tensor of this type in bytes: elements times
// bits, divided by eight and rounded up. It is unknown where a dim is, for
// strings, and for everything that is not a tensor.
func (t Type) Bytes() dim.Dim {
	bits := int64(t.DType.Bits())
	if !t.IsTensor() || bits == 0 {
		return dim.Unknown()
	}
	elements := t.Shape.Elements()
	switch {
	case !elements.IsKnown():
		return elements
	case bits%8 == 0:
		return dim.Mul(elements, dim.Int(bits/8))
	default:
		return dim.CeilDiv(dim.Mul(elements, dim.Int(bits)), dim.Int(8))
	}
}

// A Shape is a list of dims, or unknown as a whole. The zero Shape is unknown.
type Shape struct {
	dims   []dim.Dim
	ranked bool
}

// MakeShape is a shape of known rank. It keeps dims: the caller must not
// change them later.
func MakeShape(dims ...dim.Dim) Shape { return Shape{dims, true} }

// IntShape is a shape whose dims are all numbers.
func IntShape(dims ...int64) Shape {
	s := Shape{make([]dim.Dim, len(dims)), true}
	for i, d := range dims {
		s.dims[i] = dim.Int(d)
	}
	return s
}

// RankOnly is a shape of known rank and unknown dims.
func RankOnly(rank int) Shape { return Shape{make([]dim.Dim, rank), true} }

// ScalarShape is the shape of rank 0.
func ScalarShape() Shape { return Shape{nil, true} }

// Ranked reports whether the rank is known.
func (s Shape) Ranked() bool { return s.ranked }

// Rank is the number of dims; -1 when it is unknown.
func (s Shape) Rank() int {
	if !s.ranked {
		return -1
	}
	return len(s.dims)
}

// Dims returns the dims, which the caller must not change; nil when the rank
// is unknown.
func (s Shape) Dims() []dim.Dim { return s.dims }

// At returns dim i, unknown when there is none. Negative i count from the end.
func (s Shape) At(i int) dim.Dim {
	if i < 0 {
		i += len(s.dims)
	}
	if i < 0 || i >= len(s.dims) {
		return dim.Unknown()
	}
	return s.dims[i]
}

// Clone returns a copy of the dims for the caller to change.
func (s Shape) Clone() []dim.Dim {
	return append(make([]dim.Dim, 0, len(s.dims)+1), s.dims...)
}

// Map replaces each dim by what f makes of it and its axis. It returns s itself
// where nothing is replaced.
func (s Shape) Map(f func(axis int, d dim.Dim) dim.Dim) Shape {
	var dims []dim.Dim
	for i, d := range s.dims {
		e := f(i, d)
		if e == d {
			continue
		}
		if dims == nil {
			dims = s.Clone()
		}
		dims[i] = e
	}
	if dims == nil {
		return s
	}
	return MakeShape(dims...)
}

// Elements is the product of the dims: one for scalars, unknown where a dim
// is, but zero as soon as one dim is zero.
func (s Shape) Elements() dim.Dim {
	if !s.ranked {
		return dim.Unknown()
	}
	for _, d := range s.dims {
		if n, ok := d.Int(); ok && n == 0 {
			return d
		}
	}
	return dim.Product(s.dims...)
}

// Ints returns the dims as numbers; ok is false when one of them is none.
func (s Shape) Ints() (dims []int64, ok bool) {
	if !s.ranked {
		return nil, false
	}
	dims = make([]int64, len(s.dims))
	for i, d := range s.dims {
		if dims[i], ok = d.Int(); !ok {
			return nil, false
		}
	}
	return dims, true
}

// IsStatic reports whether every dim is a number.
func (s Shape) IsStatic() bool {
	return s.ranked && !slices.ContainsFunc(s.dims, func(d dim.Dim) bool {
		_, ok := d.Int()
		return !ok
	})
}

// Equal reports whether two shapes are provably the same.
func (s Shape) Equal(o Shape) bool {
	return s.ranked && o.ranked && slices.EqualFunc(s.dims, o.dims, dim.Equal)
}

// String prints [1,batch,?], [] for a scalar, and ? for an unknown rank.
func (s Shape) String() string {
	if !s.ranked {
		return "?"
	}
	dims := make([]string, len(s.dims))
	for i, d := range s.dims {
		dims[i] = d.String()
	}
	return "[" + strings.Join(dims, ",") + "]"
}

// String prints the type with its shape: FLOAT[1,3,224,224], FLOAT[batch,?],
// SEQUENCE(FLOAT)[8], and "?" for the shape where the rank is unknown: FLOAT?.
// A value of unknown type prints as "?".
func (t Type) String() string {
	name := t.Name()
	if name == "" {
		name = "?"
	}
	if inner, ok := t.Tensor(); ok {
		return name + inner.Shape.String()
	}
	return name
}
