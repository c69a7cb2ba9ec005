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

// This file holds the functions of one tensor that keep shape and element
// type: https://onnx.ai/onnx/operators/onnx__Abs.html and its like.
//
// All of version 1 have the attribute consumed_inputs, which 6 drops. 6: more
// element types (Abs, Neg: integers); 9 (Erf, Sign), 13: bfloat16; 22: bfloat16
// for those that came with 7, 9, 11, 14 and 18.
//
// Sqrt, Exp and their like may be off by one unit in the last place in one
// runtime and not in the other. Only what IEEE 754 asks to be exact, which Sqrt
// is and Exp is not, gives elements.
var unaryOps = []op.Op{
	{Name: "Abs", Versions: []int{1, 6, 13}, Infer: unary(AbsScalar), Elementwise: true, Roles: op.ThroughFirst},
	{Name: "Neg", Versions: []int{1, 6, 13}, Infer: unary(negScalar), Elementwise: true, Roles: op.ThroughFirst},
	{Name: "Ceil", Versions: []int{1, 6, 13}, Infer: unary(rounding(math.Ceil, dim.Ceil)), Elementwise: true},
	{Name: "Floor", Versions: []int{1, 6, 13}, Infer: unary(rounding(math.Floor, dim.Floor)), Elementwise: true},
	// Halves go to the even neighbour.
	{Name: "Round", Versions: []int{11, 22}, Infer: unary(rounding(math.RoundToEven, dim.Round)), Elementwise: true},
	{Name: "Sign", Versions: []int{9, 13}, Infer: unary(signScalar), Elementwise: true},
	{Name: "Reciprocal", Versions: []int{1, 6, 13}, Infer: unary(reciprocalScalar), Elementwise: true, Roles: op.ThroughFirst},
	{Name: "Sqrt", Versions: []int{1, 6, 13}, Infer: unary(sqrtScalar), Elementwise: true, Roles: op.ThroughFirst},
	{Name: "Exp", Versions: []int{1, 6, 13}, Infer: op.LikeFirst, Elementwise: true, Roles: op.ThroughFirst},
	{Name: "Log", Versions: []int{1, 6, 13}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Erf", Versions: []int{9, 13}, Infer: op.LikeFirst, Elementwise: true},

	{Name: "Sin", Versions: []int{7, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Cos", Versions: []int{7, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Tan", Versions: []int{7, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Asin", Versions: []int{7, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Acos", Versions: []int{7, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Atan", Versions: []int{7, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Sinh", Versions: []int{9, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Cosh", Versions: []int{9, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Tanh", Versions: []int{1, 6, 13}, Infer: op.LikeFirst, Elementwise: true, Roles: op.ThroughFirst},
	{Name: "Asinh", Versions: []int{9, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Acosh", Versions: []int{9, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Atanh", Versions: []int{9, 22}, Infer: op.LikeFirst, Elementwise: true},
}

// unary makes the rule of an operator that computes f element by element and
// keeps the type.
func unary(f func(d onnxgraph.DType, x tensor.Scalar) tensor.Scalar) func(*op.Call) error {
	return func(c *op.Call) error {
		d := c.DType(0)
		elements.MapElements(c, d, func(x tensor.Scalar) tensor.Scalar { return f(d, x) })
		return nil
	}
}

// rounding makes a rounding to integers; integers stay as they are.
func rounding(floats func(float64) float64, exact func(dim.Dim) dim.Dim) func(onnxgraph.DType, tensor.Scalar) tensor.Scalar {
	return func(d onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
		if !d.IsFloat() {
			return x
		}
		if f, ok := x.Float64(); ok {
			return scalar.Floating(d, floats(f))
		}
		return tensor.Number(exact(x.Num))
	}
}

func negScalar(d onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
	if f, ok := x.Float64(); ok && d.IsFloat() {
		return scalar.Floating(d, -f)
	}
	return scalar.Subtraction.Apply(d, tensor.Int(0), x)
}

func AbsScalar(d onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
	if f, ok := x.Float64(); ok && d.IsFloat() {
		return scalar.Floating(d, math.Abs(f))
	}
	return scalar.Maximum.Apply(d, x, negScalar(d, x))
}

func signScalar(d onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
	if f, ok := x.Float64(); ok {
		switch {
		case f > 0:
			return tensor.Int(1)
		case f < 0:
			return integerOrFloat(d, -1)
		case f == 0:
			return tensor.Int(0)
		}
		return tensor.Scalar{}
	}
	if sign, ok := dim.Compare(x.Num, dim.Int(0)); ok {
		return integerOrFloat(d, int64(sign))
	}
	return tensor.Scalar{}
}

func integerOrFloat(d onnxgraph.DType, n int64) tensor.Scalar {
	if d.IsFloat() {
		return scalar.Floating(d, float64(n))
	}
	return scalar.Integer(d, n)
}

func reciprocalScalar(d onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
	return scalar.Division.Apply(d, tensor.Int(1), x)
}

func sqrtScalar(d onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
	if f, ok := x.Float64(); ok {
		return scalar.Floating(d, math.Sqrt(f))
	}
	return tensor.Scalar{}
}
