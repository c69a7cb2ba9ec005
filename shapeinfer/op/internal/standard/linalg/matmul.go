package linalg

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the matrix products that broadcast like numpy.matmul
// (https://numpy.org/doc/stable/reference/generated/numpy.matmul.html).
//
// MatMul: https://onnx.ai/onnx/operators/onnx__MatMul.html
// 9: integers; 13: bfloat16.
//
// MatMulInteger: https://onnx.ai/onnx/operators/onnx__MatMulInteger.html
// 10: 8-bit operands with zero points, INT32 result.
//
// QLinearMatMul: https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html
// 10: operands and result quantised, the result has the type of y_zero_point;
// 21: float 8 and other scale types.
var matMulOps = []op.Op{
	{Name: "MatMul", Versions: []int{1, 9, 13}, Infer: matMul, MACs: MatMulMACs, Roles: op.Roles{op.Parameter}},
	{Name: "MatMulInteger", Versions: []int{10}, Infer: matMulInteger, MACs: MatMulMACs, QuantizedWeights: true},
	{Name: "QLinearMatMul", Versions: []int{10, 21}, Infer: qLinearMatMul, MACs: MatMulMACs, QuantizedWeights: true},
}

func matMul(c *op.Call) error {
	if err := MatMul(c, c.DType(0), c.Shape(0), c.Shape(1)); err != nil {
		return err
	}
	matMulValue(c)
	return nil
}

func matMulInteger(c *op.Call) error { return MatMul(c, onnxgraph.Int32, c.Shape(0), c.Shape(1)) }

func qLinearMatMul(c *op.Call) error { return MatMul(c, c.DType(7), c.Shape(0), c.Shape(3)) }

// MatMul sets output 0 to the product of a and b in the element type d.
func MatMul(c *op.Call, d onnxgraph.DType, a, b tensor.Shape) error {
	c.Set(0, d, tensor.Shape{})
	shape, err := matMulShape(c, a, b)
	if err != nil {
		return err
	}
	c.Set(0, d, shape)
	if !shape.Ranked() {
		c.Unknown(0, "the rank of an operand is unknown")
	}
	return nil
}

// matMulShape is the shape of a product: the last two axes are matrices, those
// before broadcast; a vector is a row on the left, a column on the right, and
// the axis that this adds does not appear in the result.
func matMulShape(c *op.Call, a, b tensor.Shape) (tensor.Shape, error) {
	if a.Rank() == 0 || b.Rank() == 0 {
		return tensor.Shape{}, c.Errorf(op.CodeRank, "a scalar has no matrix product")
	}
	if !a.Ranked() || !b.Ranked() {
		return tensor.Shape{}, nil
	}
	inner := b.At(-2)
	if b.Rank() == 1 {
		inner = b.At(0)
	}
	if _, ok := op.MergeDims(a.At(-1), inner); !ok {
		return tensor.Shape{}, c.Errorf(op.CodeShape, "%s and %s do not multiply: the inner dims %s and %s differ", a, b, a.At(-1), inner)
	}
	batch, err := batchOf(c, a, b)
	if err != nil {
		return tensor.Shape{}, err
	}
	out := make([]dim.Dim, 0, batch.Rank()+2)
	out = append(out, batch.Dims()...)
	if a.Rank() > 1 {
		out = append(out, a.At(-2))
	}
	if b.Rank() > 1 {
		out = append(out, b.At(-1))
	}
	return tensor.MakeShape(out...), nil
}

// batchOf broadcasts all but the last two axes of two operands.
func batchOf(c *op.Call, a, b tensor.Shape) (tensor.Shape, error) {
	if a.Rank() <= 2 && b.Rank() <= 2 {
		return tensor.MakeShape(), nil
	}
	leading := func(s tensor.Shape) tensor.Shape {
		return tensor.MakeShape(s.Dims()[:max(s.Rank()-2, 0)]...)
	}
	return c.Broadcast(leading(a), leading(b))
}

// MatMulMACs counts a product of input 0 whose result is output 0.
func MatMulMACs(c *op.Call) dim.Dim { return ProductMACs(c.Outputs[0].Type.Shape, c.Shape(0)) }

// ProductMACs counts a product: every output element sums over the last axis
// of the left operand.
func ProductMACs(y, left tensor.Shape) dim.Dim {
	return dim.Mul(y.Elements(), left.At(-1))
}
