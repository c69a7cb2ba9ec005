package nn

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the normalisations whose output is like their input.
//
// InstanceNormalization: https://onnx.ai/onnx/operators/onnx__InstanceNormalization.html
// 6: consumed_inputs gone; 22: bfloat16.
//
// LRN: https://onnx.ai/onnx/operators/onnx__LRN.html
// 13: bfloat16.
//
// GroupNormalization: https://onnx.ai/onnx/operators/onnx__GroupNormalization.html
// 18, withdrawn: scale and bias per group; 21: per channel.
//
// LayerNormalization: https://onnx.ai/onnx/operators/onnx__LayerNormalization.html
// Mean and InvStdDev have 1 in place of the normalised axes, and the type that
// stash_type names.
//
// RMSNormalization: https://onnx.ai/onnx/operators/onnx__RMSNormalization.html
// The output has the type of scale.
var normOps = []op.Op{
	{Name: "InstanceNormalization", Versions: []int{1, 6, 22}, Infer: InstanceNorm, Roles: op.ScaleAndShift, Normalizes: true},
	{Name: "LRN", Versions: []int{1, 13}, Infer: Lrn},
	{Name: "GroupNormalization", Versions: []int{18}, Infer: groupNormPerGroup, Deprecated: true, Roles: op.ScaleAndShift, Normalizes: true},
	{Name: "GroupNormalization", Versions: []int{21}, Infer: groupNormPerChannel, Roles: op.ScaleAndShift, Normalizes: true},
	{Name: "LayerNormalization", Versions: []int{17}, Infer: layerNorm, Roles: op.ScaleAndShift, Normalizes: true},
	{Name: "RMSNormalization", Versions: []int{23}, Infer: rmsNorm, Roles: op.Roles{op.Through, op.Parameter}, Normalizes: true},
}

func Lrn(c *op.Call) error {
	if c.HasAttr("size") && c.Int("size", 1) < 1 {
		return c.Errorf(op.CodeAttribute, "size is %d", c.Int("size", 1))
	}
	return op.LikeFirst(c)
}

func InstanceNorm(c *op.Call) error {
	op.LikeFirst(c)
	if err := c.CheckImageRank("input", c.Shape(0)); err != nil {
		return err
	}
	return PerChannel(c, c.Shape(0).At(1))
}

func groupNormPerGroup(c *op.Call) error {
	groups, err := groupNorm(c)
	if err != nil {
		return err
	}
	return PerChannel(c, dim.Int(groups))
}

func groupNormPerChannel(c *op.Call) error {
	if _, err := groupNorm(c); err != nil {
		return err
	}
	return PerChannel(c, c.Shape(0).At(1))
}

func groupNorm(c *op.Call) (groups int64, err error) {
	op.LikeFirst(c)
	groups = c.Int("num_groups", 0)
	if groups < 1 {
		return 0, c.Errorf(op.CodeAttribute, "num_groups is %d", groups)
	}
	if n, ok := c.Shape(0).At(1).Int(); ok && n%groups != 0 {
		return 0, c.Errorf(op.CodeShape, "num_groups %d does not divide the %d channels", groups, n)
	}
	return groups, nil
}

// PerChannel checks that scale and bias, inputs 1 and 2, are vectors of n.
func PerChannel(c *op.Call, n dim.Dim) error {
	if err := c.CheckVector(1, "scale", n); err != nil {
		return err
	}
	return c.CheckVector(2, "bias", n)
}

func layerNorm(c *op.Call) error { return LayerNorm(c, c.DType(0)) }

// LayerNorm sets output 0 to input 0 in the element type d, and outputs 1 and 2
// to the statistics, with 1 in place of the normalised axes.
func LayerNorm(c *op.Call, d onnxgraph.DType) error {
	x := c.Shape(0)
	c.Set(0, d, x)
	stash := c.DTypeAttr("stash_type", onnxgraph.Float)
	c.Set(1, stash, tensor.Shape{})
	c.Set(2, stash, tensor.Shape{})
	if !x.Ranked() {
		return nil
	}
	axis, err := c.Axis(c.Int("axis", -1), x.Rank())
	if err != nil {
		return err
	}
	if c.Wants(1) || c.Wants(2) {
		stats := x.Clone()
		for i := axis; i < len(stats); i++ {
			stats[i] = dim.Int(1)
		}
		c.Set(1, stash, tensor.MakeShape(stats...))
		c.Set(2, stash, tensor.MakeShape(stats...))
	}
	if err := c.CheckBroadcast(x, c.Shape(1), "scale"); err != nil {
		return err
	}
	return c.CheckBroadcast(x, c.Shape(2), "bias")
}

func rmsNorm(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(1), x)
	if !x.Ranked() {
		return nil
	}
	if _, err := c.Axis(c.Int("axis", -1), x.Rank()); err != nil {
		return err
	}
	return c.CheckBroadcast(x, c.Shape(1), "scale")
}
