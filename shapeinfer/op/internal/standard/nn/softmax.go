package nn

import (
	"onnxmem/shapeinfer/op"
)

// This file holds the functions along one axis that keep shape and type.
//
// Softmax, LogSoftmax, Hardmax: https://onnx.ai/onnx/operators/onnx__Softmax.html
// 1: axis, by default 1, splits the dims into two groups; 11: may be negative;
// 13: axis is the one to normalise along, by default the last.
//
// LpNormalization: https://onnx.ai/onnx/operators/onnx__LpNormalization.html
// 1; 22: bfloat16.
//
// MeanVarianceNormalization: 9; 13: bfloat16. The attribute axes is 0, 2, 3 by
// default.
var softmaxOps = []op.Op{
	{Name: "Softmax", Versions: []int{1, 11, 13}, Infer: softmax, Roles: op.ThroughFirst},
	{Name: "LogSoftmax", Versions: []int{1, 11, 13}, Infer: softmax},
	{Name: "Hardmax", Versions: []int{1, 11, 13}, Infer: softmax},
	{Name: "LpNormalization", Versions: []int{1, 22}, Infer: lpNormalization},
	{Name: "MeanVarianceNormalization", Versions: []int{9, 13}, Infer: meanVarianceNormalization},
}

func softmax(c *op.Call) error {
	axis := int64(-1)
	if c.Since < 13 {
		axis = 1
	}
	if c.Since < 11 && c.Int("axis", axis) == int64(c.Shape(0).Rank()) {
		// All dims are in the first group, as for a vector by default.
		return op.LikeFirst(c)
	}
	return LikeFirstAlong(c, axis)
}

func lpNormalization(c *op.Call) error {
	if p := c.Int("p", 2); p != 1 && p != 2 {
		return c.Errorf(op.CodeAttribute, "p is %d, not 1 or 2", p)
	}
	return LikeFirstAlong(c, -1)
}

// LikeFirstAlong is likeFirst with an attribute axis that must fit the rank.
func LikeFirstAlong(c *op.Call, axis int64) error {
	if c.Shape(0).Ranked() {
		if _, err := c.Axis(c.Int("axis", axis), c.Shape(0).Rank()); err != nil {
			return err
		}
	}
	return op.LikeFirst(c)
}

func meanVarianceNormalization(c *op.Call) error {
	if c.Shape(0).Ranked() && c.HasAttr("axes") {
		if _, err := c.Axes(c.IntList("axes"), c.Shape(0).Rank()); err != nil {
			return err
		}
	}
	return op.LikeFirst(c)
}
