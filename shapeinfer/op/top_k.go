package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// TopK: https://onnx.ai/onnx/operators/onnx__TopK.html
// 1: k is an attribute; 10: it is an input; 11: largest, sorted, a negative
// axis; 24: more element types.
var topKOps = []Op{
	{Name: "TopK", Versions: []int{1}, Infer: topK1},
	{Name: "TopK", Versions: []int{10, 11, 24}, Infer: topKInput},
}

func topK1(c *Call) error {
	if !c.HasAttr("k") {
		return c.Errorf(CodeAttribute, "the attribute k is missing")
	}
	return c.topK(dim.Int(c.Int("k", 0)))
}

func topKInput(c *Call) error {
	if n, ok := c.Shape(1).Elements().Int(); ok && n != 1 {
		return c.Errorf(CodeShape, "k has %d elements, not one", n)
	}
	if err := c.ranked(1, "k", 0, 1); err != nil { // exporters write scalars too
		return err
	}
	return c.topK(c.number(1))
}

// topK sets both outputs: the input's shape with k on the axis.
func (c *Call) topK(k dim.Dim) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	c.Set(1, onnxgraph.Int64, tensor.Shape{})
	size, isInt := k.Int()
	if isInt && size < 0 {
		return c.Errorf(CodeValue, "k is %d", size)
	}
	if !in.Ranked() {
		return nil
	}
	axis, err := c.Axis(c.Int("axis", -1), in.Rank())
	if err != nil {
		return err
	}
	if n, ok := in.At(axis).Int(); ok && isInt && size > n {
		return c.Errorf(CodeShape, "k is %d, more than the %d elements on axis %d", size, n, axis)
	}
	out := in.Clone()
	if out[axis] = k; !k.IsKnown() {
		out[axis] = c.Fresh(0, axis, 0, in.At(axis))
	}
	shape := tensor.MakeShape(out...)
	c.Set(0, c.DType(0), shape)
	c.Set(1, onnxgraph.Int64, shape)
	return nil
}
