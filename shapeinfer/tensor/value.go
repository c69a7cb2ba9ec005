package tensor

import (
	"math"
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
)

// Limits on the tensors whose elements are followed. Shapes, axes, pads,
// repeats, sizes and position tables are below; weights are above.
const (
	MaxInts   = 4096 // elements of an integer, bool or string tensor
	MaxFloats = 256  // elements of a floating point tensor
)

// A Value is what is known of the elements of a small dense tensor. It is
// immutable: whoever derives another value makes a new one.
type Value struct {
	DType onnxgraph.DType
	Dims  []int64  // the tensor's shape, always numbers
	Elems []Scalar // row-major; as many as the product of Dims
}

// A Scalar is what is known of one element. The zero Scalar is unknown.
type Scalar struct {
	// Num is the exact number: integers, bools (0 or 1), and those floats that
	// are exact in a rational of moderate size, symbols allowed.
	Num dim.Dim
	// Float holds other floats, NaN and infinities among them, when IsFloat.
	Float   float64
	IsFloat bool
	// Text holds an element of a string tensor, when IsText.
	Text   string
	IsText bool
}

// IsKnown reports whether anything is known of the element.
func (x Scalar) IsKnown() bool { return x.IsFloat || x.IsText || x.Num.IsKnown() }

// Number is an exact element.
func Number(d dim.Dim) Scalar { return Scalar{Num: d} }

// Int is an integer element.
func Int(n int64) Scalar { return Scalar{Num: dim.Int(n)} }

// Bool is an element of a bool tensor.
func Bool(b bool) Scalar {
	if b {
		return Int(1)
	}
	return Int(0)
}

// Text is an element of a string tensor.
func Text(s string) Scalar { return Scalar{Text: s, IsText: true} }

// Float is a floating point element, kept as an exact rational where that is
// possible, so that shapes may be computed from it.
func Float(f float64) Scalar {
	if d, ok := dim.FromFloat(f); ok && !(f == 0 && math.Signbit(f)) {
		return Scalar{Num: d}
	}
	return Scalar{Float: f, IsFloat: true}
}

// Float64 returns the element as a number; ok is false when it is symbolic or
// unknown.
func (x Scalar) Float64() (f float64, ok bool) {
	if x.IsFloat {
		return x.Float, true
	}
	num, den, ok := x.Num.Rational()
	return float64(num) / float64(den), ok
}

// Int64 returns the element as an integer; ok is false when it is none.
func (x Scalar) Int64() (n int64, ok bool) { return x.Num.Int() }

// IntVector is the value of a 1-D INT64 tensor of these dims, such as a shape.
func IntVector(dims ...dim.Dim) *Value {
	v := &Value{DType: onnxgraph.Int64, Dims: []int64{int64(len(dims))}, Elems: make([]Scalar, len(dims))}
	for i, d := range dims {
		v.Elems[i].Num = d
	}
	return v
}

// ScalarOf is the value of a tensor of rank 0.
func ScalarOf(d onnxgraph.DType, x Scalar) *Value {
	return &Value{DType: d, Elems: []Scalar{x}}
}

// Shape is the shape of the value.
func (v *Value) Shape() Shape { return IntShape(v.Dims...) }

// Type is the type of the value.
func (v *Value) Type() Type { return Of(v.DType, v.Shape()) }

// Numbers returns the elements as dims, unknown where they are not exact
// numbers.
func (v *Value) Numbers() []dim.Dim {
	dims := make([]dim.Dim, len(v.Elems))
	for i, x := range v.Elems {
		dims[i] = x.Num
	}
	return dims
}

// Int64s returns the elements as integers; ok is false when one is none.
func (v *Value) Int64s() (ns []int64, ok bool) {
	ns = make([]int64, len(v.Elems))
	for i, x := range v.Elems {
		if ns[i], ok = x.Int64(); !ok {
			return nil, false
		}
	}
	return ns, true
}

// Float64s returns the elements as numbers; ok is false when one is none.
func (v *Value) Float64s() (fs []float64, ok bool) {
	fs = make([]float64, len(v.Elems))
	for i, x := range v.Elems {
		if fs[i], ok = x.Float64(); !ok {
			return nil, false
		}
	}
	return fs, true
}

// AllKnown reports whether every element is known.
func (v *Value) AllKnown() bool {
	return !slices.ContainsFunc(v.Elems, func(x Scalar) bool { return !x.IsKnown() })
}

// WithDims returns the same elements in another shape of equal size.
func (v *Value) WithDims(dims []int64) *Value {
	return &Value{v.DType, dims, v.Elems}
}

// Fits reports whether a tensor of that type and shape is small enough for its
// elements to be followed, and returns its dims and element count.
func Fits(d onnxgraph.DType, s Shape) (dims []int64, n int64, ok bool) {
	limit := int64(MaxInts)
	if d.IsFloat() {
		limit = MaxFloats
	}
	if !s.IsStatic() {
		return nil, 0, false
	}
	dims, _ = s.Ints()
	n, ok = onnxgraph.ElementCount(dims)
	return dims, n, ok && n <= limit
}
