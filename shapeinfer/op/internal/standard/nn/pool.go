package nn

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the pools that slide a window.
//
// AveragePool: https://onnx.ai/onnx/operators/onnx__AveragePool.html
// 7: count_include_pad; 10: ceil_mode; 11: missing strides are 1; 19:
// dilations; 22: windows that start in the padding at the end are left out.
//
// MaxPool: https://onnx.ai/onnx/operators/onnx__MaxPool.html
// 8: the output Indices and storage_order; 10: ceil_mode and dilations; 11:
// missing strides and dilations are 1; 12: 8-bit integers; 22: as AveragePool.
//
// LpPool: https://onnx.ai/onnx/operators/onnx__LpPool.html
// 1: kernel_shape may be missing, p is a float; 2: kernel_shape is required, p
// an integer; 11: missing strides are 1; 18: ceil_mode and dilations; 22:
// bfloat16.
//
// MaxUnpool: https://onnx.ai/onnx/operators/onnx__MaxUnpool.html
// 11: missing strides are 1; 22: bfloat16.
//
// An attribute that a version does not have yet can't be there: the schema
// refuses it, so one rule serves all versions.
var poolOps = []op.Op{
	{Name: "AveragePool", Versions: []int{1, 7, 10, 11, 19, 22}, Infer: Pool},
	{Name: "LpPool", Versions: []int{1, 2, 11, 18, 22}, Infer: Pool},
	{Name: "MaxPool", Versions: []int{1, 8, 10, 11, 12, 22}, Infer: Pool},
	{Name: "MaxUnpool", Versions: []int{9, 11, 22}, Infer: MaxUnpool},
}

// Pool sets output 0, and output 1 of MaxPool with the INT64 indices of the
// maxima, which has the same shape.
func Pool(c *op.Call) error {
	return SetPool(c, c.DType(0), c.Shape(0), ChannelsFirst)
}

func SetPool(c *op.Call, d onnxgraph.DType, x tensor.Shape, l Layout) error {
	setPooled(c, d, tensor.Shape{})
	shape, err := poolShape(c, x, l)
	if err != nil {
		return err
	}
	setPooled(c, d, shape)
	switch {
	case !shape.Ranked():
		c.Unknown(0, "the rank of the input is unknown")
	case !c.HasAttr("kernel_shape"):
		c.Unknown(0, "kernel_shape is not given")
	}
	return nil
}

func setPooled(c *op.Call, d onnxgraph.DType, s tensor.Shape) {
	c.Set(0, d, s)
	c.Set(1, onnxgraph.Int64, s)
}

// poolShape is the output's shape of a pool over the image x. The attributes
// are the call's.
func poolShape(c *op.Call, x tensor.Shape, l Layout) (tensor.Shape, error) {
	if err := c.CheckImageRank("input", x); err != nil {
		return tensor.Shape{}, err
	}
	if !x.Ranked() {
		if !c.HasAttr("kernel_shape") {
			return tensor.Shape{}, nil
		}
		x = tensor.RankOnly(len(c.IntList("kernel_shape")) + 2)
	}
	spatial := x.Rank() - 2
	w, err := Window(c, spatial)
	if err != nil {
		return tensor.Shape{}, err
	}
	w.pool = true
	out := x.Clone()
	s := l.Spatial()
	sides := out[s : s+spatial]
	if w.kernel == nil {
		clear(sides)
		return tensor.MakeShape(out...), nil
	}
	err = Slide(c, &w, x.Dims()[s:s+spatial], op.IntDims(w.kernel), sides)
	return tensor.MakeShape(out...), err
}

// MaxUnpool sets the unpooled type: the optional third input is the output's whole shape; else
// stride*(in - 1) + kernel - pads.
func MaxUnpool(c *op.Call) error {
	x, indices := c.Shape(0), c.Shape(1)
	c.Set(0, c.DType(0), tensor.Shape{})
	if x.Ranked() && indices.Ranked() && x.Rank() != indices.Rank() {
		return c.Errorf(op.CodeRank, "input %s and indices %s differ in rank", x, indices)
	}
	for i := range x.Dims() {
		if err := c.SameSize("input and indices", x.At(i), indices.At(i)); err != nil {
			return err
		}
	}
	if !x.Ranked() {
		x = indices
	}
	if err := c.CheckImageRank("input", x); err != nil {
		return err
	}
	if !x.Ranked() {
		if c.Has(2) {
			return unpoolTo(c, x.Rank())
		}
		c.Unknown(0, "the rank of the input is unknown")
		return nil
	}
	w, err := Window(c, x.Rank()-2)
	if err != nil {
		return err
	}
	if c.Has(2) {
		return unpoolTo(c, x.Rank())
	}
	out := x.Clone()
	for i := range w.kernel {
		out[2+i] = w.spread(x.At(2+i), dim.Int(w.kernel[i]), i, 0)
		if n, ok := out[2+i].Int(); ok && n < 0 {
			return c.Errorf(op.CodeShape, "spatial axis %d would get size %d", i, n)
		}
	}
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// unpoolTo takes the output's shape from the input output_shape.
func unpoolTo(c *op.Call, rank int) error {
	shape, ok := c.Dims(2)
	if !ok {
		if rank < 0 {
			if n, ok := c.Shape(2).At(0).Int(); ok && n <= op.MaxRank {
				rank = int(n)
			}
		}
		if rank >= 0 {
			c.Set(0, c.DType(0), tensor.RankOnly(rank))
		}
		c.Unknown(0, "the values of output_shape are unknown")
		return nil
	}
	if rank >= 0 && len(shape) != rank {
		return c.Errorf(op.CodeShape, "output_shape has %d numbers, the input has rank %d", len(shape), rank)
	}
	for _, d := range shape {
		if n, ok := d.Int(); ok && n < 0 {
			return c.Errorf(op.CodeValue, "output_shape holds %d", n)
		}
	}
	c.Set(0, c.DType(0), tensor.MakeShape(shape...))
	return nil
}
