package onnxgraph

import "math"

// A floatFormat is a binary floating point format of a sign bit, exponent bits
// and mantissa bits, 16 bits or less.
type floatFormat struct {
	exponent, mantissa int // bits
	bias               int
	special            specials
}

// specials says which codes of a format are infinities and NaNs.
type specials uint8

const (
	noSpecials   specials = iota // every code is a number
	ieeeSpecials                 // all exponent bits set: infinity if the mantissa is zero, else NaN
	fnSpecials                   // all exponent and mantissa bits set: NaN; no infinity
	fnuzSpecials                 // the code of negative zero: NaN; no infinity
)

// floatFormats are the small formats of ONNX
// (https://onnx.ai/onnx/technical/float8.html, float4.html; the 6-bit formats
// are those of the OCP Microscaling Formats specification, section 5.3).
var floatFormats = map[DType]floatFormat{
	Float16:        {5, 10, 15, ieeeSpecials},
	Float8E4M3FN:   {4, 3, 7, fnSpecials},
	Float8E4M3FNUZ: {4, 3, 8, fnuzSpecials},
	Float8E5M2:     {5, 2, 15, ieeeSpecials},
	Float8E5M2FNUZ: {5, 2, 16, fnuzSpecials},
	Float6E2M3:     {2, 3, 1, noSpecials},
	Float6E3M2:     {3, 2, 3, noSpecials},
	Float4E2M1:     {2, 1, 1, noSpecials},
}

// FloatValue is the value of an element of the real floating point type d with
// the given bits; NaN for other types. Every value is exact.
func FloatValue(d DType, bits uint64) float64 {
	switch d {
	case Double:
		return math.Float64frombits(bits)
	case Float:
		return float64(math.Float32frombits(uint32(bits)))
	case Bfloat16: // the upper half of a float32
		return float64(math.Float32frombits(uint32(bits) << 16))
	case Float8E8M0: // an exponent alone, without sign
		if bits&0xff == 0xff {
			return math.NaN()
		}
		return math.Ldexp(1, int(bits&0xff)-127)
	}
	f, ok := floatFormats[d]
	if !ok {
		return math.NaN()
	}
	return f.value(int(bits))
}

// value is the number with the given code.
func (f floatFormat) value(code int) float64 {
	mantissa := code & (1<<f.mantissa - 1)
	top := 1<<f.exponent - 1
	exponent := code >> f.mantissa & top
	sign := 1.0
	if code>>(f.mantissa+f.exponent)&1 != 0 {
		sign = -1
	}
	switch {
	case f.special == ieeeSpecials && exponent == top && mantissa == 0:
		return sign * math.Inf(1)
	case f.special == ieeeSpecials && exponent == top,
		f.special == fnSpecials && exponent == top && mantissa == 1<<f.mantissa-1,
		f.special == fnuzSpecials && sign < 0 && exponent == 0 && mantissa == 0:
		return math.NaN()
	}
	if exponent == 0 { // subnormal: no hidden bit, the least exponent
		exponent = 1
	} else {
		mantissa |= 1 << f.mantissa
	}
	return math.Copysign(math.Ldexp(float64(mantissa), exponent-f.bias-f.mantissa), sign)
}
