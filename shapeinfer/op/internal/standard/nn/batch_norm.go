package nn

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds BatchNormalization, whose outputs beside Y are the training
// statistics.
//
// BatchNormalization: https://onnx.ai/onnx/operators/onnx__BatchNormalization.html
// 1, 6: is_test, and spatial: 0 keeps statistics per feature, of shape C x D1
// ... Dn; 7: no is_test, five outputs mean training; 9: no spatial; 14:
// training_mode, two extra outputs of the running statistics' type; 15: scale
// and bias have a type of their own.
var batchNormOps = []op.Op{
	{Name: "BatchNormalization", Versions: []int{1, 6, 7, 9}, Infer: BatchNorm, Elementwise: true, Roles: BatchNormRoles, Normalizes: true},
	{Name: "BatchNormalization", Versions: []int{14, 15}, Infer: BatchNormTrainingMode, Elementwise: true, Roles: BatchNormRoles, Normalizes: true},
}

// BatchNormRoles are the scale, the shift, and the running mean and variance.
var BatchNormRoles = op.Roles{op.Through, op.Parameter, op.Parameter, op.Statistic}

func BatchNorm(c *op.Call) error {
	op.LikeFirst(c)
	if n := len(c.Outputs); n > 1 && n < 5 {
		return c.Errorf(op.CodeArity, "%d outputs: there is one, or with all statistics there are five", n)
	}
	stats, err := batchNormStats(c, c.Flag("spatial", true))
	for o := 1; o < 5; o++ {
		c.Set(o, c.DType(4-o%2), stats)
	}
	return err
}

func BatchNormTrainingMode(c *op.Call) error {
	op.LikeFirst(c)
	stats, err := batchNormStats(c, true)
	c.Set(1, c.DType(3), stats)
	c.Set(2, c.DType(4), stats)
	if err != nil {
		return err
	}
	if c.Since == 14 && len(c.Outputs) == 2 {
		return c.Errorf(op.CodeArity, "2 outputs: there is one, or with both statistics there are three")
	}
	training := c.Flag("training_mode", false)
	if !training && (c.Wants(1) || c.Wants(2)) {
		return c.Errorf(op.CodeArity, "running_mean and running_var exist only with training_mode=1")
	}
	if training && !c.Wants(1) && !c.Wants(2) {
		return c.Errorf(op.CodeArity, "training_mode=1 needs the outputs running_mean and running_var")
	}
	return nil
}

// batchNormStats is the shape of scale, bias, mean and variance: C, or C x D1
// ... Dn where statistics are not spatial. A vector as the input has one
// channel.
func batchNormStats(c *op.Call, spatial bool) (tensor.Shape, error) {
	x := c.Shape(0)
	want := tensor.RankOnly(1)
	switch {
	case !x.Ranked() && !spatial:
		want = tensor.Shape{}
	case !x.Ranked():
	case x.Rank() == 0:
		return want, c.Errorf(op.CodeRank, "the input is a scalar")
	case x.Rank() == 1:
		want = tensor.IntShape(1)
	case spatial:
		want = tensor.MakeShape(x.At(1))
	default:
		want = tensor.MakeShape(x.Dims()[1:]...)
	}
	for i := 1; i < 5; i++ {
		merged, err := mergeStats(c, want, c.Shape(i))
		if err != nil {
			return want, err
		}
		want = merged
	}
	return want, nil
}

func mergeStats(c *op.Call, want, have tensor.Shape) (tensor.Shape, error) {
	switch {
	case !have.Ranked():
		return want, nil
	case !want.Ranked():
		return have, nil
	case want.Rank() != have.Rank():
		return want, c.Errorf(op.CodeRank, "scale, bias and statistics must have shape %s, not %s", want, have)
	}
	var merged []dim.Dim
	for i, d := range want.Dims() {
		m, ok := op.MergeDims(d, have.At(i))
		if !ok {
			return want, c.Errorf(op.CodeShape, "scale, bias and statistics must have shape %s, not %s", want, have)
		}
		if !d.IsKnown() && m.IsKnown() {
			if merged == nil {
				merged = want.Clone()
			}
			merged[i] = m
		}
	}
	if merged != nil {
		return tensor.MakeShape(merged...), nil
	}
	return want, nil
}
