package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/tensor"
)

// Where: https://onnx.ai/onnx/operators/onnx__Where.html
// 9: numpy's broadcasting of all three; 16: bfloat16.
var whereOps = []Op{
	{Name: "Where", Versions: []int{9, 16}, Infer: where},
}

func where(c *Call) error {
	d := c.DType(1)
	if d == onnxgraph.Undefined {
		d = c.DType(2)
	}
	c.Set(0, d, tensor.Shape{})
	s, err := c.Broadcast(c.Shape(0), c.Shape(1), c.Shape(2))
	if err != nil {
		return err
	}
	c.setElements(d, s, 2, func(xs []tensor.Scalar) tensor.Scalar { return chooseScalar(xs[0], xs[1], xs[2]) })
	return nil
}

// chooseScalar is x or y by the condition; where that is not known, what both
// have in common.
func chooseScalar(condition, x, y tensor.Scalar) tensor.Scalar {
	if answer, known := truthOf(condition); known {
		if answer {
			return x
		}
		return y
	}
	if equal, known := equalScalars(x, y); known && equal {
		return x
	}
	if condition.Num.IsSymbolic() && comparesIntegers(x, y) {
		return tensor.Number(choose(condition.Num, x.Num, y.Num))
	}
	return tensor.Scalar{}
}
