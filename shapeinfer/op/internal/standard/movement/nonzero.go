package movement

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/op/internal/scalar"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators whose output is as long as a condition holds.
//
// NonZero: https://onnx.ai/onnx/operators/onnx__NonZero.html
// 13: more element types.
//
// Compress: https://onnx.ai/onnx/operators/onnx__Compress.html
// 11: a negative axis; 28: more element types.
var nonZeroOps = []op.Op{
	{Name: "NonZero", Versions: []int{9, 13}, Infer: nonZero, Effect: op.Reduces},
	{Name: "Compress", Versions: []int{9, 11, 28}, Infer: compress, Effect: op.Moves},
}

// nonZero gives the indices of the elements that are not zero: [rank, how
// many], at most as many as there are elements.
func nonZero(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, onnxgraph.Int64, tensor.RankOnly(2))
	if !in.Ranked() {
		return nil
	}
	v, dims := elements.Followed(c, 0, c.DType(0), in)
	lo, upper := int64(0), in.Elements()
	if v != nil {
		sure, possible := countTrue(v.Elems)
		if sure == possible {
			c.SetValue(0, nonZeroIndices(v, dims, sure))
			return nil
		}
		lo, upper = sure, dim.Int(possible)
	}
	c.Set(0, onnxgraph.Int64, tensor.MakeShape(dim.Int(int64(in.Rank())), c.NewSymbol(0, 1, lo, upper)))
	return nil
}

// countTrue returns how many elements are not zero for sure, and how many may
// be.
func countTrue(elems []tensor.Scalar) (sure, possible int64) {
	for _, x := range elems {
		zero, known := scalar.IsZero(x)
		if known && !zero {
			sure++
		}
		if !known || !zero {
			possible++
		}
	}
	return sure, possible
}

func nonZeroIndices(v *tensor.Value, dims []int64, count int64) *tensor.Value {
	rank := int64(len(dims))
	out := &tensor.Value{DType: onnxgraph.Int64, Dims: []int64{rank, count}, Elems: make([]tensor.Scalar, rank*count)}
	index, found := make([]int64, rank), int64(0)
	for _, x := range v.Elems {
		if zero, _ := scalar.IsZero(x); !zero {
			for i, at := range index {
				out.Elems[int64(i)*count+found] = tensor.Int(at)
			}
			found++
		}
		elements.NextIndex(index, dims)
	}
	return out
}

// compress keeps the entries along an axis, or of the flattened input, at
// which the condition holds. The condition may be shorter than the axis.
func compress(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if in.Rank() == 0 {
		return c.Errorf(op.CodeRank, "a scalar has nothing to select from")
	}
	if s := c.Shape(1); s.Ranked() && s.Rank() != 1 {
		return c.Errorf(op.CodeRank, "the condition must be a vector, not of rank %d", s.Rank())
	}
	if !c.HasAttr("axis") {
		size := in.Elements()
		shape := tensor.MakeShape(compressed(c, 0, size))
		c.Set(0, c.DType(0), shape)
		compressValue(c, shape, 0, []int64{1, -1, 1})
		return nil
	}
	if !in.Ranked() {
		return nil
	}
	axis, err := c.Axis(c.Int("axis", 0), in.Rank())
	if err != nil {
		return err
	}
	out := in.Clone()
	out[axis] = compressed(c, axis, in.At(axis))
	shape := tensor.MakeShape(out...)
	c.Set(0, c.DType(0), shape)
	if dims, ok := in.Ints(); ok {
		compressValue(c, shape, axis, []int64{elements.ElementCount(dims[:axis]), dims[axis], elements.ElementCount(dims[axis+1:])})
	}
	return nil
}

// compressed is how many of size entries the condition keeps.
func compressed(c *op.Call, axis int, size dim.Dim) dim.Dim {
	upper := size
	if length := c.Shape(1).At(0); length.IsKnown() {
		if upper = dim.Min(size, length); !size.IsKnown() {
			upper = length
		}
	}
	v := c.Value(1)
	if v == nil {
		return c.NewSymbol(0, axis, 0, upper)
	}
	elems := v.Elems
	if n, ok := size.Int(); ok && n < int64(len(elems)) {
		elems = elems[:n] // runtimes ignore the rest: onnxruntime compress.cc
	}
	sure, possible := countTrue(elems)
	if sure == possible {
		return dim.Int(sure)
	}
	return c.NewSymbol(0, axis, sure, dim.Int(possible))
}

// compressValue sets the kept elements; parts are the entries' product before
// the axis, on it, and behind it, -1 for all.
func compressValue(c *op.Call, shape tensor.Shape, axis int, parts []int64) {
	v, dims := elements.Followed(c, 0, c.DType(0), shape)
	condition := c.Value(1)
	if v == nil || condition == nil {
		return
	}
	if parts[1] < 0 {
		parts[1] = int64(len(v.Elems))
	}
	out := &tensor.Value{DType: v.DType, Dims: dims, Elems: make([]tensor.Scalar, 0, elements.ElementCount(dims))}
	for o := range parts[0] {
		for i, keep := range condition.Elems {
			if zero, _ := scalar.IsZero(keep); !zero && int64(i) < parts[1] {
				from := (o*parts[1] + int64(i)) * parts[2]
				out.Elems = append(out.Elems, v.Elems[from:from+parts[2]]...)
			}
		}
	}
	if int64(len(out.Elems)) == elements.ElementCount(dims) {
		c.SetValue(0, out)
	}
}
