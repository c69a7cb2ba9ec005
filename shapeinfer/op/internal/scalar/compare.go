package scalar

import (
	"cmp"
	"math"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file decides relations between two elements, where they hold or fail
// for all values of the symbols within their bounds; else the result is
// unknown.

// Truth is the BOOL element for an answer that may not be known.
func Truth(answer, known bool) tensor.Scalar {
	if !known {
		return tensor.Scalar{}
	}
	return tensor.Bool(answer)
}

// TruthOf returns a BOOL element as an answer.
func TruthOf(x tensor.Scalar) (answer, known bool) {
	n, ok := x.Int64()
	return n != 0, ok
}

// EqualScalars reports whether two elements are equal.
func EqualScalars(a, b tensor.Scalar) (answer, known bool) {
	if a.IsText || b.IsText {
		return a.Text == b.Text, a.IsText && b.IsText
	}
	if sign, nan, ok := compareNumbers(a, b); ok {
		return sign == 0 && !nan, true
	}
	switch {
	case !comparable(a.Num) || !comparable(b.Num):
		return false, false
	case dim.Equal(a.Num, b.Num):
		return true, true
	}
	return false, dim.NotEqual(a.Num, b.Num)
}

// LessScalars reports whether a < b.
func LessScalars(a, b tensor.Scalar) (answer, known bool) {
	if sign, nan, ok := compareNumbers(a, b); ok {
		return sign < 0 && !nan, true
	}
	if !comparable(a.Num) || !comparable(b.Num) {
		return false, false
	}
	return dim.Less(a.Num, b.Num)
}

// LessOrEqualScalars reports whether a <= b. It is not the negation of b < a,
// as of NaN neither is true.
func LessOrEqualScalars(a, b tensor.Scalar) (answer, known bool) {
	if sign, nan, ok := compareNumbers(a, b); ok {
		return sign <= 0 && !nan, true
	}
	if !comparable(a.Num) || !comparable(b.Num) {
		return false, false
	}
	return dim.LessEq(a.Num, b.Num)
}

// compareNumbers returns the sign of a - b where both are numbers, and whether
// one of them is none in the sense of IEEE 754.
func compareNumbers(a, b tensor.Scalar) (sign int, nan, ok bool) {
	if m, ok := a.Int64(); ok {
		if n, ok := b.Int64(); ok {
			return cmp.Compare(m, n), false, true
		}
	}
	x, okA := a.Float64()
	y, okB := b.Float64()
	return cmp.Compare(x, y), math.IsNaN(x) || math.IsNaN(y), okA && okB
}

// comparable reports whether x is known, and is what a machine would compare.
// Of FLOAT elements that were rounded, such as n/49*49, no two expressions
// say which is the smaller one.
func comparable(x dim.Dim) bool {
	const bits = 24 // of FLOAT
	return x.IsKnown() && (!x.IsSymbolic() || Exact(bits, x))
}

// IsZero reports whether an element is zero, where that is known. An empty
// string counts as zero.
func IsZero(x tensor.Scalar) (zero, known bool) {
	switch {
	case x.IsText:
		return x.Text == "", true
	case x.IsFloat:
		return x.Float == 0, true
	case !x.Num.IsKnown():
		return false, false
	}
	if num, _, ok := x.Num.Rational(); ok {
		return num == 0, true
	}
	return false, dim.NotEqual(x.Num, dim.Int(0))
}
