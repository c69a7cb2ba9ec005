package elementwise

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/op/internal/scalar"
	"onnxmem/shapeinfer/tensor"
)

// Where: https://onnx.ai/onnx/operators/onnx__Where.html
// 9: numpy's broadcasting of all three; 16: bfloat16.
var whereOps = []op.Op{
	{Name: "Where", Versions: []int{9, 16}, Infer: where, Elementwise: true, Roles: op.Roles{op.Data, op.Operand}},
}

func where(c *op.Call) error {
	d := c.DType(1)
	if d == onnxgraph.Undefined {
		d = c.DType(2)
	}
	c.Set(0, d, tensor.Shape{})
	s, err := c.Broadcast(c.Shape(0), c.Shape(1), c.Shape(2))
	if err != nil {
		return err
	}
	elements.SetElements(c, d, s, 2, func(xs []tensor.Scalar) tensor.Scalar { return chooseScalar(xs[0], xs[1], xs[2]) })
	return nil
}

// chooseScalar is x or y by the condition; where that is not known, what both
// have in common.
func chooseScalar(condition, x, y tensor.Scalar) tensor.Scalar {
	if answer, known := scalar.TruthOf(condition); known {
		if answer {
			return x
		}
		return y
	}
	if equal, known := scalar.EqualScalars(x, y); known && equal {
		return x
	}
	if condition.Num.IsSymbolic() && scalar.ComparesIntegers(x, y) {
		return tensor.Number(scalar.Choose(condition.Num, x.Num, y.Num))
	}
	return tensor.Scalar{}
}
