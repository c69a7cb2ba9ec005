package vision

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds Upsample, the forerunner of Resize.
//
// Upsample: https://onnx.ai/onnx/operators/onnx__Upsample.html
// 1: attributes height_scale and width_scale for N x C x H x W; 7: attribute
// scales, one per axis; 9: scales is an input; 10: withdrawn in favour of
// Resize, same rule.
var upsampleOps = []op.Op{
	{Name: "Upsample", Versions: []int{1}, Infer: upsampleImage, Roles: op.ThroughFirst},
	{Name: "Upsample", Versions: []int{7}, Infer: upsampleAttribute, Roles: op.ThroughFirst},
	{Name: "Upsample", Versions: []int{9}, Infer: resizeByScales, Roles: op.ThroughFirst},
	{Name: "Upsample", Versions: []int{10}, Infer: resizeByScales, Deprecated: true, Roles: op.ThroughFirst},
}

func upsampleImage(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.RankOnly(4))
	if x.Ranked() && x.Rank() != 4 {
		return c.Errorf(op.CodeRank, "input %s is not N x C x H x W", x)
	}
	return scaleBy(c, nil, []tensor.Scalar{
		{Num: dim.Int(1)}, {Num: dim.Int(1)},
		tensor.Float(float64(c.Float("height_scale", 1))), tensor.Float(float64(c.Float("width_scale", 1))),
	})
}

func upsampleAttribute(c *op.Call) error {
	c.Set(0, c.DType(0), tensor.Shape{})
	list := c.FloatList("scales")
	scales := make([]tensor.Scalar, len(list))
	for i, f := range list {
		scales[i] = tensor.Float(float64(f))
	}
	return scaleBy(c, nil, scales)
}
