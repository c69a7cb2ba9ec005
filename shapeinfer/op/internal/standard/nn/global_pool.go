package nn

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the pools over all spatial axes, which become 1.
//
// GlobalAveragePool: https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html
// GlobalMaxPool: https://onnx.ai/onnx/operators/onnx__GlobalMaxPool.html
// 22: bfloat16.
//
// GlobalLpPool: https://onnx.ai/onnx/operators/onnx__GlobalLpPool.html
// 2: p is an integer; 22: bfloat16.
var globalPoolOps = []op.Op{
	{Name: "GlobalAveragePool", Versions: []int{1, 22}, Infer: GlobalPool, Effect: op.Reduces},
	{Name: "GlobalLpPool", Versions: []int{1, 2, 22}, Infer: GlobalPool, Effect: op.Reduces},
	{Name: "GlobalMaxPool", Versions: []int{1, 22}, Infer: GlobalPool, Effect: op.Reduces},
}

func GlobalPool(c *op.Call) error { return SetGlobalPool(c, c.DType(0), c.Shape(0), ChannelsFirst) }

func SetGlobalPool(c *op.Call, d onnxgraph.DType, x tensor.Shape, l Layout) error {
	c.Set(0, d, tensor.Shape{})
	if !x.Ranked() {
		return nil
	}
	if x.Rank() < 2 {
		return c.Errorf(op.CodeRank, "input %s has no batch and channels", x)
	}
	out := x.Clone()
	for i := range out[2:] {
		out[l.Spatial()+i] = dim.Int(1)
	}
	c.Set(0, d, tensor.MakeShape(out...))
	return nil
}
