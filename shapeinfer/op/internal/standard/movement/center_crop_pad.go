package movement

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds CenterCropPad.
//
// CenterCropPad: https://onnx.ai/onnx/operators/onnx__CenterCropPad.html
// 18: the axes, all where none are named, get the sizes in input 1.
var centerCropPadOps = []op.Op{
	{Name: "CenterCropPad", Versions: []int{18}, Infer: centerCropPad, Effect: op.Moves},
}

func centerCropPad(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	sizes, n, err := c.Sizes(1, "shape")
	if err != nil {
		return err
	}
	list := c.IntList("axes")
	if !x.Ranked() {
		if list == nil && n >= 0 {
			c.Set(0, c.DType(0), tensor.MakeShape(sizes...))
		}
		c.Unknown(0, "the rank of the input is unknown")
		return nil
	}
	out := x.Clone()
	axes, err := c.Axes(list, x.Rank())
	if err != nil {
		return err
	}
	count := len(axes)
	if list == nil {
		count = x.Rank()
	}
	if n >= 0 && n != count {
		return c.Errorf(op.CodeShape, "shape has %d numbers, there are %d axes", n, count)
	}
	for i := range count {
		axis := i
		if list != nil {
			axis = axes[i]
		}
		out[axis] = dim.Unknown()
		if n >= 0 {
			out[axis] = sizes[i]
		}
	}
	if n < 0 || !op.AllKnown(sizes) {
		c.Unknown(0, "the values of shape are unknown")
	}
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}
