package scalar

import (
	"math"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file computes with two elements of one type, numbers or expressions.

// Arithmetic is one operation in every kind of number that it is done in. A
// missing function makes the result unknown.
type Arithmetic struct {
	// ints computes in 64 bits, in two's complement; ok is false where the
	// result is not defined, as after division by zero.
	Ints func(a, b int64) (n int64, ok bool)
	// floats computes known floats; the result is rounded to the type.
	Floats func(a, b float64) float64
	// exactInts and exactFloats compute expressions.
	exactInts, exactFloats func(a, b dim.Dim) dim.Dim
	// rounds reports whether the rounding of floats with that many significant
	// bits may show in shapes that are computed from the result; see exact.
	rounds func(bits int, a, b dim.Dim) bool
}

var (
	Addition = Arithmetic{
		Ints:   func(a, b int64) (int64, bool) { return a + b, true },
		Floats: func(a, b float64) float64 { return a + b },

		exactInts: dim.Add, exactFloats: dim.Add, rounds: sumRounds,
	}
	Subtraction = Arithmetic{
		Ints:   func(a, b int64) (int64, bool) { return a - b, true },
		Floats: func(a, b float64) float64 { return a - b },

		exactInts: dim.Sub, exactFloats: dim.Sub, rounds: sumRounds,
	}
	Multiplication = Arithmetic{
		Ints:   func(a, b int64) (int64, bool) { return a * b, true },
		Floats: func(a, b float64) float64 { return a * b },

		exactInts: dim.Mul, exactFloats: dim.Mul, rounds: productRounds,
	}
	// Integers are divided as in C, with rounding towards zero
	// (https://onnx.ai/onnx/operators/onnx__Div.html).
	Division = Arithmetic{
		Ints:   truncDivInt,
		Floats: func(a, b float64) float64 { return a / b },

		exactInts: truncDiv, exactFloats: dim.Div, rounds: QuotientRounds,
	}
	// FlooredModulo has the sign of the divisor, as in Python.
	FlooredModulo = Arithmetic{
		Ints:   floorModInt,
		Floats: floorModFloat,

		exactInts: dim.Mod, exactFloats: dim.Mod, rounds: moduloRounds,
	}
	// TruncatedModulo has the sign of the dividend, as fmod in C.
	TruncatedModulo = Arithmetic{
		Ints:   truncModInt,
		Floats: math.Mod,

		exactInts: truncMod, exactFloats: truncMod, rounds: moduloRounds,
	}
	Minimum = Arithmetic{
		Ints:   func(a, b int64) (int64, bool) { return min(a, b), true },
		Floats: math.Min,

		exactInts: dim.Min, exactFloats: dim.Min, rounds: neverRounds,
	}
	Maximum = Arithmetic{
		Ints:   func(a, b int64) (int64, bool) { return max(a, b), true },
		Floats: math.Max,

		exactInts: dim.Max, exactFloats: dim.Max, rounds: neverRounds,
	}
)

// Apply computes one element of type d.
func (op *Arithmetic) Apply(d onnxgraph.DType, a, b tensor.Scalar) tensor.Scalar {
	switch {
	case d.IsInteger():
		return op.onIntegers(d, a, b)
	case d.IsFloat():
		return op.onFloats(d, a, b)
	}
	return tensor.Scalar{}
}

func (op *Arithmetic) onIntegers(d onnxgraph.DType, a, b tensor.Scalar) tensor.Scalar {
	m, okA := a.Int64()
	n, okB := b.Int64()
	if okA && okB {
		if op.Ints == nil {
			return tensor.Scalar{}
		}
		r, ok := op.Ints(m, n)
		if !ok {
			return tensor.Scalar{}
		}
		return Integer(d, r)
	}
	if op.exactInts == nil || !a.Num.IsKnown() || !b.Num.IsKnown() {
		return tensor.Scalar{}
	}
	return Expression(d, op.exactInts(a.Num, b.Num))
}

func (op *Arithmetic) onFloats(d onnxgraph.DType, a, b tensor.Scalar) tensor.Scalar {
	x, okA := a.Float64()
	y, okB := b.Float64()
	if okA && okB {
		if op.Floats == nil {
			return tensor.Scalar{}
		}
		return Floating(d, op.Floats(x, y))
	}
	if op.exactFloats == nil || !a.Num.IsKnown() || !b.Num.IsKnown() || op.rounds(Precision(d), a.Num, b.Num) {
		return tensor.Scalar{}
	}
	return tensor.Number(op.exactFloats(a.Num, b.Num))
}

// The machine's floats are rounded at every step, expressions are not. What
// follows says where that can show in a shape, that is where the float may lie
// on the other side of an integer than the expression, so that Floor or Cast
// of it would differ.
//
// Integers, halves, quarters and so on are exact in floats. One rounded
// division of such numbers is harmless: n/7 is an integer where the float is
// one too, and else at least 1/7 away from every integer, which is more than it
// is off by. A second step may be harmful: n/49*49 comes out below n for some
// n. The constant 1.1 stands for 9227469/8388608, so that n*1.1 is harmful at
// once.

// Exact reports whether x has no rounding behind it in a float of so many
// significant bits: it is a multiple of a power of two that leaves half of the
// bits to its size.
func Exact(bits int, x dim.Dim) bool {
	return x.IsInteger() || dim.Mul(x, dim.Int(1<<(bits/2))).IsInteger()
}

// sumRounds allows one rounded summand.
func sumRounds(bits int, a, b dim.Dim) bool {
	return !(Exact(bits, a) && (b.IsSymbolic() || Exact(bits, b))) &&
		!(Exact(bits, b) && a.IsSymbolic())
}

// productRounds allows no rounded factor, unless the other is a power of two.
func productRounds(bits int, a, b dim.Dim) bool {
	return !(Exact(bits, a) && Exact(bits, b)) && !powerOfTwo(a) && !powerOfTwo(b)
}

func QuotientRounds(bits int, a, b dim.Dim) bool {
	return !(Exact(bits, a) && Exact(bits, b)) && !powerOfTwo(b)
}

func moduloRounds(bits int, a, b dim.Dim) bool {
	return !Exact(bits, a) || !Exact(bits, b)
}

// neverRounds is for operations that choose one of their operands.
func neverRounds(int, dim.Dim, dim.Dim) bool { return false }

// powerOfTwo reports whether x is a constant power of two, positive or
// negative, by which floats are scaled without rounding.
func powerOfTwo(x dim.Dim) bool {
	num, den, ok := x.Rational()
	if num < 0 {
		num = -num
	}
	return ok && num > 0 && num&(num-1) == 0 && den&(den-1) == 0
}

func truncDivInt(a, b int64) (int64, bool) {
	if b == 0 {
		return 0, false
	}
	return a / b, true
}

func truncModInt(a, b int64) (int64, bool) {
	if b == 0 {
		return 0, false
	}
	return a % b, true
}

func floorModInt(a, b int64) (int64, bool) {
	if b == 0 {
		return 0, false
	}
	r := a % b
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r, true
}

func floorModFloat(a, b float64) float64 {
	r := math.Mod(a, b)
	if r != 0 && math.Signbit(r) != math.Signbit(b) {
		r += b
	}
	return r
}

func truncDiv(a, b dim.Dim) dim.Dim { return dim.Trunc(dim.Div(a, b)) }

func truncMod(a, b dim.Dim) dim.Dim { return dim.Sub(a, dim.Mul(b, truncDiv(a, b))) }
