package op

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators that move blocks of an image between its
// plane and its channels.
//
// DepthToSpace: https://onnx.ai/onnx/operators/onnx__DepthToSpace.html
// 11: the attribute mode; 13: bfloat16; 28: more element types.
//
// SpaceToDepth: https://onnx.ai/onnx/operators/onnx__SpaceToDepth.html
// 13: bfloat16; 28: the attribute mode.
var depthSpaceOps = []Op{
	{Name: "DepthToSpace", Versions: []int{1, 11, 13, 28}, Infer: depthToSpace},
	{Name: "SpaceToDepth", Versions: []int{1, 13, 28}, Infer: spaceToDepth},
}

// depthToSpace: N x C x H x W becomes N x C/b^2 x H*b x W*b.
func depthToSpace(c *Call) error {
	block, area, err := c.depthBlock()
	if err != nil {
		return err
	}
	x := c.Shape(0)
	return c.moveBlocks(
		func() (dim.Dim, error) { return c.divideEvenly("channels", x.At(1), area) },
		func(i int) (dim.Dim, error) { return c.multiply("a side", x.At(i), block) })
}

// spaceToDepth: N x C x H x W becomes N x C*b^2 x H/b x W/b.
func spaceToDepth(c *Call) error {
	block, area, err := c.depthBlock()
	if err != nil {
		return err
	}
	x := c.Shape(0)
	return c.moveBlocks(
		func() (dim.Dim, error) { return c.multiply("the number of channels", x.At(1), area) },
		func(i int) (dim.Dim, error) { return c.divideEvenly("a side", x.At(i), block) })
}

// depthBlock is the attribute blocksize and its square.
func (c *Call) depthBlock() (block, area dim.Dim, err error) {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.RankOnly(4))
	if x.Ranked() && x.Rank() != 4 {
		return block, area, c.Errorf(CodeRank, "input %s is no N x C x H x W", x)
	}
	n := c.Int("blocksize", 0)
	if n < 1 {
		return block, area, c.Errorf(CodeAttribute, "blocksize is %d", n)
	}
	block = dim.Int(n)
	area, err = c.multiply("the area of a block", block, block)
	return block, area, err
}

func (c *Call) moveBlocks(channels func() (dim.Dim, error), side func(axis int) (dim.Dim, error)) error {
	depth, err := channels()
	if err != nil {
		return err
	}
	height, err := side(2)
	if err != nil {
		return err
	}
	width, err := side(3)
	if err != nil {
		return err
	}
	c.Set(0, c.DType(0), tensor.MakeShape(c.Shape(0).At(0), depth, height, width))
	return nil
}

// divideEvenly is a/b, an error where b does not divide a number.
func (c *Call) divideEvenly(what string, a, b dim.Dim) (dim.Dim, error) {
	n, aInt := a.Int()
	by, bInt := b.Int()
	if aInt && bInt && (by == 0 || n%by != 0) {
		return dim.Unknown(), c.Errorf(CodeShape, "%s: %d is no multiple of %d", what, n, by)
	}
	return dim.Div(a, b), nil
}
