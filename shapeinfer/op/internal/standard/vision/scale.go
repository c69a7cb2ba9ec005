package vision

import (
	"math"
	"math/bits"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file finds the size of an axis that is resized by a scale.

// maxFractionDen is the largest denominator of a fraction that a scale is
// taken for.
const maxFractionDen = 1000

// scaleDim is floor(in*scale), the size of an axis after resizing.
//
// Runtimes multiply in float32: 10 times the float32 next to 0.7, which is
// 0.69999999, rounds to 7, and 37 times that next to 3/37 to 2.9999998. So do
// two numbers here. A size above 2^24 is none in float32, where the operator's
// exact product counts. For a size that is an expression the scale is read as
// the simplest fraction that rounds to it, which writes formulas as people do
// and is right but for a size at which the float32 product falls just short of
// an integer.
func scaleDim(in dim.Dim, scale tensor.Scalar) dim.Dim {
	n, isInt := in.Int()
	f, isFloat := scale.Float64()
	if isInt && isFloat && n <= 1<<24 {
		if size := float64(float32(n) * float32(f)); size < 1<<62 {
			return dim.Int(int64(math.Floor(size)))
		}
	}
	return dim.Floor(dim.Mul(in, scaleFraction(scale)))
}

// scaleFraction is the scale as an exact number: unknown where it is unknown,
// or no number.
func scaleFraction(scale tensor.Scalar) dim.Dim {
	num, den, exact := scale.Num.Rational()
	if scale.Num.IsKnown() && (!exact || den <= maxFractionDen || bits.OnesCount64(uint64(den)) != 1) {
		return scale.Num
	}
	f := scale.Float
	if exact {
		f = float64(num) / float64(den)
	} else if !scale.IsFloat {
		return dim.Unknown()
	}
	if num, den, ok := simplestFraction(float32(f)); ok {
		return dim.Rat(num, den)
	}
	if exact {
		return scale.Num
	}
	d, _ := dim.FromFloat(f)
	return d
}

// simplestFraction is the fraction with the least denominator, at most
// maxFractionDen, that rounds to f. It is a convergent of the continued
// fraction of f, as every fraction p/q nearer than 1/(2*q^2) is (Legendre;
// https://en.wikipedia.org/wiki/Continued_fraction).
func simplestFraction(f float32) (num, den int64, ok bool) {
	if !(f > 0) || f > math.MaxInt32 {
		return 0, 0, false
	}
	// p/q is the convergent, p0/q0 the one before.
	p0, q0, p, q := int64(0), int64(1), int64(1), int64(0)
	for x := float64(f); ; x = 1 / (x - math.Floor(x)) {
		whole := int64(math.Floor(x))
		if whole > math.MaxInt32 {
			return 0, 0, false
		}
		p0, q0, p, q = p, q, whole*p+p0, whole*q+q0
		if q > maxFractionDen {
			return 0, 0, false
		}
		if float32(float64(p)/float64(q)) == f {
			return p, q, true
		}
		if x == math.Floor(x) {
			return 0, 0, false
		}
	}
}
