package op

import (
	"math"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file computes with two elements of one type, numbers or expressions.

// arithmetic is one operation in every kind of number that it is done in. A
// missing function makes the result unknown.
type arithmetic struct {
	// ints computes in 64 bits, in two's complement; ok is false where the
	// result is not defined, as after division by zero.
	ints func(a, b int64) (n int64, ok bool)
	// floats computes known floats; the result is rounded to the type.
	floats func(a, b float64) float64
	// exactInts and exactFloats compute expressions.
	exactInts, exactFloats func(a, b dim.Dim) dim.Dim
	// rounds reports whether the rounding of the machine's floats may change
	// what shapes are computed from the result; see mayRound.
	rounds func(bits int, a, b dim.Dim) bool
}

var (
	addition = arithmetic{
		ints:   func(a, b int64) (int64, bool) { return a + b, true },
		floats: func(a, b float64) float64 { return a + b },

		exactInts: dim.Add, exactFloats: dim.Add, rounds: sumRounds,
	}
	subtraction = arithmetic{
		ints:   func(a, b int64) (int64, bool) { return a - b, true },
		floats: func(a, b float64) float64 { return a - b },

		exactInts: dim.Sub, exactFloats: dim.Sub, rounds: sumRounds,
	}
	multiplication = arithmetic{
		ints:   func(a, b int64) (int64, bool) { return a * b, true },
		floats: func(a, b float64) float64 { return a * b },

		exactInts: dim.Mul, exactFloats: dim.Mul, rounds: productRounds,
	}
	// Integers are divided as in C, with rounding towards zero
	// (https://onnx.ai/onnx/operators/onnx__Div.html).
	division = arithmetic{
		ints:   truncDivInt,
		floats: func(a, b float64) float64 { return a / b },

		exactInts: truncDiv, exactFloats: dim.Div, rounds: quotientRounds,
	}
	// flooredModulo has the sign of the divisor, as in Python.
	flooredModulo = arithmetic{
		ints:   floorModInt,
		floats: floorModFloat,

		exactInts: dim.Mod, exactFloats: dim.Mod, rounds: sumRounds,
	}
	// truncatedModulo has the sign of the dividend, as fmod in C.
	truncatedModulo = arithmetic{
		ints:   truncModInt,
		floats: math.Mod,

		exactInts: truncMod, exactFloats: truncMod, rounds: sumRounds,
	}
	minimum = arithmetic{
		ints:   func(a, b int64) (int64, bool) { return min(a, b), true },
		floats: math.Min,

		exactInts: dim.Min, exactFloats: dim.Min, rounds: sumRounds,
	}
	maximum = arithmetic{
		ints:   func(a, b int64) (int64, bool) { return max(a, b), true },
		floats: math.Max,

		exactInts: dim.Max, exactFloats: dim.Max, rounds: sumRounds,
	}
)

// apply computes one element of type d.
func (op *arithmetic) apply(d onnxgraph.DType, a, b tensor.Scalar) tensor.Scalar {
	switch {
	case d.IsInteger():
		return op.onIntegers(d, a, b)
	case d.IsFloat():
		return op.onFloats(d, a, b)
	}
	return tensor.Scalar{}
}

func (op *arithmetic) onIntegers(d onnxgraph.DType, a, b tensor.Scalar) tensor.Scalar {
	m, okA := a.Int64()
	n, okB := b.Int64()
	if okA && okB {
		if op.ints == nil {
			return tensor.Scalar{}
		}
		r, ok := op.ints(m, n)
		if !ok {
			return tensor.Scalar{}
		}
		return integer(d, r)
	}
	if op.exactInts == nil || !a.Num.IsKnown() || !b.Num.IsKnown() {
		return tensor.Scalar{}
	}
	return expression(d, op.exactInts(a.Num, b.Num))
}

func (op *arithmetic) onFloats(d onnxgraph.DType, a, b tensor.Scalar) tensor.Scalar {
	x, okA := a.Float64()
	y, okB := b.Float64()
	if okA && okB {
		if op.floats == nil {
			return tensor.Scalar{}
		}
		return floating(d, op.floats(x, y))
	}
	if op.exactFloats == nil || !a.Num.IsKnown() || !b.Num.IsKnown() || op.rounds(precision(d), a.Num, b.Num) {
		return tensor.Scalar{}
	}
	return tensor.Number(op.exactFloats(a.Num, b.Num))
}

// mayRound is the question whether a float with that many significant bits
// can come out on the other side of an integer than the exact expression does,
// so that Floor or Cast of it would differ. n*p/q with integers stays at least
// 1/q away from every integer that it does not hit, and the float is off by
// less than n*p/q times 2^-bits: nothing changes while n*p is below 2^bits.
// Half of the bits are left to n. Thus n*3/2, n/7 and n/2 + 1 are exact as far
// as shapes go, and n*1.1, where 1.1 stands for 9227469/8388608, is not.
func mayRound(bits int, magnitude int64) bool {
	limit := int64(1) << (bits / 2)
	return magnitude > limit || magnitude < -limit
}

func sumRounds(bits int, a, b dim.Dim) bool {
	_, p, okA := a.Rational()
	_, q, okB := b.Rational()
	return (okA && mayRound(bits, p)) || (okB && mayRound(bits, q))
}

func productRounds(bits int, a, b dim.Dim) bool {
	return fractionRounds(bits, a) || fractionRounds(bits, b)
}

func fractionRounds(bits int, factor dim.Dim) bool {
	num, den, ok := factor.Rational()
	return ok && den > 1 && mayRound(bits, num)
}

func quotientRounds(bits int, a, b dim.Dim) bool {
	if fractionRounds(bits, a) {
		return true
	}
	_, den, ok := b.Rational()
	return ok && mayRound(bits, den)
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
