package linalg

import (
	"math/bits"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file follows the elements of small matrix products, by which some exports
// compute sizes.

// maxFollowedMACs bounds the work for the elements of a small product.
const maxFollowedMACs = 1 << 14

// matMulValue sets the elements of a small product of two vectors or matrices
// whose elements are exact numbers. Float elements that single precision would
// round stay unknown.
func matMulValue(c *op.Call) {
	a, b, y := c.Shape(0), c.Shape(1), c.Outputs[0].Type
	if y.DType != onnxgraph.Int64 && !y.DType.IsFloat() || a.Rank() > 2 || b.Rank() > 2 || a.Rank() < 1 || b.Rank() < 1 {
		return
	}
	dims, n, ok := tensor.Fits(y.DType, y.Shape)
	k, known := a.At(-1).Int()
	if !ok || !known || n*k > maxFollowedMACs || n*k == 0 {
		return
	}
	left := c.Value(0)
	if left == nil {
		return
	}
	right := c.Value(1)
	if right == nil || int64(len(left.Elems))%k != 0 || int64(len(right.Elems))%k != 0 {
		return
	}
	columns := int64(len(right.Elems)) / k
	elems := make([]tensor.Scalar, n)
	for i := range elems {
		row, column := int64(i)/columns, int64(i)%columns
		sum := dim.Int(0)
		for j := range k {
			sum = dim.Add(sum, dim.Mul(left.Elems[row*k+j].Num, right.Elems[j*columns+column].Num))
		}
		if y.DType == onnxgraph.Int64 || singleExact(sum) {
			elems[i].Num = sum
		}
	}
	c.SetValue(0, &tensor.Value{DType: y.DType, Dims: dims, Elems: elems})
}

// singleExact reports whether a number is one of single precision: at most 24
// binary digits. Expressions over symbols pass.
func singleExact(d dim.Dim) bool {
	num, den, ok := d.Rational()
	if !ok {
		return true
	}
	return bits.OnesCount64(uint64(den)) == 1 && -1<<24 <= num && num <= 1<<24
}
