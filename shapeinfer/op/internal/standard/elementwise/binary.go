package elementwise

import (
	"math"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/op/internal/scalar"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the arithmetic of two tensors.
//
// Add, Sub, Mul, Div: https://onnx.ai/onnx/operators/onnx__Add.html
// 1: equal shapes, or broadcast and axis; 6: integers, without consumed_inputs;
// 7: numpy's broadcasting; 13: bfloat16; 14: 8 and 16-bit integers, and in
// words that integers are divided with rounding towards zero.
//
// Pow: https://onnx.ai/onnx/operators/onnx__Pow.html
// 1: equal shapes, or broadcast and axis; 7: numpy's broadcasting; 12: integers,
// and an exponent of another type than the base, which decides the result's;
// 13, 15: bfloat16.
//
// Mod: https://onnx.ai/onnx/operators/onnx__Mod.html
// 10, 13: fmod=0 is for integers; 28: for floats too.
//
// BitShift: https://onnx.ai/onnx/operators/onnx__BitShift.html
// 11: unsigned integers; 28: signed ones, and amounts of any size.
//
// BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot:
// https://onnx.ai/onnx/operators/onnx__BitwiseAnd.html (18)
var binaryOps = []op.Op{
	{Name: "Add", Versions: []int{1, 6, 7, 13, 14}, Infer: binary(&scalar.Addition), Elementwise: true, Roles: op.Roles{op.Operand}},
	{Name: "Sub", Versions: []int{1, 6, 7, 13, 14}, Infer: binary(&scalar.Subtraction), Elementwise: true, Roles: op.Roles{op.Operand}},
	{Name: "Mul", Versions: []int{1, 6, 7, 13, 14}, Infer: binary(&scalar.Multiplication), Elementwise: true, Roles: op.Roles{op.Operand}},
	{Name: "Div", Versions: []int{1, 6, 7, 13, 14}, Infer: binary(&scalar.Division), Elementwise: true, Roles: op.Roles{op.Operand}},
	{Name: "Pow", Versions: []int{1, 7, 12, 13, 15}, Infer: pow, Elementwise: true, Roles: op.Roles{op.Operand}},
	{Name: "Mod", Versions: []int{10, 13, 28}, Infer: mod, Elementwise: true},
	{Name: "BitShift", Versions: []int{11, 28}, Infer: bitShift, Elementwise: true},
	{Name: "BitwiseAnd", Versions: []int{18}, Infer: bitwise(func(a, b int64) int64 { return a & b }), Elementwise: true},
	{Name: "BitwiseOr", Versions: []int{18}, Infer: bitwise(func(a, b int64) int64 { return a | b }), Elementwise: true},
	{Name: "BitwiseXor", Versions: []int{18}, Infer: bitwise(func(a, b int64) int64 { return a ^ b }), Elementwise: true},
	{Name: "BitwiseNot", Versions: []int{18}, Infer: unary(bitwiseNotScalar), Elementwise: true},
}

func binary(calc *scalar.Arithmetic) func(*op.Call) error {
	return func(c *op.Call) error { return compute(c, calc) }
}

// compute sets output 0 to an operation on inputs 0 and 1.
func compute(c *op.Call, calc *scalar.Arithmetic) error {
	d := c.FirstDType()
	c.Set(0, d, tensor.Shape{})
	s, err := legacyShape(c, 7)
	if err != nil {
		return err
	}
	setElementsLegacy(c, d, s, func(xs []tensor.Scalar) tensor.Scalar { return calc.Apply(d, xs[0], xs[1]) })
	return nil
}

// setElementsLegacy is setElements for operators that had limited broadcasting
// once. Where the attribute axis is given, elements are not followed.
func setElementsLegacy(c *op.Call, d onnxgraph.DType, s tensor.Shape, f func(xs []tensor.Scalar) tensor.Scalar) {
	if c.HasAttr("axis") {
		c.Set(0, d, s)
		return
	}
	elements.SetElements(c, d, s, 2, f)
}

func mod(c *op.Call) error {
	if c.Flag("fmod", false) {
		return compute(c, &scalar.TruncatedModulo)
	}
	if d := c.FirstDType(); c.Since < 28 && d.IsFloat() {
		return c.Errorf(op.CodeAttribute, "%s needs fmod=1 before version 28", d)
	}
	return compute(c, &scalar.FlooredModulo)
}

func pow(c *op.Call) error {
	d := c.DType(0)
	if d == onnxgraph.Undefined && c.Since < 12 {
		d = c.DType(1)
	}
	c.Set(0, d, tensor.Shape{})
	s, err := legacyShape(c, 7)
	if err != nil {
		return err
	}
	setElementsLegacy(c, d, s, func(xs []tensor.Scalar) tensor.Scalar { return powScalar(d, xs[0], xs[1]) })
	return nil
}

// greatestPower bounds the powers that are multiplied out.
const greatestPower = 64

func powScalar(d onnxgraph.DType, base, exponent tensor.Scalar) tensor.Scalar {
	y, ok := exponent.Float64()
	if !ok || y != math.Trunc(y) || math.Abs(y) > greatestPower {
		return tensor.Scalar{}
	}
	x, ok := base.Float64()
	switch {
	case !ok && y >= 0 && base.Num.IsKnown() && d.IsInteger():
		return scalar.Expression(d, dim.Pow(base.Num, int(y)))
	case !ok && y >= 0 && base.Num.IsKnown() && scalar.Precision(d) > 0 && scalar.Exact(scalar.Precision(d), base.Num):
		return tensor.Number(dim.Pow(base.Num, int(y)))
	case !ok:
		return tensor.Scalar{}
	}
	r := math.Pow(x, y)
	if d.IsInteger() {
		// Beyond 2^53 the runtimes' way through floats shows.
		if r != math.Trunc(r) || math.Abs(r) > 1<<53 {
			return tensor.Scalar{}
		}
		if low, high := scalar.IntegerRange(d); r < float64(low) || r > float64(high) {
			return tensor.Scalar{}
		}
		return tensor.Int(int64(r))
	}
	// A power that is no float of the type is rounded in as many ways as there
	// are libraries.
	if rounded := scalar.Floating(d, r); sameFloat(rounded, r) {
		return rounded
	}
	return tensor.Scalar{}
}

func sameFloat(x tensor.Scalar, f float64) bool {
	g, ok := x.Float64()
	return ok && g == f
}

func bitwise(f func(a, b int64) int64) func(*op.Call) error {
	calc := &scalar.Arithmetic{Ints: func(a, b int64) (int64, bool) { return f(a, b), true }}
	return func(c *op.Call) error { return compute(c, calc) }
}

func bitwiseNotScalar(d onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
	if n, ok := x.Int64(); ok {
		return scalar.Integer(d, ^n)
	}
	return scalar.Subtraction.Apply(d, tensor.Int(-1), x)
}

func bitShift(c *op.Call) error {
	switch direction := c.Str("direction", ""); direction {
	case "LEFT":
		return compute(c, shiftBy(c.DType(0).Bits(), leftShift))
	case "RIGHT":
		return compute(c, shiftBy(c.DType(0).Bits(), rightShift))
	default:
		c.Set(0, c.FirstDType(), tensor.Shape{})
		return c.Errorf(op.CodeAttribute, "direction is %q, not LEFT or RIGHT", direction)
	}
}

// shiftBy makes a shift of integers with so many bits. Amounts that are
// negative or too large shift everything out.
func shiftBy(bits int, shift func(n int64, by uint) int64) *scalar.Arithmetic {
	return &scalar.Arithmetic{Ints: func(a, b int64) (int64, bool) {
		if b < 0 || b >= int64(bits) {
			return shift(shift(a, 63), 1), true
		}
		return shift(a, uint(b)), true
	}}
}

func leftShift(n int64, by uint) int64  { return n << by }
func rightShift(n int64, by uint) int64 { return n >> by }
