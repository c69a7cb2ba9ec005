package scalar

import (
	"math"
	"strconv"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file converts one element from one element type to another.

// CastScalar converts one element between element types by the rules of Cast
// (https://onnx.ai/onnx/operators/onnx__Cast.html): from floats to integers
// towards zero and undefined when out of range, between integers by dropping
// high bits, to BOOL whether it is not zero.
func CastScalar(from, to onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
	switch {
	case !x.IsKnown():
		return x
	case x.IsText:
		return castText(to, x.Text)
	case to == onnxgraph.String:
		return castToText(from, x)
	case to == onnxgraph.Bool && from == onnxgraph.Bool:
		return x
	case to == onnxgraph.Bool:
		return castToBool(x)
	case to.IsInteger():
		return castToInteger(to, x)
	case to.IsFloat():
		return castToFloat(to, x)
	}
	return tensor.Scalar{}
}

func castToBool(x tensor.Scalar) tensor.Scalar {
	equal, known := EqualScalars(x, tensor.Int(0))
	return Truth(!equal, known)
}

func castToInteger(to onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
	if n, ok := x.Int64(); ok {
		return Integer(to, n)
	}
	if f, ok := x.Float64(); ok {
		low, high := IntegerRange(to)
		f = math.Trunc(f)
		// The greatest 64-bit integer rounds up to 2^63, which is out of range.
		if !(f >= float64(low) && f <= float64(high)) || f == 1<<63 {
			return tensor.Scalar{}
		}
		return Integer(to, int64(f))
	}
	return Expression(to, dim.Trunc(x.Num))
}

func castToFloat(to onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
	if n, ok := x.Int64(); ok && to == onnxgraph.Float {
		// Through float64 it would round twice.
		return tensor.Float(float64(float32(n)))
	}
	if f, ok := x.Float64(); ok {
		return Floating(to, f)
	}
	bits := Precision(to)
	if bits == 0 {
		return tensor.Scalar{}
	}
	// A size beyond 2^24 is no size; beyond 2^11, where FLOAT16 starts to round,
	// it may be.
	if top, ok := x.Num.Upper(); bits < 24 && (!ok || top > 1<<bits) {
		return tensor.Scalar{}
	}
	return x
}

func castToText(from onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
	n, ok := x.Int64()
	if !ok || !from.IsInteger() {
		return tensor.Scalar{} // how floats print is the runtime's choice
	}
	return tensor.Text(strconv.FormatInt(n, 10))
}

func castText(to onnxgraph.DType, text string) tensor.Scalar {
	switch {
	case to == onnxgraph.String:
		return tensor.Text(text)
	case to.IsInteger():
		if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil {
			if low, high := IntegerRange(to); n >= low && n <= high {
				return tensor.Int(n)
			}
		}
	case to.IsFloat():
		if f, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			return Floating(to, f)
		}
	}
	return tensor.Scalar{}
}
