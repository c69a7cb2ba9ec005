package op

import (
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds what rules for many operators say of axes and dims: axes from
// the end, broadcasting, and what two descriptions of one dim add up to.

// Axis brings an axis into [0, rank); negative ones count from the end.
func (c *Call) Axis(axis int64, rank int) (int, error) {
	n := axis
	if n < 0 {
		n += int64(rank)
	}
	if n < 0 || n >= int64(rank) {
		return 0, c.Errorf(CodeAttribute, "axis %d is outside rank %d", axis, rank)
	}
	return int(n), nil
}

// Axes brings a list of axes into [0, rank) and refuses repetitions.
func (c *Call) Axes(axes []int64, rank int) ([]int, error) {
	out := make([]int, len(axes))
	seen := make([]bool, rank)
	for i, a := range axes {
		n, err := c.Axis(a, rank)
		if err != nil {
			return nil, err
		}
		if seen[n] {
			return nil, c.Errorf(CodeAttribute, "axis %d is named twice", a)
		}
		seen[n] = true
		out[i] = n
	}
	return out, nil
}

// BroadcastDim is the dim of two that meet in numpy's broadcasting
// (https://github.com/onnx/onnx/blob/main/docs/Broadcasting.md). A number
// above one decides, since a symbol beside it must be equal or one. Of two
// different expressions the larger counts: one of them must be one.
func BroadcastDim(a, b dim.Dim) (d dim.Dim, ok bool) {
	an, aInt := a.Int()
	bn, bInt := b.Int()
	switch {
	case aInt && an == 1:
		return b, true
	case bInt && bn == 1:
		return a, true
	case aInt && bInt:
		return a, an == bn
	case aInt:
		return a, true
	case bInt:
		return b, true
	case !a.IsKnown() || !b.IsKnown():
		return dim.Unknown(), true
	case dim.Equal(a, b):
		return a, true
	}
	return dim.Max(a, b), true
}

// Broadcast is numpy's broadcasting over any number of shapes. The result is
// unknown as soon as one rank is.
func (c *Call) Broadcast(shapes ...tensor.Shape) (tensor.Shape, error) {
	rank := 0
	for _, s := range shapes {
		if !s.Ranked() {
			return tensor.Shape{}, nil
		}
		rank = max(rank, s.Rank())
	}
	if len(shapes) > 0 && sameDims(shapes) {
		return shapes[0], nil
	}
	out := make([]dim.Dim, rank)
	for i := range out {
		out[i] = dim.Int(1)
	}
	for _, s := range shapes {
		offset := rank - s.Rank()
		for i, d := range s.Dims() {
			merged, ok := BroadcastDim(out[offset+i], d)
			if !ok {
				return tensor.Shape{}, c.Errorf(CodeShape, "shapes do not broadcast: %s and %s on axis %d", out[offset+i], d, offset+i)
			}
			out[offset+i] = merged
		}
	}
	return tensor.MakeShape(out...), nil
}

func sameDims(shapes []tensor.Shape) bool {
	return shapes[0].Ranked() && !slices.ContainsFunc(shapes[1:], func(s tensor.Shape) bool { return !s.Equal(shapes[0]) })
}

// MergeDims combines two descriptions of the same dim: the one that knows
// more. ok is false when they contradict each other.
func MergeDims(a, b dim.Dim) (d dim.Dim, ok bool) {
	switch {
	case !a.IsKnown():
		return b, true
	case !b.IsKnown():
		return a, true
	}
	an, aInt := a.Int()
	bn, bInt := b.Int()
	switch {
	case aInt && bInt:
		return a, an == bn
	case bInt:
		return b, true
	default:
		return a, true
	}
}

// LikeFirst gives output 0 the type of input 0.
func LikeFirst(c *Call) error {
	c.Set(0, c.DType(0), c.Shape(0))
	return nil
}

// IntDims are numbers as dims.
func IntDims(list []int64) []dim.Dim {
	dims := make([]dim.Dim, len(list))
	for i, n := range list {
		dims[i] = dim.Int(n)
	}
	return dims
}

func IsPositive(d dim.Dim) bool {
	low, ok := d.Lower()
	return ok && low >= 1
}

func IsNonNegative(d dim.Dim) bool {
	low, ok := d.Lower()
	return ok && low >= 0
}

func IsZeroDim(d dim.Dim) bool {
	n, ok := d.Int()
	return ok && n == 0
}
