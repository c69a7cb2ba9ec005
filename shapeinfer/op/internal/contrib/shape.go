package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/generate"
	"onnxmem/shapeinfer/op/internal/standard/movement"
	"onnxmem/shapeinfer/op/internal/standard/vision"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.microsoft that move, add or choose
// elements and whose like the default domain has too
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribShapeOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "CropAndResize", Versions: []int{1}, Infer: cropAndResize},
	{Domain: op.DomainMicrosoft, Name: "ExpandDims", Versions: []int{1},
		Infer: expandDims, Views: op.ViewOfFirst, Effect: op.Keeps, Roles: op.ThroughFirst},
	{Domain: op.DomainMicrosoft, Name: "GridSample", Versions: []int{1}, Infer: vision.GridSampleImage},
	{Domain: op.DomainMicrosoft, Name: "Pad", Versions: []int{1}, Infer: movement.PadInput, Effect: op.Moves, Roles: op.ThroughFirst},
	{Domain: op.DomainMicrosoft, Name: "Range", Versions: []int{1}, Infer: rangeContrib, Effect: op.Moves},
	{Domain: op.DomainMicrosoft, Name: "Trilu", Versions: []int{1}, Infer: movement.Trilu, Effect: op.Moves},
	{Domain: op.DomainMicrosoft, Name: "UnfoldTensor", Versions: []int{1}, Infer: unfoldTensor, Effect: op.Moves},
	{Domain: op.DomainMicrosoft, Name: "Unique", Versions: []int{1}, Infer: uniqueContrib, Effect: op.Reduces},
}

// cropAndResize: crop_size, input 3, is the height and width of all crops.
func cropAndResize(c *op.Call) error {
	size, n, err := c.Sizes(3, "crop_size")
	if err != nil {
		return err
	}
	if n >= 0 && n != 2 {
		return c.Errorf(op.CodeShape, "crop_size has %d numbers, not 2", n)
	}
	if n < 0 {
		size = make([]dim.Dim, 2)
	}
	if !op.AllKnown(size) {
		c.Unknown(0, "the values of crop_size are unknown")
	}
	if err := c.CheckRank(2, "batch_indices", 1); err != nil {
		return err
	}
	return vision.RoiPool(c, 4, c.Shape(2).At(0), size[0], size[1])
}

// expandDims adds one axis at the place that input 1 names.
func expandDims(c *op.Call) error {
	x := c.Shape(0)
	axis, ok := c.Number(1).Int()
	if ok {
		return movement.Unsqueeze(c, []int64{axis})
	}
	c.Set(0, c.DType(0), tensor.Shape{})
	if x.Ranked() {
		c.Set(0, c.DType(0), tensor.RankOnly(x.Rank()+1))
	}
	c.Unknown(0, "the value of axis is unknown")
	return nil
}

// rangeContrib: delta is 1 where it is left out.
func rangeContrib(c *op.Call) error {
	if c.Has(2) {
		return generate.RangeOp(c)
	}
	d := c.DType(0)
	count := generate.RangeCount(d, c.Scalar(0), c.Scalar(1), tensor.Int(1))
	if !count.IsKnown() {
		count = c.NewSymbol(0, 0, 0, dim.Unknown())
	}
	c.Set(0, d, tensor.MakeShape(count))
	return nil
}

// unfoldTensor lists the slices of some size along an axis, each step apart,
// with the elements of a slice on a new last axis.
func unfoldTensor(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	size, step := c.Int("size", 0), c.Int("step", 1)
	if size < 1 || step < 1 {
		return c.Errorf(op.CodeAttribute, "size is %d, step is %d", size, step)
	}
	if !x.Ranked() {
		return nil
	}
	axis, err := c.Axis(c.Int("dim", -1), x.Rank())
	if err != nil {
		return err
	}
	if n, ok := x.At(axis).Int(); ok && n < size {
		return c.Errorf(op.CodeShape, "slices of %d do not fit into axis %d of %s", size, axis, x)
	}
	out := append(x.Clone(), dim.Int(size))
	out[axis] = dim.Add(dim.FloorDiv(dim.Sub(x.At(axis), dim.Int(size)), dim.Int(step)), dim.Int(1))
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// uniqueContrib: the values of a vector, where each entry went, and how often
// each value occurs.
func uniqueContrib(c *op.Call) error {
	if err := c.CheckRank(0, "x", 1); err != nil {
		return err
	}
	n := c.Shape(0).Elements()
	kept := movement.UniqueCount(c, 0, n)
	c.Set(0, c.DType(0), tensor.MakeShape(kept))
	c.Set(1, onnxgraph.Int64, tensor.MakeShape(n))
	c.Set(2, onnxgraph.Int64, tensor.MakeShape(kept))
	return nil
}
