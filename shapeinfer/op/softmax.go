package op

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
var softmaxOps = []Op{
	{Name: "Softmax", Versions: []int{1, 11, 13}, Infer: softmax},
	{Name: "LogSoftmax", Versions: []int{1, 11, 13}, Infer: softmax},
	{Name: "Hardmax", Versions: []int{1, 11, 13}, Infer: softmax},
	{Name: "LpNormalization", Versions: []int{1, 22}, Infer: lpNormalization},
	{Name: "MeanVarianceNormalization", Versions: []int{9, 13}, Infer: meanVarianceNormalization},
}

func softmax(c *Call) error {
	axis := int64(-1)
	if c.Since < 13 {
		axis = 1
	}
	if c.Since < 11 && c.Int("axis", axis) == int64(c.Shape(0).Rank()) {
		// All dims are in the first group, as for a vector by default.
		return likeFirst(c)
	}
	return likeFirstAlong(c, axis)
}

func lpNormalization(c *Call) error {
	if p := c.Int("p", 2); p != 1 && p != 2 {
		return c.Errorf(CodeAttribute, "p is %d, not 1 or 2", p)
	}
	return likeFirstAlong(c, -1)
}

// likeFirstAlong is likeFirst with an attribute axis that must fit the rank.
func likeFirstAlong(c *Call, axis int64) error {
	if c.Shape(0).Ranked() {
		if _, err := c.Axis(c.Int("axis", axis), c.Shape(0).Rank()); err != nil {
			return err
		}
	}
	return likeFirst(c)
}

func meanVarianceNormalization(c *Call) error {
	if c.Shape(0).Ranked() && c.HasAttr("axes") {
		if _, err := c.Axes(c.IntList("axes"), c.Shape(0).Rank()); err != nil {
			return err
		}
	}
	return likeFirst(c)
}
