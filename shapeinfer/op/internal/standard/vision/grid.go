package vision

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators that sample an image at a grid of places.
//
// GridSample: https://onnx.ai/onnx/operators/onnx__GridSample.html
// 16: images; 20: any number of spatial axes, other names of the modes; 22:
// bfloat16.
//
// AffineGrid: https://onnx.ai/onnx/operators/onnx__AffineGrid.html
// 20: the grid itself, of the size in input 1.
var gridOps = []op.Op{
	{Name: "GridSample", Versions: []int{16}, Infer: GridSampleImage},
	{Name: "GridSample", Versions: []int{20, 22}, Infer: GridSample},
	{Name: "AffineGrid", Versions: []int{20}, Infer: affineGrid},
}

func GridSampleImage(c *op.Call) error {
	if x := c.Shape(0); x.Ranked() && x.Rank() != 4 {
		return c.Errorf(op.CodeRank, "input %s is not N x C x H x W", x)
	}
	if grid := c.Shape(1); grid.Ranked() && grid.Rank() != 4 {
		return c.Errorf(op.CodeRank, "grid %s is not N x H x W x 2", grid)
	}
	return GridSample(c)
}

// GridSample sets the sampled type: X is N x C x d1 ... dr, grid N x D1 ... Dr x r, the output N x C
// x D1 ... Dr.
func GridSample(c *op.Call) error {
	x, grid := c.Shape(0), c.Shape(1)
	c.Set(0, c.DType(0), tensor.Shape{})
	if err := c.CheckImageRank("input", x); err != nil {
		return err
	}
	if err := c.CheckImageRank("grid", grid); err != nil {
		return err
	}
	rank := max(x.Rank(), grid.Rank())
	switch {
	case rank < 0:
		c.Unknown(0, "neither the input's nor the grid's rank is known")
		return nil
	case x.Ranked() && grid.Ranked() && x.Rank() != grid.Rank():
		return c.Errorf(op.CodeRank, "input %s and grid %s differ in rank", x, grid)
	}
	if err := c.SameSize("coordinates of the grid and spatial axes", grid.At(rank-1), dim.Int(int64(rank-2))); err != nil {
		return err
	}
	batch, ok := op.MergeDims(x.At(0), grid.At(0))
	if !ok {
		return c.Errorf(op.CodeShape, "input %s and grid %s differ in batch size", x, grid)
	}
	out := make([]dim.Dim, rank)
	out[0], out[1] = batch, x.At(1)
	for i := 2; i < rank; i++ {
		out[i] = grid.At(i - 1)
	}
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// affineGrid: theta is N x 2 x 3 or N x 3 x 4; size names N, C and the spatial
// sizes; the output is N x sizes x 2 or 3.
func affineGrid(c *op.Call) error {
	theta := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if theta.Ranked() && theta.Rank() != 3 {
		return c.Errorf(op.CodeRank, "theta %s is not N x 2 x 3 or N x 3 x 4", theta)
	}
	size, n, err := c.Sizes(1, "size")
	if err != nil {
		return err
	}
	if n >= 0 && n != 4 && n != 5 {
		return c.Errorf(op.CodeShape, "size has %d numbers, not 4 or 5", n)
	}
	spatial := n - 2
	if n < 0 {
		rows, _ := theta.At(1).Int()
		columns, _ := theta.At(2).Int()
		if spatial = int(max(rows, columns-1)); spatial != 2 && spatial != 3 {
			c.Unknown(0, "neither the values of size nor the size of theta are known")
			return nil
		}
		size = make([]dim.Dim, spatial+2)
	}
	for i, want := range []int{spatial, spatial + 1} {
		if err := c.SameSize("theta for that many spatial axes", theta.At(1+i), dim.Int(int64(want))); err != nil {
			return err
		}
	}
	batch, ok := op.MergeDims(size[0], theta.At(0))
	if !ok {
		return c.Errorf(op.CodeShape, "theta %s and size differ in batch size", theta)
	}
	if !op.AllKnown(size[2:]) {
		c.Unknown(0, "the values of size are unknown")
	}
	out := make([]dim.Dim, 0, spatial+2)
	out = append(append(append(out, batch), size[2:]...), dim.Int(int64(spatial)))
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}
