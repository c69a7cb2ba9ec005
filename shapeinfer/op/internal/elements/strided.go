package elements

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds what the operators share that only move elements: a value
// of theirs is a row-major list, and an output reads it in steps.

// Followed returns the elements of input slot i for an operator whose output
// has element type d and shape s. It is nil where the output is too large to
// be followed, which is cheap to see, or where the elements are not known.
// dims are the output's.
func Followed(c *op.Call, i int, d onnxgraph.DType, s tensor.Shape) (v *tensor.Value, dims []int64) {
	dims, _, ok := tensor.Fits(d, s)
	if !ok {
		return nil, nil
	}
	return c.Value(i), dims
}

// ElementCount is the number of elements of a tensor that [tensor.Fits].
func ElementCount(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// RowStrides returns how many elements lie between neighbours along each axis
// of a row-major tensor.
func RowStrides(dims []int64) []int64 {
	strides := make([]int64, len(dims))
	step := int64(1)
	for i := len(dims) - 1; i >= 0; i-- {
		strides[i] = step
		step *= dims[i]
	}
	return strides
}

// NextIndex advances a row-major index; false when it was the last one.
func NextIndex(index, dims []int64) bool {
	for i := len(index) - 1; i >= 0; i-- {
		if index[i]++; index[i] < dims[i] {
			return true
		}
		index[i] = 0
	}
	return false
}

// Strided lays the elements of v out anew: the output's element at an index is
// the one of v at offset plus the sum of index times stride.
func Strided(v *tensor.Value, dims []int64, offset int64, strides []int64) *tensor.Value {
	out := &tensor.Value{DType: v.DType, Dims: dims, Elems: make([]tensor.Scalar, ElementCount(dims))}
	if len(out.Elems) == 0 {
		return out
	}
	index := make([]int64, len(dims))
	for k := range out.Elems {
		at := offset
		for i, x := range index {
			at += x * strides[i]
		}
		out.Elems[k] = v.Elems[at]
		NextIndex(index, dims)
	}
	return out
}
