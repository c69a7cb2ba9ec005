package dim

import "math"

// maxFloatDenominator bounds the dyadic rationals taken from floating point: scales such as 0.5 or 1.25 are exact, 0.1
// is not a short fraction.
const maxFloatDenominator = 1 << 30

// FromFloat returns the exact value of f. It reports false for NaN, infinities, and values whose numerator does not
// fit int64 or whose denominator is beyond 2^30.
func FromFloat(f float64) (Dim, bool) {
	scaled := f * maxFloatDenominator
	for den := int64(1); den <= maxFloatDenominator; den *= 2 {
		n := f * float64(den)
		if n == math.Trunc(n) {
			if n < -1<<63 || n >= 1<<63 || math.IsInf(scaled, 0) {
				return Dim{}, false
			}
			return Rat(int64(n), den), true
		}
	}
	return Dim{}, false
}
