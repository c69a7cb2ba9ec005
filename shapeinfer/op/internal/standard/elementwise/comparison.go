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

// This file holds the operators whose result is BOOL.
//
// Equal, Greater, Less: https://onnx.ai/onnx/operators/onnx__Equal.html
// 1: equal shapes, or broadcast and axis; 7: numpy's broadcasting; 9 (Greater,
// Less), 11 (Equal): all numbers; 13: bfloat16; Equal 19: strings.
//
// GreaterOrEqual, LessOrEqual (12); 16: bfloat16.
//
// And, Or, Xor: https://onnx.ai/onnx/operators/onnx__And.html
// 1: equal shapes, or broadcast and axis; 7: numpy's broadcasting.
//
// Not (1).
//
// IsNaN: 9; 13, 20: more float types. IsInf: 10; 20: more float types.
var comparisonOps = []op.Op{
	{Name: "Equal", Versions: []int{1, 7, 11, 13, 19}, Infer: comparison(scalar.EqualScalars, scalar.EqualIndicator), Elementwise: true},
	{Name: "Less", Versions: []int{1, 7, 9, 13}, Infer: comparison(scalar.LessScalars, scalar.LessIndicator), Elementwise: true},
	{Name: "LessOrEqual", Versions: []int{12, 16}, Infer: comparison(scalar.LessOrEqualScalars, scalar.LessOrEqualIndicator), Elementwise: true},
	{Name: "Greater", Versions: []int{1, 7, 9, 13}, Infer: comparison(GreaterScalars, scalar.Swapped(scalar.LessIndicator)), Elementwise: true},
	{Name: "GreaterOrEqual", Versions: []int{12, 16},
		Infer: comparison(greaterOrEqualScalars, scalar.Swapped(scalar.LessOrEqualIndicator)), Elementwise: true},

	{Name: "And", Versions: []int{1, 7}, Infer: logical(AndScalars), Elementwise: true},
	{Name: "Or", Versions: []int{1, 7}, Infer: logical(OrScalars), Elementwise: true},
	{Name: "Xor", Versions: []int{1, 7}, Infer: logical(xorScalars), Elementwise: true},
	{Name: "Not", Versions: []int{1}, Infer: not, Elementwise: true},

	{Name: "IsNaN", Versions: []int{9, 13, 20}, Infer: isNaN, Elementwise: true},
	{Name: "IsInf", Versions: []int{10, 20}, Infer: isInf, Elementwise: true},
}

// A Relation says whether it holds between two elements, and whether that is
// known.
type Relation func(a, b tensor.Scalar) (answer, known bool)

func GreaterScalars(a, b tensor.Scalar) (answer, known bool) { return scalar.LessScalars(b, a) }

func greaterOrEqualScalars(a, b tensor.Scalar) (answer, known bool) {
	return scalar.LessOrEqualScalars(b, a)
}

func comparison(holds Relation, indicator func(a, b dim.Dim) dim.Dim) func(*op.Call) error {
	return func(c *op.Call) error {
		return relate(c, func(a, b tensor.Scalar, single bool) tensor.Scalar {
			answer := scalar.Truth(holds(a, b))
			if !answer.IsKnown() && single && scalar.ComparesIntegers(a, b) {
				return tensor.Number(indicator(a.Num, b.Num))
			}
			return answer
		})
	}
}

func logical(f func(a, b tensor.Scalar) tensor.Scalar) func(*op.Call) error {
	return func(c *op.Call) error {
		return relate(c, func(a, b tensor.Scalar, _ bool) tensor.Scalar { return f(a, b) })
	}
}

// relate sets output 0 to BOOL elements computed from inputs 0 and 1. f is
// told whether there is one element only: conditions that are worth an
// expression, as masks are not.
func relate(c *op.Call, f func(a, b tensor.Scalar, single bool) tensor.Scalar) error {
	c.Set(0, onnxgraph.Bool, tensor.Shape{})
	s, err := legacyShape(c, 7)
	if err != nil {
		return err
	}
	n, ok := s.Elements().Int()
	single := ok && n == 1
	setElementsLegacy(c, onnxgraph.Bool, s, func(xs []tensor.Scalar) tensor.Scalar { return f(xs[0], xs[1], single) })
	return nil
}

// AndScalars is false as soon as one side is.
func AndScalars(a, b tensor.Scalar) tensor.Scalar {
	x, okA := scalar.TruthOf(a)
	y, okB := scalar.TruthOf(b)
	if (okA && !x) || (okB && !y) {
		return tensor.Bool(false)
	}
	if scalar.IsIndicator(a) && scalar.IsIndicator(b) {
		return tensor.Number(dim.Mul(a.Num, b.Num))
	}
	return scalar.Truth(true, okA && okB)
}

// OrScalars is true as soon as one side is.
func OrScalars(a, b tensor.Scalar) tensor.Scalar {
	x, okA := scalar.TruthOf(a)
	y, okB := scalar.TruthOf(b)
	if (okA && x) || (okB && y) {
		return tensor.Bool(true)
	}
	if scalar.IsIndicator(a) && scalar.IsIndicator(b) {
		return tensor.Number(dim.Max(a.Num, b.Num))
	}
	return scalar.Truth(false, okA && okB)
}

func xorScalars(a, b tensor.Scalar) tensor.Scalar {
	x, okA := scalar.TruthOf(a)
	y, okB := scalar.TruthOf(b)
	return scalar.Truth(x != y, okA && okB)
}

func not(c *op.Call) error {
	elements.MapElements(c, onnxgraph.Bool, func(x tensor.Scalar) tensor.Scalar {
		if x.Num.IsSymbolic() {
			return tensor.Number(dim.Sub(dim.Int(1), x.Num))
		}
		answer, known := scalar.TruthOf(x)
		return scalar.Truth(!answer, known)
	})
	return nil
}

func isNaN(c *op.Call) error {
	elements.MapElements(c, onnxgraph.Bool, func(x tensor.Scalar) tensor.Scalar {
		return tensor.Bool(x.IsFloat && math.IsNaN(x.Float))
	})
	return nil
}

func isInf(c *op.Call) error {
	positive, negative := c.Flag("detect_positive", true), c.Flag("detect_negative", true)
	elements.MapElements(c, onnxgraph.Bool, func(x tensor.Scalar) tensor.Scalar {
		return tensor.Bool(x.IsFloat && (positive && math.IsInf(x.Float, 1) || negative && math.IsInf(x.Float, -1)))
	})
	return nil
}
