package movement

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators that turn a shape into a value, where the
// values that decide other shapes begin.
//
// Shape: https://onnx.ai/onnx/operators/onnx__Shape.html
// 15: attributes start and end; 13, 19, 21, 23, 24, 25: more element types.
//
// Size: https://onnx.ai/onnx/operators/onnx__Size.html
// 13, 19, 21, 23, 24, 25: more element types.
var shapeQueryOps = []op.Op{
	{Name: "Shape", Versions: []int{1, 13}, Infer: shapeQuery, Effect: op.Moves, ShapeOnly: true},
	{Name: "Shape", Versions: []int{15, 19, 21, 23, 24, 25}, Infer: shapeQueryRange, Effect: op.Moves, ShapeOnly: true},
	{Name: "Size", Versions: []int{1, 13, 19, 21, 23, 24, 25}, Infer: sizeQuery, Effect: op.Moves, ShapeOnly: true},
}

func shapeQuery(c *op.Call) error {
	s := c.Shape(0)
	if !s.Ranked() {
		c.Set(0, onnxgraph.Int64, tensor.RankOnly(1))
		return nil
	}
	c.SetValue(0, tensor.IntVector(s.Dims()...))
	return nil
}

// shapeQueryRange is the shape from axis start up to end; negative ones count
// from the end, and both are clamped to the rank.
func shapeQueryRange(c *op.Call) error {
	s := c.Shape(0)
	if !s.Ranked() {
		c.Set(0, onnxgraph.Int64, tensor.RankOnly(1))
		return nil
	}
	rank := int64(s.Rank())
	clamp := func(axis int64) int64 {
		if axis < 0 {
			axis += rank
		}
		return min(max(axis, 0), rank)
	}
	start, end := clamp(c.Int("start", 0)), clamp(c.Int("end", rank))
	c.SetValue(0, tensor.IntVector(s.Dims()[start:max(start, end)]...))
	return nil
}

func sizeQuery(c *op.Call) error {
	elements := c.Shape(0).Elements()
	if !elements.IsKnown() {
		c.Set(0, onnxgraph.Int64, tensor.ScalarShape())
		return nil
	}
	c.SetValue(0, tensor.ScalarOf(onnxgraph.Int64, tensor.Number(elements)))
	return nil
}
