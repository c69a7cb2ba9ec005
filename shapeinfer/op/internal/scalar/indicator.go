package scalar

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file writes conditions over open symbols as expressions that are 1
// where they hold and 0 elsewhere, so that what an If or Where chooses by them
// stays an expression too.

// LessIndicator is 1 where a < b of integers.
func LessIndicator(a, b dim.Dim) dim.Dim { return clampBit(dim.Sub(b, a)) }

// LessOrEqualIndicator is 1 where a <= b of integers.
func LessOrEqualIndicator(a, b dim.Dim) dim.Dim {
	return clampBit(dim.Add(dim.Sub(b, a), dim.Int(1)))
}

// EqualIndicator is 1 where a = b of integers.
func EqualIndicator(a, b dim.Dim) dim.Dim {
	return dim.Sub(dim.Int(1), dim.Min(dim.Abs(dim.Sub(a, b)), dim.Int(1)))
}

// clampBit is 1 where x is at least 1, and else 0.
func clampBit(x dim.Dim) dim.Dim {
	return dim.Min(dim.Max(x, dim.Int(0)), dim.Int(1))
}

func Swapped(f func(a, b dim.Dim) dim.Dim) func(a, b dim.Dim) dim.Dim {
	return func(a, b dim.Dim) dim.Dim { return f(b, a) }
}

// ComparesIntegers reports whether both elements are integers for all values
// of their symbols.
func ComparesIntegers(a, b tensor.Scalar) bool {
	return a.Num.IsKnown() && b.Num.IsKnown() && a.Num.IsInteger() && b.Num.IsInteger()
}

// IsIndicator reports whether a BOOL element is an expression, or a number.
func IsIndicator(x tensor.Scalar) bool { return x.Num.IsKnown() }

// Choose is a where the condition, an indicator, holds, and else b.
func Choose(condition, a, b dim.Dim) dim.Dim {
	return dim.Add(b, dim.Mul(condition, dim.Sub(a, b)))
}
