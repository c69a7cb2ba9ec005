package movement

import (
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators that repeat elements.
//
// Expand: https://onnx.ai/onnx/operators/onnx__Expand.html
// 13: more element types.
//
// Tile: https://onnx.ai/onnx/operators/onnx__Tile.html
// 1: the number of copies and the one axis are inputs; 6: a number of copies
// per axis; 13: more element types.
var expandOps = []op.Op{
	{Name: "Expand", Versions: []int{8, 13}, Infer: expand, Effect: op.Moves, Roles: op.ThroughFirst},
	{Name: "Tile", Versions: []int{1}, Infer: tile1, Effect: op.Moves, Roles: op.ThroughFirst},
	{Name: "Tile", Versions: []int{6, 13}, Infer: tile, Effect: op.Moves, Roles: op.ThroughFirst},
}

func expand(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if err := c.CheckRank(1, "the shape to expand to", 1); err != nil {
		return err
	}
	target, n, err := c.Sizes(1, "the shape to expand to")
	if err != nil {
		return err
	}
	if n < 0 || !in.Ranked() {
		return nil
	}
	rank := max(in.Rank(), n)
	out := make([]dim.Dim, rank)
	for i := range out {
		have, want := dim.Int(1), dim.Int(1)
		if k := i - (rank - in.Rank()); k >= 0 {
			have = in.At(k)
		}
		if k := i - (rank - n); k >= 0 {
			want = target[k]
		}
		var ok bool
		if out[i], ok = op.BroadcastDim(have, want); !ok {
			return c.Errorf(op.CodeShape, "%s does not expand to %s on axis %d", in, tensor.MakeShape(target...), i)
		}
		if !want.IsKnown() && !out[i].IsKnown() {
			out[i] = c.NewSymbol(0, i, 0, dim.Unknown())
		}
	}
	shape := tensor.MakeShape(out...)
	c.Set(0, c.DType(0), shape)
	v, dims := elements.Followed(c, 0, c.DType(0), shape)
	if v == nil {
		return nil
	}
	steps := make([]int64, rank)
	offset := rank - len(v.Dims)
	for i, step := range elements.RowStrides(v.Dims) {
		if v.Dims[i] != 1 {
			steps[offset+i] = step
		}
	}
	c.SetValue(0, elements.Strided(v, dims, 0, steps))
	return nil
}

func tile(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if err := c.CheckRank(1, "repeats", 1); err != nil {
		return err
	}
	repeats, n, err := c.Sizes(1, "repeats")
	if err != nil {
		return err
	}
	switch {
	case !in.Ranked():
		if n >= 0 {
			c.Set(0, c.DType(0), tensor.RankOnly(n))
		}
		return nil
	case n < 0:
		repeats = make([]dim.Dim, in.Rank())
	case n != in.Rank():
		return c.Errorf(op.CodeShape, "%d repeats for an input of rank %d", n, in.Rank())
	}
	return tileBy(c, repeats)
}

// tile1 repeats along the one axis that an input names.
func tile1(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if !in.Ranked() {
		return nil
	}
	repeats := slices.Repeat([]dim.Dim{dim.Int(1)}, in.Rank())
	copies, axis := c.Number(1), c.Number(2)
	at, ok := axis.Int()
	if !ok {
		return tileBy(c, make([]dim.Dim, in.Rank()))
	}
	i, err := c.Axis(at, in.Rank())
	if err != nil {
		return err
	}
	if n, ok := copies.Int(); ok && n < 0 {
		return c.Errorf(op.CodeValue, "%d copies", n)
	}
	repeats[i] = copies
	return tileBy(c, repeats)
}

func tileBy(c *op.Call, repeats []dim.Dim) (err error) {
	in := c.Shape(0)
	out := make([]dim.Dim, in.Rank())
	for i, d := range in.Dims() {
		switch {
		case op.IsZeroDim(d) || op.IsZeroDim(repeats[i]):
			out[i] = dim.Int(0)
		case !repeats[i].IsKnown():
			out[i] = c.NewSymbol(0, i, 0, dim.Unknown())
		default:
			if out[i], err = c.Product("a dim of the result", d, repeats[i]); err != nil {
				return err
			}
		}
	}
	shape := tensor.MakeShape(out...)
	c.Set(0, c.DType(0), shape)
	if v, dims := elements.Followed(c, 0, c.DType(0), shape); v != nil {
		c.SetValue(0, tiled(v, dims))
	}
	return nil
}

// tiled repeats v until it fills dims.
func tiled(v *tensor.Value, dims []int64) *tensor.Value {
	out := &tensor.Value{DType: v.DType, Dims: dims, Elems: make([]tensor.Scalar, elements.ElementCount(dims))}
	index, strides := make([]int64, len(dims)), elements.RowStrides(v.Dims)
	for k := range out.Elems {
		at := int64(0)
		for i, x := range index {
			at += x % v.Dims[i] * strides[i]
		}
		out.Elems[k] = v.Elems[at]
		elements.NextIndex(index, dims)
	}
	return out
}
