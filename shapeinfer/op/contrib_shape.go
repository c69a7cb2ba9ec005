package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.microsoft that move, add or choose
// elements and whose like the default domain has too
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribShapeOps = []Op{
	{Domain: DomainMicrosoft, Name: "CropAndResize", Versions: []int{1}, Infer: cropAndResize},
	{Domain: DomainMicrosoft, Name: "ExpandDims", Versions: []int{1}, Infer: expandDims, Views: viewOfFirst},
	{Domain: DomainMicrosoft, Name: "GridSample", Versions: []int{1}, Infer: gridSampleImage},
	{Domain: DomainMicrosoft, Name: "Pad", Versions: []int{1}, Infer: padInput},
	{Domain: DomainMicrosoft, Name: "Range", Versions: []int{1}, Infer: rangeContrib},
	{Domain: DomainMicrosoft, Name: "Trilu", Versions: []int{1}, Infer: trilu},
	{Domain: DomainMicrosoft, Name: "UnfoldTensor", Versions: []int{1}, Infer: unfoldTensor},
	{Domain: DomainMicrosoft, Name: "Unique", Versions: []int{1}, Infer: uniqueContrib},
}

// cropAndResize: crop_size, input 3, is the height and width of all crops.
func cropAndResize(c *Call) error {
	size, n, err := c.sizes(3, "crop_size")
	if err != nil {
		return err
	}
	if n >= 0 && n != 2 {
		return c.Errorf(CodeShape, "crop_size has %d numbers, not 2", n)
	}
	if n < 0 {
		size = make([]dim.Dim, 2)
	}
	if !allKnown(size) {
		c.Unknown(0, "the values of crop_size are unknown")
	}
	if err := c.ranked(2, "batch_indices", 1); err != nil {
		return err
	}
	return c.roiPool(4, c.Shape(2).At(0), size[0], size[1])
}

// expandDims adds one axis at the place that input 1 names.
func expandDims(c *Call) error {
	x := c.Shape(0)
	axis, ok := c.number(1).Int()
	if ok {
		return c.unsqueeze([]int64{axis})
	}
	c.Set(0, c.DType(0), tensor.Shape{})
	if x.Ranked() {
		c.Set(0, c.DType(0), tensor.RankOnly(x.Rank()+1))
	}
	c.Unknown(0, "the value of axis is unknown")
	return nil
}

// rangeContrib: delta is 1 where it is left out.
func rangeContrib(c *Call) error {
	if c.Has(2) {
		return rangeOp(c)
	}
	d := c.DType(0)
	count := rangeCount(d, c.onlyElement(0), c.onlyElement(1), tensor.Int(1))
	if !count.IsKnown() {
		count = c.Fresh(0, 0, 0, dim.Unknown())
	}
	c.Set(0, d, tensor.MakeShape(count))
	return nil
}

// unfoldTensor lists the slices of some size along an axis, each step apart,
// with the elements of a slice on a new last axis.
func unfoldTensor(c *Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	size, step := c.Int("size", 0), c.Int("step", 1)
	if size < 1 || step < 1 {
		return c.Errorf(CodeAttribute, "size is %d, step is %d", size, step)
	}
	if !x.Ranked() {
		return nil
	}
	axis, err := c.Axis(c.Int("dim", -1), x.Rank())
	if err != nil {
		return err
	}
	if n, ok := x.At(axis).Int(); ok && n < size {
		return c.Errorf(CodeShape, "slices of %d do not fit into axis %d of %s", size, axis, x)
	}
	out := append(x.Clone(), dim.Int(size))
	out[axis] = dim.Add(dim.FloorDiv(dim.Sub(x.At(axis), dim.Int(size)), dim.Int(step)), dim.Int(1))
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// uniqueContrib: the values of a vector, where each entry went, and how often
// each value occurs.
func uniqueContrib(c *Call) error {
	if err := c.ranked(0, "x", 1); err != nil {
		return err
	}
	n := c.Shape(0).Elements()
	kept := c.uniqueCount(0, n)
	c.Set(0, c.DType(0), tensor.MakeShape(kept))
	c.Set(1, onnxgraph.Int64, tensor.MakeShape(n))
	c.Set(2, onnxgraph.Int64, tensor.MakeShape(kept))
	return nil
}
