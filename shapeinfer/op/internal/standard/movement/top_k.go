package movement

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// TopK: https://onnx.ai/onnx/operators/onnx__TopK.html
// 1: k is an attribute; 10: it is an input; 11: largest, sorted, a negative
// axis; 24: more element types.
var topKOps = []op.Op{
	{Name: "TopK", Versions: []int{1}, Infer: topK1, Effect: op.Reduces},
	{Name: "TopK", Versions: []int{10, 11, 24}, Infer: topKInput, Effect: op.Reduces},
}

func topK1(c *op.Call) error {
	if !c.HasAttr("k") {
		return c.Errorf(op.CodeAttribute, "the attribute k is missing")
	}
	return topK(c, dim.Int(c.Int("k", 0)))
}

func topKInput(c *op.Call) error {
	if n, ok := c.Shape(1).Elements().Int(); ok && n != 1 {
		return c.Errorf(op.CodeShape, "k has %d elements, not one", n)
	}
	if err := c.CheckRank(1, "k", 0, 1); err != nil { // exporters write scalars too
		return err
	}
	return topK(c, c.Number(1))
}

// topK sets both outputs: the input's shape with k on the axis.
func topK(c *op.Call, k dim.Dim) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	c.Set(1, onnxgraph.Int64, tensor.Shape{})
	size, isInt := k.Int()
	if isInt && size < 0 {
		return c.Errorf(op.CodeValue, "k is %d", size)
	}
	if !in.Ranked() {
		return nil
	}
	axis, err := c.Axis(c.Int("axis", -1), in.Rank())
	if err != nil {
		return err
	}
	if n, ok := in.At(axis).Int(); ok && isInt && size > n {
		return c.Errorf(op.CodeShape, "k is %d, more than the %d elements on axis %d", size, n, axis)
	}
	out := in.Clone()
	if out[axis] = k; !k.IsKnown() {
		out[axis] = c.NewSymbol(0, axis, 0, in.At(axis))
	}
	shape := tensor.MakeShape(out...)
	c.Set(0, c.DType(0), shape)
	c.Set(1, onnxgraph.Int64, shape)
	return nil
}
