package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
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
var normOps = []Op{
	{Name: "InstanceNormalization", Versions: []int{1, 6, 22}, Infer: instanceNorm},
	{Name: "LRN", Versions: []int{1, 13}, Infer: lrn},
	{Name: "GroupNormalization", Versions: []int{18}, Infer: groupNormPerGroup, Deprecated: true},
	{Name: "GroupNormalization", Versions: []int{21}, Infer: groupNormPerChannel},
	{Name: "LayerNormalization", Versions: []int{17}, Infer: layerNorm},
	{Name: "RMSNormalization", Versions: []int{23}, Infer: rmsNorm},
}

func lrn(c *Call) error {
	if c.HasAttr("size") && c.Int("size", 1) < 1 {
		return c.Errorf(CodeAttribute, "size is %d", c.Int("size", 1))
	}
	return likeFirst(c)
}

func instanceNorm(c *Call) error {
	likeFirst(c)
	if err := c.imageRank("input", c.Shape(0)); err != nil {
		return err
	}
	return c.perChannel(c.Shape(0).At(1))
}

func groupNormPerGroup(c *Call) error {
	groups, err := c.groupNorm()
	if err != nil {
		return err
	}
	return c.perChannel(dim.Int(groups))
}

func groupNormPerChannel(c *Call) error {
	if _, err := c.groupNorm(); err != nil {
		return err
	}
	return c.perChannel(c.Shape(0).At(1))
}

func (c *Call) groupNorm() (groups int64, err error) {
	likeFirst(c)
	groups = c.Int("num_groups", 0)
	if groups < 1 {
		return 0, c.Errorf(CodeAttribute, "num_groups is %d", groups)
	}
	if n, ok := c.Shape(0).At(1).Int(); ok && n%groups != 0 {
		return 0, c.Errorf(CodeShape, "num_groups %d does not divide the %d channels", groups, n)
	}
	return groups, nil
}

// perChannel checks that scale and bias, inputs 1 and 2, are vectors of n.
func (c *Call) perChannel(n dim.Dim) error {
	if err := c.isVector(1, "scale", n); err != nil {
		return err
	}
	return c.isVector(2, "bias", n)
}

func layerNorm(c *Call) error { return c.layerNorm(c.DType(0)) }

// layerNorm sets output 0 to input 0 in the element type d, and outputs 1 and 2
// to the statistics, with 1 in place of the normalised axes.
func (c *Call) layerNorm(d onnxgraph.DType) error {
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
	if err := c.broadcastsTo(x, c.Shape(1), "scale"); err != nil {
		return err
	}
	return c.broadcastsTo(x, c.Shape(2), "bias")
}

func rmsNorm(c *Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(1), x)
	if !x.Ranked() {
		return nil
	}
	if _, err := c.Axis(c.Int("axis", -1), x.Rank()); err != nil {
		return err
	}
	return c.broadcastsTo(x, c.Shape(1), "scale")
}

// broadcastsTo checks that from can be repeated to the shape to, which
// broadcasting must not enlarge
// (https://github.com/onnx/onnx/blob/main/docs/Broadcasting.md).
func (c *Call) broadcastsTo(to, from tensor.Shape, what string) error {
	if !to.Ranked() || !from.Ranked() {
		return nil
	}
	if from.Rank() > to.Rank() {
		return c.Errorf(CodeRank, "%s %s has more axes than %s", what, from, to)
	}
	for i, d := range from.Dims() {
		n, ok := d.Int()
		if !ok || n == 1 {
			continue
		}
		if m, ok := to.At(to.Rank() - from.Rank() + i).Int(); ok && m != n {
			return c.Errorf(CodeShape, "%s %s does not broadcast to %s", what, from, to)
		}
	}
	return nil
}
