package movement

import (
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// This file holds operators that rearrange or blank elements within a tensor
// and keep its type.
//
// Trilu: https://onnx.ai/onnx/operators/onnx__Trilu.html
//
// ReverseSequence: https://onnx.ai/onnx/operators/onnx__ReverseSequence.html
// 28: more element types.
var triangleOps = []op.Op{
	{Name: "Trilu", Versions: []int{14}, Infer: Trilu, Effect: op.Moves},
	{Name: "ReverseSequence", Versions: []int{10, 28}, Infer: reverseSequence, Effect: op.Keeps},
}

// Trilu zeroes what lies below (upper) or above the k-th diagonal.
func Trilu(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), in)
	if in.Ranked() && in.Rank() < 2 {
		return c.Errorf(op.CodeRank, "%s has no matrix: its rank is below 2", in)
	}
	if n, ok := c.Shape(1).Elements().Int(); ok && n != 1 {
		return c.Errorf(op.CodeShape, "k has %d elements, not one", n)
	}
	v, dims := elements.Followed(c, 0, c.DType(0), in)
	if v == nil {
		return nil
	}
	k := dim.Int(0)
	if c.Has(1) {
		k = c.Number(1)
	}
	diagonal, ok := k.Int()
	if !ok {
		return nil
	}
	rows, columns := dims[len(dims)-2], dims[len(dims)-1]
	upper := c.Flag("upper", true)
	out := &tensor.Value{DType: v.DType, Dims: dims, Elems: slices.Clone(v.Elems)}
	for i := range out.Elems {
		row, column := int64(i)/columns%rows, int64(i)%columns
		if upper && column-row < diagonal || !upper && column-row > diagonal {
			out.Elems[i] = tensor.Int(0)
		}
	}
	c.SetValue(0, out)
	return nil
}

func reverseSequence(c *op.Call) error {
	in, lens := c.Shape(0), c.Shape(1)
	c.Set(0, c.DType(0), in)
	if in.Ranked() && in.Rank() < 2 {
		return c.Errorf(op.CodeRank, "%s has no time and batch axes", in)
	}
	if lens.Ranked() && lens.Rank() != 1 {
		return c.Errorf(op.CodeRank, "sequence_lens must be a vector, not %s", lens)
	}
	batch, time := c.Int("batch_axis", 1), c.Int("time_axis", 0)
	if batch != 0 && batch != 1 || time != 0 && time != 1 || batch == time {
		return c.Errorf(op.CodeAttribute, "batch_axis %d and time_axis %d must be 0 and 1, in either order", batch, time)
	}
	if _, ok := op.MergeDims(in.At(int(batch)), lens.At(0)); !ok {
		return c.Errorf(op.CodeShape, "%s sequence_lens for a batch of %s", lens.At(0), in.At(int(batch)))
	}
	return nil
}
