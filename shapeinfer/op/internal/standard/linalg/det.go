package linalg

import (
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the determinant.
//
// Det: https://onnx.ai/onnx/operators/onnx__Det.html
// 22: bfloat16. The last two axes are square matrices and vanish.
var detOps = []op.Op{
	{Name: "Det", Versions: []int{11, 22}, Infer: det},
}

func det(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if !x.Ranked() {
		return nil
	}
	if x.Rank() < 2 {
		return c.Errorf(op.CodeRank, "input %s has no matrix: its rank is below 2", x)
	}
	if err := c.SameSize("sides of a square matrix", x.At(-2), x.At(-1)); err != nil {
		return err
	}
	c.Set(0, c.DType(0), tensor.MakeShape(x.Dims()[:x.Rank()-2]...))
	return nil
}
