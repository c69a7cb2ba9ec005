package memory

import (
	"math"
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// A Size is a number of bytes as far as it is known: at least Low, and at most
// High unless Open says that no upper limit is known. An exact size has equal
// limits and is not open. The zero Size is exactly no bytes. Sizes that add or
// multiply to more than an int64 holds have no upper limit.
type Size struct {
	Low, High int64
	Open      bool
}

// ExactSize is a size that is known.
func ExactSize(n int64) Size { return Size{Low: n, High: n} }

// UnknownSize is a size of which nothing is known.
func UnknownSize() Size { return Size{Open: true} }

// Exact returns the size when it is known.
func (s Size) Exact() (n int64, ok bool) { return s.Low, s.Low == s.High && !s.Open }

// AtMost returns the upper limit, when one is known.
func (s Size) AtMost() (n int64, ok bool) { return s.High, !s.Open }

// Add is the size of two things side by side.
func (s Size) Add(o Size) Size {
	return Bounded(AddBytes(s.Low, o.Low), AddBytes(s.High, o.High), s.Open || o.Open)
}

// Max is the size of the larger of two things.
func (s Size) Max(o Size) Size {
	return Size{max(s.Low, o.Low), max(s.High, o.High), s.Open || o.Open}
}

// Times is the size of n things.
func (s Size) Times(n int64) Size {
	return Bounded(MulBytes(s.Low, n), MulBytes(s.High, n), s.Open)
}

// RoundUp is what allocators make of a size that deal in multiples of unit
// bytes.
func (s Size) RoundUp(unit int64) Size {
	return Bounded(RoundUp(s.Low, unit), RoundUp(s.High, unit), s.Open)
}

func RoundUp(n, unit int64) int64 { return AddBytes(n, unit-1) / unit * unit }

// Bounded makes a size of limits that stopped at the largest number.
func Bounded(low, high int64, open bool) Size {
	return Size{low, high, open || high == math.MaxInt64}
}

// AddBytes adds sizes that are not negative and stays at the largest number
// instead of wrapping around: dims of a hostile file multiply to anything.
func AddBytes(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func MulBytes(a, n int64) int64 {
	if n > 0 && a > math.MaxInt64/n {
		return math.MaxInt64
	}
	return a * n
}

// SizeOf is the size of a value of type t: of a dense tensor the elements
// times their bits, rounded up to bytes. Strings, sequences, optionals and maps
// are not known from their type.
func SizeOf(t tensor.Type) Size {
	switch {
	case t.Kind == onnxgraph.KindOptional && t.Elem != nil:
		// An optional holds its element or nothing.
		s := SizeOf(*t.Elem)
		s.Low = 0
		return s
	case !t.IsTensor(), tooManyDims(t.Shape):
		return UnknownSize()
	}
	if n, ok := ElementCount(t.Shape); ok && n == 0 {
		return Size{}
	}
	return sizeOfDim(t.Bytes())
}

// maxOpenDims is the rank up to which the limits of an open size are sought.
// Real tensors have a handful of dims; the product of thousands of symbols, as a
// reshape to a long tensor of unknown contents has, takes ages to look through.
const maxOpenDims = 64

func tooManyDims(s tensor.Shape) bool {
	return s.Rank() > maxOpenDims && !slices.ContainsFunc(s.Dims(), isZero) && !s.IsStatic()
}

func isZero(d dim.Dim) bool {
	n, ok := d.Int()
	return ok && n == 0
}

// ElementCount is the number of elements, where it is known.
func ElementCount(s tensor.Shape) (int64, bool) { return s.Elements().Int() }

// sizeOfDim reads a size expression: a number, or what is known of its limits.
func sizeOfDim(d dim.Dim) Size {
	if n, ok := d.Int(); ok {
		return ExactSize(max(n, 0))
	}
	if !d.IsKnown() {
		return UnknownSize()
	}
	s := UnknownSize()
	if lo, ok := d.Lower(); ok && lo > 0 {
		s.Low = lo
	}
	// A free symbol of an input has no limit; a dim that run-time values
	// decide mostly has one, such as the elements that NonZero looks at.
	if hi, ok := d.Upper(); ok && hi >= s.Low {
		s.High, s.Open = hi, false
	} else {
		s.High = s.Low
	}
	return s
}
