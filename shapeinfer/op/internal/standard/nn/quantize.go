package nn

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the steps between floats and quantised integers.
//
// QuantizeLinear: https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
// 10: one scale, UINT8 or INT8 by the zero point; 13: one scale per index of an
// axis; 19: 8-bit floats; 21: one scale per block, output_dtype, 4 and 16 bits;
// 23: precision, and a scale of another type than the input; 24, 25, 28: more
// scale and result types.
//
// DequantizeLinear: https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html
// 10: FLOAT, one scale; 13: one scale per index of an axis; 19: the scale's type;
// 21: one scale per block; 23: output_dtype; 24, 25, 28: more types.
//
// DynamicQuantizeLinear: 11, also the scale and zero point as outputs.
var quantizeOps = []op.Op{
	{Name: "QuantizeLinear", Versions: []int{10, 13, 19, 21, 23, 24, 25, 28}, Infer: quantizeLinear},
	{Name: "DequantizeLinear", Versions: []int{10, 13, 19, 21, 23, 24, 25, 28}, Infer: dequantizeLinear, QuantizedWeights: true},
	{Name: "DynamicQuantizeLinear", Versions: []int{11}, Infer: dynamicQuantizeLinear},
}

func quantizeLinear(c *op.Call) error {
	d := c.DtypeOr(2, onnxgraph.Uint8)
	asked, err := outputDType(c)
	if err != nil {
		return err
	}
	if c.Since >= 21 && asked != onnxgraph.Undefined {
		if c.Has(2) && d != onnxgraph.Undefined && d != asked {
			return c.Errorf(op.CodeType, "output_dtype is %s and the zero point is %s", asked, d)
		}
		d = asked
	}
	c.Set(0, d, c.Shape(0))
	return checkScale(c)
}

func dequantizeLinear(c *op.Call) error {
	d := onnxgraph.Float
	if c.Since >= 19 {
		d = c.DType(1)
	}
	if c.Since >= 23 {
		asked, err := outputDType(c)
		if err != nil {
			return err
		}
		if asked != onnxgraph.Undefined {
			d = asked
		}
	}
	c.Set(0, d, c.Shape(0))
	return checkScale(c)
}

// outputDType is the attribute output_dtype; 0, its default, leaves the type to
// the inputs.
func outputDType(c *op.Call) (onnxgraph.DType, error) {
	if c.Int("output_dtype", 0) == 0 {
		return onnxgraph.Undefined, nil
	}
	return c.ElementType("output_dtype", onnxgraph.Undefined)
}

// checkScale checks the shape of the scales, and that of the zero points, which
// is the same: one for the whole tensor, one per index of the axis, or one per
// block along the axis.
func checkScale(c *op.Call) error {
	x, scale := c.Shape(0), c.Shape(1)
	if !scale.Ranked() {
		return nil
	}
	if c.Has(2) {
		if _, err := c.MergeShapes(scale, c.Shape(2)); err != nil && !oneElement(scale, c.Shape(2)) {
			return c.Errorf(op.CodeShape, "the zero point's shape %s is not the scale's, %s", c.Shape(2), scale)
		}
	}
	n, known := scale.Elements().Int()
	switch {
	case scale.Rank() == 0 || (scale.Rank() == 1 && known && n == 1) || !x.Ranked():
		return nil
	case c.Since < 13:
		return c.Errorf(op.CodeRank, "the scale must be a scalar, but has shape %s", scale)
	case scale.Rank() == 1 && x.Rank() != 1:
		return checkScalePerAxis(c, x, scale)
	case scale.Rank() > 1 && c.Since < 21:
		return c.Errorf(op.CodeRank, "the scale must be a scalar or a vector, but has shape %s", scale)
	case scale.Rank() != x.Rank():
		return c.Errorf(op.CodeRank, "the scale's rank, of shape %s, is neither 0 nor 1 nor that of the input %s", scale, x)
	}
	return checkScalePerBlock(c, x, scale)
}

func oneElement(shapes ...tensor.Shape) bool {
	for _, s := range shapes {
		if n, ok := s.Elements().Int(); !ok || n != 1 {
			return false
		}
	}
	return true
}

func checkScalePerAxis(c *op.Call, x, scale tensor.Shape) error {
	axis, err := c.Axis(c.Int("axis", 1), x.Rank())
	if err != nil {
		return err
	}
	if _, ok := op.MergeDims(x.At(axis), scale.At(0)); !ok {
		return c.Errorf(op.CodeShape, "%s scales for %s indices of axis %d", scale.At(0), x.At(axis), axis)
	}
	return nil
}

// checkScalePerBlock checks one scale per block_size indices along the axis. A
// vector with as many scales as elements is quantised per axis.
func checkScalePerBlock(c *op.Call, x, scale tensor.Shape) error {
	// A vector has no axis but this one.
	axis := 0
	if x.Rank() > 1 {
		var err error
		if axis, err = c.Axis(c.Int("axis", 1), x.Rank()); err != nil {
			return err
		}
	}
	block := c.Int("block_size", 0)
	if block < 0 {
		return c.Errorf(op.CodeAttribute, "block_size is %d", block)
	}
	for i, d := range scale.Dims() {
		want := x.At(i)
		if i == axis && block > 0 {
			want = dim.CeilDiv(want, dim.Int(block))
		}
		if i == axis && block == 0 && x.Rank() > 1 {
			continue // the size of a block is what the dims say
		}
		if _, ok := op.MergeDims(want, d); !ok {
			return c.Errorf(op.CodeShape, "the scale's shape %s does not fit the input %s in blocks of %d along axis %d", scale, x, block, axis)
		}
	}
	return nil
}

func dynamicQuantizeLinear(c *op.Call) error {
	c.Set(0, onnxgraph.Uint8, c.Shape(0))
	c.Set(1, onnxgraph.Float, tensor.ScalarShape())
	c.Set(2, onnxgraph.Uint8, tensor.ScalarShape())
	return nil
}
