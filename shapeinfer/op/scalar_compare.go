package op

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file decides relations between two elements, where they hold or fail
// for all values of the symbols within their bounds; else the result is
// unknown.

// truth is the BOOL element for an answer that may not be known.
func truth(answer, known bool) tensor.Scalar {
	if !known {
		return tensor.Scalar{}
	}
	return tensor.Bool(answer)
}

// equalScalars reports whether two elements are equal.
func equalScalars(a, b tensor.Scalar) (answer, known bool) {
	if a.IsText || b.IsText {
		return a.Text == b.Text, a.IsText && b.IsText
	}
	if a.IsFloat || b.IsFloat {
		x, okA := a.Float64()
		y, okB := b.Float64()
		return x == y, okA && okB
	}
	switch {
	case dim.Equal(a.Num, b.Num):
		return true, true
	case a.Num.IsKnown() && b.Num.IsKnown() && dim.NotEqual(a.Num, b.Num):
		return false, true
	}
	return false, false
}

// lessScalars reports whether a < b.
func lessScalars(a, b tensor.Scalar) (answer, known bool) {
	if a.IsFloat || b.IsFloat {
		x, okA := a.Float64()
		y, okB := b.Float64()
		return x < y, okA && okB
	}
	m, okA := a.Int64()
	n, okB := b.Int64()
	if okA && okB {
		return m < n, true
	}
	if !a.Num.IsKnown() || !b.Num.IsKnown() {
		return false, false
	}
	return dim.Less(a.Num, b.Num)
}

// lessOrEqualScalars reports whether a <= b. It is not the negation of b < a,
// as NaN has neither.
func lessOrEqualScalars(a, b tensor.Scalar) (answer, known bool) {
	if a.IsFloat || b.IsFloat {
		x, okA := a.Float64()
		y, okB := b.Float64()
		return x <= y, okA && okB
	}
	m, okA := a.Int64()
	n, okB := b.Int64()
	if okA && okB {
		return m <= n, true
	}
	if !a.Num.IsKnown() || !b.Num.IsKnown() {
		return false, false
	}
	return dim.LessEq(a.Num, b.Num)
}

// truthOf returns a BOOL element as an answer.
func truthOf(x tensor.Scalar) (answer, known bool) {
	n, ok := x.Int64()
	return n != 0, ok
}
