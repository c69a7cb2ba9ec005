package op

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.microsoft on several residual streams
// side by side: ... x streams x hidden, or flat ... x streams*hidden with the
// attribute num_branches
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribHyperConnectionOps = []Op{
	{Domain: DomainMicrosoft, Name: "EngramGate", Versions: []int{1}, Infer: engramGate},
	{Domain: DomainMicrosoft, Name: "HyperConnectionLowRankMix", Versions: []int{1}, Infer: hyperLowRankMix, MACs: hyperLowRankMixMACs},
	{Domain: DomainMicrosoft, Name: "HyperConnectionPostMix", Versions: []int{1}, Infer: likeFirst},
	{Domain: DomainMicrosoft, Name: "HyperConnectionPreMix", Versions: []int{1}, Infer: hyperPreMix},
}

// engramGate: both outputs are like the keys, batch x sequence x streams x
// hidden.
func engramGate(c *Call) error {
	c.setLike(0, 0)
	c.setLike(1, 0)
	_, err := c.mergeShapes(c.Shape(0), c.Shape(1))
	return err
}

// hyperPreMix adds the streams up: ... x hidden.
func hyperPreMix(c *Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	n := c.Int("num_branches", 0)
	switch {
	case !x.Ranked():
		return nil
	case n > 0:
		hidden, err := c.divideEvenly("last axis by num_branches", x.At(-1), dim.Int(n))
		c.Set(0, c.DType(0), withLast(x, hidden))
		return err
	case x.Rank() < 2:
		return c.Errorf(CodeRank, "streams %s have no axis of their own, and num_branches is not given", x)
	}
	out := x.Clone()
	out[len(out)-2] = out[len(out)-1]
	c.Set(0, c.DType(0), tensor.MakeShape(out[:len(out)-1]...))
	return nil
}

// hyperLowRankMix: flat streams give ... x hidden, a gate of ... x streams, and
// the streams again.
func hyperLowRankMix(c *Call) error {
	x, d := c.Shape(0), c.DType(0)
	c.setLike(2, 0)
	n, err := c.size("num_branches")
	if err != nil {
		return err
	}
	hidden, err := c.divideEvenly("last axis by num_branches", x.At(-1), n)
	if err != nil {
		return err
	}
	c.Set(0, d, withLast(x, hidden))
	c.Set(1, d, withLast(x, n))
	return nil
}

// hyperLowRankMixMACs counts the products with all three weights.
func hyperLowRankMixMACs(c *Call) dim.Dim {
	weights := dim.Sum(c.Shape(2).Elements(), c.Shape(3).Elements(), c.Shape(4).Elements())
	return dim.Mul(leading(c.Shape(0)), weights)
}
