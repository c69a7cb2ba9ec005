package elementwise

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/op/internal/scalar"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the element-wise functions of any number of tensors, at
// least one.
//
// Sum, Mean, Max, Min: https://onnx.ai/onnx/operators/onnx__Sum.html
// 1: equal shapes; 6: without consumed_inputs; 8: numpy's broadcasting; 12 (Max,
// Min): integers; 13: bfloat16.
var variadicOps = []op.Op{
	{Name: "Sum", Versions: []int{1, 6, 8, 13}, Infer: variadic(&scalar.Addition, keepScalar), Elementwise: true, Roles: op.Roles{op.Operand}},
	{Name: "Mean", Versions: []int{1, 6, 8, 13}, Infer: variadic(&scalar.Addition, divideScalar), Elementwise: true, Roles: op.Roles{op.Operand}},
	{Name: "Max", Versions: []int{1, 6, 8, 12, 13}, Infer: variadic(&scalar.Maximum, keepScalar), Elementwise: true, Roles: op.Roles{op.Operand}},
	{Name: "Min", Versions: []int{1, 6, 8, 12, 13}, Infer: variadic(&scalar.Minimum, keepScalar), Elementwise: true, Roles: op.Roles{op.Operand}},
}

// variadic makes the rule of an operator that folds its inputs with an
// operation, and then does something with the result and their number.
func variadic(calc *scalar.Arithmetic, finish func(d onnxgraph.DType, x tensor.Scalar, inputs int) tensor.Scalar) func(*op.Call) error {
	return func(c *op.Call) error {
		d := c.FirstDType()
		c.Set(0, d, tensor.Shape{})
		s, err := variadicShape(c)
		if err != nil {
			return err
		}
		elements.SetElements(c, d, s, len(c.Inputs), func(xs []tensor.Scalar) tensor.Scalar {
			x := xs[0]
			for _, y := range xs[1:] {
				x = calc.Apply(d, x, y)
			}
			return finish(d, x, len(xs))
		})
		return nil
	}
}

func variadicShape(c *op.Call) (tensor.Shape, error) {
	var few [4]tensor.Shape
	shapes := few[:0]
	for i := range c.Inputs {
		shapes = append(shapes, c.Shape(i))
	}
	if c.Since < 8 {
		return c.MergeShapes(shapes...)
	}
	return c.Broadcast(shapes...)
}

func keepScalar(_ onnxgraph.DType, x tensor.Scalar, _ int) tensor.Scalar { return x }

func divideScalar(d onnxgraph.DType, x tensor.Scalar, inputs int) tensor.Scalar {
	return scalar.Division.Apply(d, x, tensor.Number(dim.Int(int64(inputs))))
}
