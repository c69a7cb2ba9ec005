package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the conversions to and from quantised types of com.microsoft
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribQuantizeOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "DequantizeBFP", Versions: []int{1}, Infer: dequantizeBFP},
	{Domain: op.DomainMicrosoft, Name: "DequantizeLinear", Versions: []int{1}, Infer: dequantizeContrib, QuantizedWeights: true},
	{Domain: op.DomainMicrosoft, Name: "DequantizeWithOrder", Versions: []int{1}, Infer: dequantizeWithOrder},
	{Domain: op.DomainMicrosoft, Name: "QuantizeBFP", Versions: []int{1}, Infer: quantizeBFP},
	{Domain: op.DomainMicrosoft, Name: "QuantizeLinear", Versions: []int{1}, Infer: quantizeContrib},
	{Domain: op.DomainMicrosoft, Name: "QuantizeWithOrder", Versions: []int{1}, Infer: quantizeWithOrder},
}

// quantizeContrib makes the type of the zero point, UINT8 without one.
func quantizeContrib(c *op.Call) error {
	c.Set(0, c.DtypeOr(2, onnxgraph.Uint8), c.Shape(0))
	return nil
}

// dequantizeContrib makes the type of the scale.
func dequantizeContrib(c *op.Call) error {
	c.Set(0, c.DType(1), c.Shape(0))
	return nil
}

func quantizeWithOrder(c *op.Call) error {
	c.Set(0, onnxgraph.Int8, c.Shape(0))
	return nil
}

func dequantizeWithOrder(c *op.Call) error {
	c.Set(0, c.DTypeAttr("to", onnxgraph.Float), c.Shape(0))
	return nil
}

// quantizeBFP packs blocks of numbers with a shared exponent in a way that the
// hardware decides, and hands the shape and strides on.
func quantizeBFP(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, onnxgraph.Uint8, tensor.RankOnly(1))
	c.Unknown(0, "the size of block floating point data depends on the hardware")
	rank := dim.Unknown()
	if x.Ranked() {
		rank = dim.Int(int64(x.Rank()))
	}
	c.Set(1, onnxgraph.Int64, tensor.MakeShape(rank))
	c.Set(2, onnxgraph.Int64, tensor.MakeShape(rank))
	if x.Ranked() && c.Wants(1) && x.Rank() <= op.MaxRank {
		c.SetValue(1, tensor.IntVector(x.Dims()...))
	}
	return nil
}

// dequantizeBFP: input 1 holds the shape.
func dequantizeBFP(c *op.Call) error {
	d := c.DTypeAttr("dtype", onnxgraph.Float)
	c.Set(0, d, tensor.Shape{})
	shape, n, err := c.Sizes(1, "shape")
	if err != nil || n < 0 {
		return err
	}
	if !op.AllKnown(shape) {
		c.Unknown(0, "the values of shape are unknown")
	}
	c.Set(0, d, tensor.MakeShape(shape...))
	return nil
}
