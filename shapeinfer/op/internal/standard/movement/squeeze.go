package movement

import (
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators that only relabel axes.
//
// Flatten: https://onnx.ai/onnx/operators/onnx__Flatten.html
// 11: negative axes; 9, 13, 21, 23, 24, 25: more element types.
//
// Squeeze: https://onnx.ai/onnx/operators/onnx__Squeeze.html
// 11: negative axes; 13: axes are an input; 21, 23, 24, 25: more element types.
//
// Unsqueeze: https://onnx.ai/onnx/operators/onnx__Unsqueeze.html
// 11: negative axes; 13: axes are an input; 21, 23, 24, 25: more element types.
var squeezeOps = []op.Op{
	{Name: "Flatten", Versions: []int{1, 9, 11, 13, 21, 23, 24, 25}, Infer: flatten, Views: op.ViewOfFirst, Effect: op.Keeps, Roles: op.ThroughFirst},
	{Name: "Squeeze", Versions: []int{1, 11}, Infer: squeezeAttr, Views: op.ViewOfFirst, Effect: op.Keeps, Roles: op.ThroughFirst},
	{Name: "Squeeze", Versions: []int{13, 21, 23, 24, 25}, Infer: squeezeInput, Views: op.ViewOfFirst, Effect: op.Keeps, Roles: op.ThroughFirst},
	{Name: "Unsqueeze", Versions: []int{1, 11}, Infer: unsqueezeAttr, Views: op.ViewOfFirst, Effect: op.Keeps, Roles: op.ThroughFirst},
	{Name: "Unsqueeze", Versions: []int{13, 21, 23, 24, 25}, Infer: unsqueezeInput, Views: op.ViewOfFirst, Effect: op.Keeps, Roles: op.ThroughFirst},
}

// flatten gives [product of the dims before axis, product of the others].
func flatten(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), tensor.RankOnly(2))
	if !in.Ranked() {
		return nil
	}
	axis, rank := c.Int("axis", 1), int64(in.Rank())
	if axis < 0 && c.Since >= 11 {
		axis += rank
	}
	if axis < 0 || axis > rank {
		return c.Errorf(op.CodeAttribute, "axis %d is outside rank %d in version %d", c.Int("axis", 1), rank, c.Since)
	}
	outer, err := c.Product("the product of the dims before axis", zeroOrAll(in.Dims()[:axis])...)
	if err != nil {
		return err
	}
	inner, err := c.Product("the product of the dims from axis on", zeroOrAll(in.Dims()[axis:])...)
	if err != nil {
		return err
	}
	relabel(c, tensor.MakeShape(outer, inner))
	return nil
}

// zeroOrAll returns the dims, or a single zero where there is one: it decides
// the product even beside unknown dims.
func zeroOrAll(ds []dim.Dim) []dim.Dim {
	for i, d := range ds {
		if n, ok := d.Int(); ok && n == 0 {
			return ds[i : i+1]
		}
	}
	return ds
}

// relabel sets output 0 to input 0 in another shape, element by element.
func relabel(c *op.Call, s tensor.Shape) {
	c.Set(0, c.DType(0), s)
	v, dims := elements.Followed(c, 0, c.DType(0), s)
	if v != nil && elements.ElementCount(dims) == int64(len(v.Elems)) {
		c.SetValue(0, v.WithDims(dims))
	}
}

func squeezeAttr(c *op.Call) error {
	if !c.HasAttr("axes") {
		return squeezeOnes(c)
	}
	axes := c.IntList("axes")
	if len(axes) == 0 {
		c.Set(0, c.DType(0), tensor.Shape{})
		return squeezeNone(c)
	}
	return squeeze(c, axes)
}

func squeezeInput(c *op.Call) error {
	if !c.Has(1) {
		return squeezeOnes(c)
	}
	c.Set(0, c.DType(0), tensor.Shape{})
	if err := c.CheckRank(1, "axes", 1); err != nil {
		return err
	}
	n, ok := c.VectorLength(1)
	if ok && n == 0 {
		return squeezeNone(c)
	}
	if axes, ok := c.Ints(1); ok {
		return squeeze(c, axes)
	}
	in := c.Shape(0)
	if ok && in.Ranked() {
		if n > in.Rank() {
			return c.Errorf(op.CodeRank, "%d axes are more than the input's rank %d", n, in.Rank())
		}
		c.Set(0, c.DType(0), tensor.RankOnly(in.Rank()-n))
	}
	c.Unknown(0, "the axes are known only at run time")
	return nil
}

// squeeze removes the given axes, whose dims must be one.
func squeeze(c *op.Call, axes []int64) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if !in.Ranked() {
		return nil
	}
	gone, err := c.Axes(axes, in.Rank())
	if err != nil {
		return err
	}
	out := make([]dim.Dim, 0, in.Rank())
	for i, d := range in.Dims() {
		if !slices.Contains(gone, i) {
			out = append(out, d)
		} else if n, ok := d.Int(); ok && n != 1 {
			return c.Errorf(op.CodeShape, "dim %d of %s is not one", i, in)
		}
	}
	relabel(c, tensor.MakeShape(out...))
	return nil
}

// squeezeNone is an empty list of axes. By the text it names no axis; ONNX
// Runtime takes it for a list left out (squeeze.h). Both agree where no dim is
// one.
func squeezeNone(c *op.Call) error {
	in := c.Shape(0)
	for _, d := range in.Dims() {
		if !dim.NotEqual(d, dim.Int(1)) {
			c.Unknown(0, "axes is empty: runtimes remove every dim that is one, or none")
			return nil
		}
	}
	if in.Ranked() {
		relabel(c, in)
	}
	return nil
}

// squeezeOnes removes every dim that is one. The rank of the result is known
// only where each dim is known to be one or not to be.
func squeezeOnes(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if !in.Ranked() {
		return nil
	}
	out := make([]dim.Dim, 0, in.Rank())
	for i, d := range in.Dims() {
		n, isInt := d.Int()
		switch {
		case isInt && n == 1:
		case isInt || d.IsKnown() && dim.NotEqual(d, dim.Int(1)):
			out = append(out, d)
		default:
			c.Unknown(0, "dim %d of %s may be one, and is removed then", i, in)
			return nil
		}
	}
	relabel(c, tensor.MakeShape(out...))
	return nil
}

func unsqueezeAttr(c *op.Call) error { return Unsqueeze(c, c.IntList("axes")) }

func unsqueezeInput(c *op.Call) error {
	c.Set(0, c.DType(0), tensor.Shape{})
	if err := c.CheckRank(1, "axes", 0, 1); err != nil { // runtimes take a scalar too
		return err
	}
	axes, ok := c.Ints(1)
	if ok {
		return Unsqueeze(c, axes)
	}
	if n, ok := c.VectorLength(1); ok && c.Shape(0).Ranked() {
		c.Set(0, c.DType(0), tensor.RankOnly(c.Shape(0).Rank()+n))
	}
	c.Unknown(0, "the axes are known only at run time")
	return nil
}

// Unsqueeze inserts a dim of one at each of the given axes of the output.
func Unsqueeze(c *op.Call, axes []int64) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if !in.Ranked() {
		return nil
	}
	if len(axes) > op.MaxRank {
		return c.Errorf(op.CodeAttribute, "%d axes are too many", len(axes))
	}
	rank := in.Rank() + len(axes)
	added, err := c.Axes(axes, rank)
	if err != nil {
		return err
	}
	out := make([]dim.Dim, rank)
	for _, i := range added {
		out[i] = dim.Int(1)
	}
	next := 0
	for i := range out {
		if !slices.Contains(added, i) {
			out[i] = in.At(next)
			next++
		}
	}
	relabel(c, tensor.MakeShape(out...))
	return nil
}
