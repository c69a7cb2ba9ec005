package op

import (
	"math"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
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
var comparisonOps = []Op{
	{Name: "Equal", Versions: []int{1, 7, 11, 13, 19}, Infer: comparison(equalScalars, equalIndicator)},
	{Name: "Less", Versions: []int{1, 7, 9, 13}, Infer: comparison(lessScalars, lessIndicator)},
	{Name: "LessOrEqual", Versions: []int{12, 16}, Infer: comparison(lessOrEqualScalars, lessOrEqualIndicator)},
	{Name: "Greater", Versions: []int{1, 7, 9, 13}, Infer: comparison(greaterScalars, swapped(lessIndicator))},
	{Name: "GreaterOrEqual", Versions: []int{12, 16}, Infer: comparison(greaterOrEqualScalars, swapped(lessOrEqualIndicator))},

	{Name: "And", Versions: []int{1, 7}, Infer: logical(andScalars)},
	{Name: "Or", Versions: []int{1, 7}, Infer: logical(orScalars)},
	{Name: "Xor", Versions: []int{1, 7}, Infer: logical(xorScalars)},
	{Name: "Not", Versions: []int{1}, Infer: not},

	{Name: "IsNaN", Versions: []int{9, 13, 20}, Infer: isNaN},
	{Name: "IsInf", Versions: []int{10, 20}, Infer: isInf},
}

// A relation says whether it holds between two elements, and whether that is
// known.
type relation func(a, b tensor.Scalar) (answer, known bool)

func greaterScalars(a, b tensor.Scalar) (answer, known bool) { return lessScalars(b, a) }

func greaterOrEqualScalars(a, b tensor.Scalar) (answer, known bool) {
	return lessOrEqualScalars(b, a)
}

func comparison(holds relation, indicator func(a, b dim.Dim) dim.Dim) func(*Call) error {
	return func(c *Call) error {
		return c.relate(func(a, b tensor.Scalar, single bool) tensor.Scalar {
			answer := truth(holds(a, b))
			if !answer.IsKnown() && single && comparesIntegers(a, b) {
				return tensor.Number(indicator(a.Num, b.Num))
			}
			return answer
		})
	}
}

func logical(f func(a, b tensor.Scalar) tensor.Scalar) func(*Call) error {
	return func(c *Call) error {
		return c.relate(func(a, b tensor.Scalar, _ bool) tensor.Scalar { return f(a, b) })
	}
}

// relate sets output 0 to BOOL elements computed from inputs 0 and 1. f is
// told whether there is one element only: conditions that are worth an
// expression, as masks are not.
func (c *Call) relate(f func(a, b tensor.Scalar, single bool) tensor.Scalar) error {
	c.Set(0, onnxgraph.Bool, tensor.Shape{})
	s, err := c.legacyShape(7)
	if err != nil {
		return err
	}
	n, ok := s.Elements().Int()
	single := ok && n == 1
	c.setElementsLegacy(onnxgraph.Bool, s, func(xs []tensor.Scalar) tensor.Scalar { return f(xs[0], xs[1], single) })
	return nil
}

// andScalars is false as soon as one side is.
func andScalars(a, b tensor.Scalar) tensor.Scalar {
	x, okA := truthOf(a)
	y, okB := truthOf(b)
	if (okA && !x) || (okB && !y) {
		return tensor.Bool(false)
	}
	if isIndicator(a) && isIndicator(b) {
		return tensor.Number(dim.Mul(a.Num, b.Num))
	}
	return truth(true, okA && okB)
}

// orScalars is true as soon as one side is.
func orScalars(a, b tensor.Scalar) tensor.Scalar {
	x, okA := truthOf(a)
	y, okB := truthOf(b)
	if (okA && x) || (okB && y) {
		return tensor.Bool(true)
	}
	if isIndicator(a) && isIndicator(b) {
		return tensor.Number(dim.Max(a.Num, b.Num))
	}
	return truth(false, okA && okB)
}

func xorScalars(a, b tensor.Scalar) tensor.Scalar {
	x, okA := truthOf(a)
	y, okB := truthOf(b)
	return truth(x != y, okA && okB)
}

func not(c *Call) error {
	c.mapElements(onnxgraph.Bool, func(x tensor.Scalar) tensor.Scalar {
		if x.Num.IsSymbolic() {
			return tensor.Number(dim.Sub(dim.Int(1), x.Num))
		}
		answer, known := truthOf(x)
		return truth(!answer, known)
	})
	return nil
}

func isNaN(c *Call) error {
	c.mapElements(onnxgraph.Bool, func(x tensor.Scalar) tensor.Scalar {
		return tensor.Bool(x.IsFloat && math.IsNaN(x.Float))
	})
	return nil
}

func isInf(c *Call) error {
	positive, negative := c.Flag("detect_positive", true), c.Flag("detect_negative", true)
	c.mapElements(onnxgraph.Bool, func(x tensor.Scalar) tensor.Scalar {
		return tensor.Bool(x.IsFloat && (positive && math.IsInf(x.Float, 1) || negative && math.IsInf(x.Float, -1)))
	})
	return nil
}
