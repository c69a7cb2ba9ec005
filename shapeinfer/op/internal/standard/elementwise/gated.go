package elementwise

import (
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the activations of two tensors.
//
// PRelu: https://onnx.ai/onnx/operators/onnx__PRelu.html
// 1, 6: the slope has one element, or one per channel; 7: it is broadcast to
// the input; 9: integers; 16: bfloat16.
//
// SwiGLU: https://onnx.ai/onnx/operators/onnx__SwiGLU.html
// 28: two equal shapes, without broadcasting.
var gatedOps = []op.Op{
	{Name: "PRelu", Versions: []int{1, 6}, Infer: op.LikeFirst, Elementwise: true, Roles: op.ParametersAt(1)},
	{Name: "PRelu", Versions: []int{7, 9, 16}, Infer: pRelu, Elementwise: true, Roles: op.ParametersAt(1)},
	{Name: "SwiGLU", Versions: []int{28}, Infer: swiGLU},
}

func pRelu(c *op.Call) error {
	x, slope := c.Shape(0), c.Shape(1)
	if x.Ranked() && slope.Ranked() {
		if slope.Rank() > x.Rank() {
			return c.Errorf(op.CodeRank, "the slope %s does not broadcast to the input %s", slope, x)
		}
		for i, d := range slope.Dims() {
			if n, ok := d.Int(); ok && n == 1 {
				continue
			}
			if _, ok := op.MergeDims(x.At(x.Rank()-slope.Rank()+i), d); !ok {
				return c.Errorf(op.CodeShape, "the slope %s does not broadcast to the input %s", slope, x)
			}
		}
	}
	return op.LikeFirst(c)
}

func swiGLU(c *op.Call) error {
	d := c.FirstDType()
	c.Set(0, d, tensor.Shape{})
	s, err := c.MergeShapes(c.Shape(0), c.Shape(1))
	c.Set(0, d, s)
	return err
}
