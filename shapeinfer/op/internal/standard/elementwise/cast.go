package elementwise

import (
	"math"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/op/internal/scalar"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the changes of element type.
//
// Cast: https://onnx.ai/onnx/operators/onnx__Cast.html
// 1: to is the name of a type; 6: its number; 9: strings; 13: bfloat16; 19: 8-bit
// floats and saturate; 21, 23, 24, 25, 28: narrower types, round_mode.
//
// CastLike: https://onnx.ai/onnx/operators/onnx__CastLike.html
// 15: the type is that of the second input; 19, 21, 23, 24, 25 as for Cast.
//
// BitCast: https://onnx.ai/onnx/operators/onnx__BitCast.html
// 26: the same bits in a type of the same width.
var castOps = []op.Op{
	{Name: "Cast", Versions: []int{1}, Infer: castToName, Elementwise: true, Effect: op.Keeps, Roles: op.ThroughFirst},
	{Name: "Cast", Versions: []int{6, 9, 13, 19, 21, 23, 24, 25, 28}, Infer: castToNumber, Elementwise: true, Effect: op.Keeps, Roles: op.ThroughFirst},
	{Name: "CastLike", Versions: []int{15, 19, 21, 23, 24, 25}, Infer: castLike, Elementwise: true, Effect: op.Keeps, Roles: op.ThroughFirst},
	{Name: "BitCast", Versions: []int{26}, Infer: bitCast, Effect: op.Moves},
}

func castToName(c *op.Call) error {
	to, ok := onnxgraph.ParseDType(strings.ToUpper(c.Str("to", "")))
	if !ok {
		return c.Errorf(op.CodeAttribute, "attribute to is %q, which is not an element type", c.Str("to", ""))
	}
	return castTo(c, to)
}

func castToNumber(c *op.Call) error {
	to, err := c.ElementType("to", onnxgraph.Undefined)
	if err != nil {
		return err
	}
	return castTo(c, to) // a missing to is an error that the schema tells
}

func castLike(c *op.Call) error { return castTo(c, c.DType(1)) }

func castTo(c *op.Call, to onnxgraph.DType) error {
	from := c.DType(0)
	elements.MapElements(c, to, func(x tensor.Scalar) tensor.Scalar { return scalar.CastScalar(from, to, x) })
	return nil
}

func bitCast(c *op.Call) error {
	from := c.DType(0)
	to, err := c.ElementType("to", onnxgraph.Undefined)
	switch {
	case err != nil:
		return err
	case to == onnxgraph.String:
		return c.Errorf(op.CodeAttribute, "attribute to is %s, which has no fixed width", to)
	case from != onnxgraph.Undefined && from.Bits() != to.Bits():
		return c.Errorf(op.CodeType, "%s has %d bits per element and %s has %d", from, from.Bits(), to, to.Bits())
	}
	elements.MapElements(c, to, func(x tensor.Scalar) tensor.Scalar { return bitCastScalar(from, to, x) })
	return nil
}

func bitCastScalar(from, to onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
	n, ok := x.Int64()
	f, isNumber := x.Float64()
	switch {
	case from.IsInteger() && ok:
	case from == onnxgraph.Float && isNumber:
		n = int64(math.Float32bits(float32(f)))
	case from == onnxgraph.Double && isNumber:
		n = int64(math.Float64bits(f))
	default:
		return tensor.Scalar{}
	}
	switch {
	case to.IsInteger():
		return scalar.Integer(to, n)
	case to == onnxgraph.Float:
		return tensor.Float(float64(math.Float32frombits(uint32(n))))
	case to == onnxgraph.Double:
		return tensor.Float(math.Float64frombits(uint64(n)))
	}
	return tensor.Scalar{}
}
