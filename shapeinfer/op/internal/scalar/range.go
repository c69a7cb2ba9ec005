package scalar

import (
	"math"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file brings the exact result of an operation on one element into what
// the element type can hold.

// Integer is the element n of an integer type after two's complement
// arithmetic in 64 bits. Values of UINT64 that do not fit 63 bits are unknown.
func Integer(d onnxgraph.DType, n int64) tensor.Scalar {
	switch d {
	case onnxgraph.Int64:
	case onnxgraph.Int32:
		n = int64(int32(n))
	case onnxgraph.Int16:
		n = int64(int16(n))
	case onnxgraph.Int8:
		n = int64(int8(n))
	case onnxgraph.Int4:
		n = n << 60 >> 60
	case onnxgraph.Int2:
		n = n << 62 >> 62
	case onnxgraph.Uint32:
		n = int64(uint32(n))
	case onnxgraph.Uint16:
		n = int64(uint16(n))
	case onnxgraph.Uint8:
		n = int64(uint8(n))
	case onnxgraph.Uint4:
		n &= 15
	case onnxgraph.Uint2:
		n &= 3
	case onnxgraph.Uint64:
		if n < 0 {
			return tensor.Scalar{}
		}
	default:
		return tensor.Scalar{}
	}
	return tensor.Int(n)
}

// Expression is the element x of an integer type. Types of 32 and 64 bits are
// taken to hold every expression over dims, the unsigned ones those that are
// provably not negative; narrower types must provably hold it.
func Expression(d onnxgraph.DType, x dim.Dim) tensor.Scalar {
	if n, ok := x.Int(); ok {
		return Integer(d, n)
	}
	if !x.IsKnown() || !d.IsInteger() {
		return tensor.Scalar{}
	}
	low, high := IntegerRange(d)
	if d.Bits() < 32 {
		if top, ok := x.Upper(); !ok || top > high {
			return tensor.Scalar{}
		}
	}
	if d.Bits() < 32 || low == 0 {
		if least, ok := x.Lower(); !ok || least < low {
			return tensor.Scalar{}
		}
	}
	return tensor.Number(x)
}

// IntegerRange is the least and the greatest value of an integer type, as far
// as 64 signed bits go.
func IntegerRange(d onnxgraph.DType) (low, high int64) {
	bits := d.Bits()
	switch d {
	case onnxgraph.Uint64:
		return 0, math.MaxInt64
	case onnxgraph.Uint2, onnxgraph.Uint4, onnxgraph.Uint8, onnxgraph.Uint16, onnxgraph.Uint32:
		return 0, 1<<bits - 1
	case onnxgraph.Bool:
		return 0, 1
	}
	return -1 << (bits - 1), 1<<(bits-1) - 1
}

// Floating is the element f of a floating point type, rounded as IEEE 754 does
// to nearest, halves to even. Types of 8 bits and fewer are unknown: how they
// saturate is up to the operator.
func Floating(d onnxgraph.DType, f float64) tensor.Scalar {
	switch d {
	case onnxgraph.Double:
	case onnxgraph.Float:
		f = float64(float32(f))
	case onnxgraph.Float16:
		f = roundFloat(f, 11, -14, 65504)
	case onnxgraph.Bfloat16:
		f = roundFloat(f, 8, -126, 0x1.fep127)
	default:
		return tensor.Scalar{}
	}
	return tensor.Float(f)
}

// Precision is the number of significant bits of a floating point type; 0 for
// types that are not computed with.
func Precision(d onnxgraph.DType) int {
	switch d {
	case onnxgraph.Double:
		return 53
	case onnxgraph.Float:
		return 24
	case onnxgraph.Float16:
		return 11
	case onnxgraph.Bfloat16:
		return 8
	}
	return 0
}

// roundFloat rounds to a binary format of that many significant bits, least
// normal exponent and greatest finite value.
func roundFloat(f float64, bits, least int, greatest float64) float64 {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return f
	}
	_, exponent := math.Frexp(f) // f is in [2^(exponent-1), 2^exponent)
	unit := max(exponent-1, least) - (bits - 1)
	f = math.Ldexp(math.RoundToEven(math.Ldexp(f, -unit)), unit)
	if math.Abs(f) > greatest {
		return math.Inf(int(math.Copysign(1, f)))
	}
	return f
}
