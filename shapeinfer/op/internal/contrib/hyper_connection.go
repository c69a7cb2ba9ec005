package contrib

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.microsoft on several residual streams
// side by side: ... x streams x hidden, or flat ... x streams*hidden with the
// attribute num_branches
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribHyperConnectionOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "EngramGate", Versions: []int{1}, Infer: engramGate},
	{Domain: op.DomainMicrosoft, Name: "HyperConnectionLowRankMix", Versions: []int{1}, Infer: hyperLowRankMix, MACs: hyperLowRankMixMACs},
	{Domain: op.DomainMicrosoft, Name: "HyperConnectionPostMix", Versions: []int{1}, Infer: op.LikeFirst},
	{Domain: op.DomainMicrosoft, Name: "HyperConnectionPreMix", Versions: []int{1}, Infer: hyperPreMix},
}

// engramGate: both outputs are like the keys, batch x sequence x streams x
// hidden.
func engramGate(c *op.Call) error {
	c.SetLike(0, 0)
	c.SetLike(1, 0)
	_, err := c.MergeShapes(c.Shape(0), c.Shape(1))
	return err
}

// hyperPreMix adds the streams up: ... x hidden.
func hyperPreMix(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	n := c.Int("num_branches", 0)
	switch {
	case !x.Ranked():
		return nil
	case n > 0:
		hidden, err := c.DivideEvenly("last axis by num_branches", x.At(-1), dim.Int(n))
		c.Set(0, c.DType(0), op.WithLastDim(x, hidden))
		return err
	case x.Rank() < 2:
		return c.Errorf(op.CodeRank, "streams %s have no axis of their own, and num_branches is not given", x)
	}
	out := x.Clone()
	out[len(out)-2] = out[len(out)-1]
	c.Set(0, c.DType(0), tensor.MakeShape(out[:len(out)-1]...))
	return nil
}

// hyperLowRankMix: flat streams give ... x hidden, a gate of ... x streams, and
// the streams again.
func hyperLowRankMix(c *op.Call) error {
	x, d := c.Shape(0), c.DType(0)
	c.SetLike(2, 0)
	n, err := c.SizeAttr("num_branches")
	if err != nil {
		return err
	}
	hidden, err := c.DivideEvenly("last axis by num_branches", x.At(-1), n)
	if err != nil {
		return err
	}
	c.Set(0, d, op.WithLastDim(x, hidden))
	c.Set(1, d, op.WithLastDim(x, n))
	return nil
}

// hyperLowRankMixMACs counts the products with all three weights.
func hyperLowRankMixMACs(c *op.Call) dim.Dim {
	weights := dim.Sum(c.Shape(2).Elements(), c.Shape(3).Elements(), c.Shape(4).Elements())
	return dim.Mul(op.LeadingElements(c.Shape(0)), weights)
}
