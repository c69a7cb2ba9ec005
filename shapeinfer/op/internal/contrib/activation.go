package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the activations of com.microsoft, most of them with a bias,
// a gate or a residual that was fused into them
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribActivationOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "BiasAdd", Versions: []int{1}, Infer: biasAdd, Elementwise: true, Roles: op.ParametersAt(1)},
	{Domain: op.DomainMicrosoft, Name: "BiasGelu", Versions: []int{1}, Infer: lastAxisBias, Elementwise: true, Roles: op.ParametersAt(1)},
	{Domain: op.DomainMicrosoft, Name: "BiasSoftmax", Versions: []int{1}, Infer: biasSoftmax},
	{Domain: op.DomainMicrosoft, Name: "BiasSplitGelu", Versions: []int{1}, Infer: biasSplitGelu, Roles: op.ParametersAt(1)},
	{Domain: op.DomainMicrosoft, Name: "FastGelu", Versions: []int{1}, Infer: lastAxisBias, Elementwise: true, Roles: op.ParametersAt(1)},
	{Domain: op.DomainMicrosoft, Name: "GatedAdd", Versions: []int{1}, Infer: gatedAdd, MACs: gatedAddMACs},
	{Domain: op.DomainMicrosoft, Name: "Gelu", Versions: []int{1}, Infer: op.LikeFirst, Elementwise: true},
	{Domain: op.DomainMicrosoft, Name: "QOrderedGelu", Versions: []int{1}, Infer: op.LikeFirst},
	{Domain: op.DomainMicrosoft, Name: "QuickGelu", Versions: []int{1}, Infer: op.LikeFirst, Elementwise: true},
	{Domain: op.DomainMicrosoft, Name: "ScaledSiLU", Versions: []int{1}, Infer: op.LikeFirst, Elementwise: true},
	{Domain: op.DomainMicrosoft, Name: "SwiGLU", Versions: []int{1}, Infer: swiGLUHalves},

	{Domain: op.DomainMicrosoft, Name: "BiasDropout", Versions: []int{1}, Infer: biasDropout, Random: op.InTraining, Roles: op.ParametersAt(1)},
	{Domain: op.DomainMicrosoft, Name: "BitmaskBiasDropout", Versions: []int{1}, Infer: bitmaskDropout, Random: op.InTraining},
	{Domain: op.DomainMicrosoft, Name: "BitmaskDropout", Versions: []int{1}, Infer: bitmaskDropout, Random: op.InTraining},
}

// lastAxisBias is an activation whose optional bias, input 1, has one element
// for each on the last axis.
func lastAxisBias(c *op.Call) error {
	c.SetLike(0, 0)
	if c.Shape(0).Rank() == 0 {
		return nil
	}
	return c.CheckVector(1, "bias", c.Shape(0).At(-1))
}

// biasAdd: X and skip are N x HW x C, the bias has C elements.
func biasAdd(c *op.Call) error {
	c.SetLike(0, 0)
	if err := c.CheckRank(0, "X", 3); err != nil {
		return err
	}
	if _, err := c.MergeShapes(c.Shape(0), c.Shape(2)); err != nil {
		return err
	}
	return c.CheckVector(1, "bias", c.Shape(0).At(-1))
}

func biasSoftmax(c *op.Call) error {
	c.SetLike(0, 0)
	if x := c.Shape(0); x.Ranked() {
		_, err := c.Axis(c.Int("axis", 1), x.Rank())
		return err
	}
	return nil
}

// biasSplitGelu multiplies one half of the last axis by the activation of the
// other half.
func biasSplitGelu(c *op.Call) error {
	if err := c.CheckRank(0, "X", 3); err != nil {
		return err
	}
	if err := setHalves(c, c.Shape(0)); err != nil {
		return err
	}
	return c.CheckVector(1, "bias", c.Shape(0).At(-1))
}

// swiGLUHalves: without up, gate holds both halves on its last axis.
func swiGLUHalves(c *op.Call) error {
	if c.Has(1) {
		shape, err := c.MergeShapes(c.Shape(0), c.Shape(1))
		c.Set(0, c.DType(0), shape)
		return err
	}
	return setHalves(c, c.Shape(0))
}

// setHalves sets output 0 to x with half of its last axis.
func setHalves(c *op.Call, x tensor.Shape) error {
	c.Set(0, c.DType(0), tensor.Shape{})
	if x.Rank() == 0 {
		return c.Errorf(op.CodeRank, "the input is a scalar and has no halves")
	}
	half, err := c.DivideEvenly("last axis", x.At(-1), dim.Int(2))
	if err != nil {
		return err
	}
	c.Set(0, c.DType(0), op.WithLastDim(x, half))
	return nil
}

// gatedAdd: X and Y are ... x C, the gate ... x 1, or ... x K with a weight of
// K x 1.
func gatedAdd(c *op.Call) error {
	shape, err := c.MergeShapes(c.Shape(0), c.Shape(1))
	c.Set(0, c.DType(0), shape)
	if err != nil {
		return err
	}
	width := dim.Int(1)
	if c.Has(3) {
		width = c.Shape(3).At(0)
	}
	return c.SameSize("last axis of the gate", c.Shape(2).At(-1), width)
}

func gatedAddMACs(c *op.Call) dim.Dim {
	if !c.Has(3) {
		return dim.Int(0)
	}
	return c.Shape(2).Elements()
}

// biasDropout: the mask has a bool for each element.
func biasDropout(c *op.Call) error {
	shape, err := c.MergeShapes(c.Shape(0), c.Shape(2))
	c.Set(0, c.DType(0), shape)
	c.Set(1, onnxgraph.Bool, shape)
	return err
}

// bitmaskDropout: the mask packs 32 elements into each UINT32.
func bitmaskDropout(c *op.Call) error {
	c.SetLike(0, 0)
	words := dim.CeilDiv(c.Shape(0).Elements(), dim.Int(32))
	c.Set(1, onnxgraph.Uint32, tensor.MakeShape(words))
	return nil
}
