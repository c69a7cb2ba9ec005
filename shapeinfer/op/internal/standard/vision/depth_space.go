package vision

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
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
var depthSpaceOps = []op.Op{
	{Name: "DepthToSpace", Versions: []int{1, 11, 13, 28}, Infer: DepthToSpace, Effect: op.Keeps},
	{Name: "SpaceToDepth", Versions: []int{1, 13, 28}, Infer: SpaceToDepth, Effect: op.Keeps},
}

// DepthToSpace moves channels into space: N x C x H x W becomes N x C/b^2 x H*b x W*b.
func DepthToSpace(c *op.Call) error {
	block, area, err := depthBlock(c)
	if err != nil {
		return err
	}
	x := c.Shape(0)
	return moveBlocks(c,
		func() (dim.Dim, error) { return c.DivideEvenly("channels", x.At(1), area) },
		func(i int) (dim.Dim, error) { return c.Product("a side", x.At(i), block) })
}

// SpaceToDepth moves space into channels: N x C x H x W becomes N x C*b^2 x H/b x W/b.
func SpaceToDepth(c *op.Call) error {
	block, area, err := depthBlock(c)
	if err != nil {
		return err
	}
	x := c.Shape(0)
	return moveBlocks(c,
		func() (dim.Dim, error) { return c.Product("the number of channels", x.At(1), area) },
		func(i int) (dim.Dim, error) { return c.DivideEvenly("a side", x.At(i), block) })
}

// depthBlock is the attribute blocksize and its square.
func depthBlock(c *op.Call) (block, area dim.Dim, err error) {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.RankOnly(4))
	if x.Ranked() && x.Rank() != 4 {
		return block, area, c.Errorf(op.CodeRank, "input %s is not N x C x H x W", x)
	}
	n := c.Int("blocksize", 0)
	if n < 1 {
		return block, area, c.Errorf(op.CodeAttribute, "blocksize is %d", n)
	}
	block = dim.Int(n)
	area, err = c.Product("the area of a block", block, block)
	return block, area, err
}

func moveBlocks(c *op.Call, channels func() (dim.Dim, error), side func(axis int) (dim.Dim, error)) error {
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
