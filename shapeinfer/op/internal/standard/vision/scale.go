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
// A stored scale is a float32, and 0.7 is stored as 0.69999999: taken exactly,
// 10*scale would round down to 6, though the file's author and every runtime,
// whose product rounds in float32, have 7. The scale is therefore read as the
// simplest fraction that rounds to it, which gives both, writes formulas as
// people do, and is exact where a product in float32 no longer is: 2^24 + 1
// times 1 stays what it is.
func scaleDim(in dim.Dim, scale tensor.Scalar) dim.Dim {
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
