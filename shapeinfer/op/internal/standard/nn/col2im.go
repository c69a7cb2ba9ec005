package nn

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds Col2Im.
//
// Col2Im: https://onnx.ai/onnx/operators/onnx__Col2Im.html
// 18: N x C*product(block_shape) x L becomes N x C x image_shape, where L is
// the number of positions of the block on the image.
var col2ImOps = []op.Op{
	{Name: "Col2Im", Versions: []int{18}, Infer: col2Im},
}

func col2Im(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if x.Ranked() && x.Rank() != 3 {
		return c.Errorf(op.CodeRank, "input %s is not N x C*blocks x L", x)
	}
	image, n, err := c.Sizes(1, "image_shape")
	if err != nil {
		return err
	}
	block, m, err := c.Sizes(2, "block_shape")
	if err != nil {
		return err
	}
	if n >= 0 && m >= 0 && n != m {
		return c.Errorf(op.CodeShape, "image_shape has %d numbers, block_shape %d", n, m)
	}
	spatial := max(n, m)
	if spatial < 0 {
		c.Unknown(0, "neither the number of image_shape's values nor that of block_shape's is known")
		return nil
	}
	if n < 0 {
		image = make([]dim.Dim, spatial)
	}
	if m < 0 {
		block = make([]dim.Dim, spatial)
	}
	channels, err := col2ImChannels(c, x.At(1), block)
	if err != nil {
		return err
	}
	if err := col2ImBlocks(c, x.At(2), image, block); err != nil {
		return err
	}
	if !op.AllKnown(image) || !op.AllKnown(block) {
		c.Unknown(0, "the values of image_shape or block_shape are unknown")
	}
	out := make([]dim.Dim, 0, spatial+2)
	out = append(append(out, x.At(0), channels), image...)
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// col2ImChannels is C = columns/product(block).
func col2ImChannels(c *op.Call, columns dim.Dim, block []dim.Dim) (dim.Dim, error) {
	size, err := c.Product("the size of a block", block...)
	if err != nil {
		return size, err
	}
	if n, ok := size.Int(); ok {
		if n < 1 {
			return size, c.Errorf(op.CodeValue, "block_shape holds 0")
		}
		if k, ok := columns.Int(); ok && k%n != 0 {
			return size, c.Errorf(op.CodeShape, "a block of %d elements does not divide the %d rows", n, k)
		}
	}
	return dim.Div(columns, size), nil
}

// col2ImBlocks checks L, the number of blocks, and the attributes.
func col2ImBlocks(c *op.Call, blocks dim.Dim, image, block []dim.Dim) error {
	w, err := Window(c, len(image))
	if err != nil {
		return err
	}
	positions := make([]dim.Dim, len(image))
	if err := Slide(c, &w, image, block, positions); err != nil {
		return err
	}
	return c.SameSize("number of blocks", blocks, dim.Product(positions...))
}
