package generate

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators that make a tensor from its shape.
//
// ConstantOfShape: https://onnx.ai/onnx/operators/onnx__ConstantOfShape.html
// 9; 20, 21, 23, 24, 25: more element types.
//
// EyeLike: https://onnx.ai/onnx/operators/onnx__EyeLike.html
// 9; 22: bfloat16.
var generatorOps = []op.Op{
	{Name: "ConstantOfShape", Versions: []int{9, 20, 21, 23, 24, 25}, Infer: constantOfShape, Effect: op.Moves},
	{Name: "EyeLike", Versions: []int{9, 22}, Infer: eyeLike, Effect: op.Moves},
}

func constantOfShape(c *op.Call) error {
	d, fill, err := fillValue(c)
	if err != nil {
		return err
	}
	c.Set(0, d, tensor.Shape{})
	if in := c.Shape(0); in.Ranked() && in.Rank() != 1 {
		return c.Errorf(op.CodeRank, "the shape must be a vector, but has shape %s", in)
	}
	sizes, n, err := c.Sizes(0, "the shape")
	if err != nil {
		return err
	}
	if n < 0 {
		c.Unknown(0, "the number of dims is known only at run time")
		return nil
	}
	s := tensor.MakeShape(OrFresh(c, sizes)...)
	// A size beyond 64 bits is no tensor, but an overflow in the computation
	// of its shape.
	if known, ok := s.Ints(); ok {
		if elements, ok := onnxgraph.ElementCount(known); !ok || (d.Bits() > 0 && !fits64(d, elements)) {
			return c.Errorf(op.CodeShape, "a tensor %s%s does not fit 64 bits", d, s)
		}
	}
	c.Set(0, d, s)
	if v := elements.Repeated(d, s, fill); v != nil {
		c.SetValue(0, v)
	}
	return nil
}

func fits64(d onnxgraph.DType, elements int64) bool {
	_, ok := onnxgraph.ByteSize(d, elements)
	return ok
}

// OrFresh returns the dims of output 0 with the unknown ones, which depend on
// run-time values, as symbols.
func OrFresh(c *op.Call, dims []dim.Dim) []dim.Dim {
	for i, d := range dims {
		if !d.IsKnown() {
			dims[i] = c.NewSymbol(0, i, 0, dim.Unknown())
		}
	}
	return dims
}

// fillValue is the element type and the element in the attribute value, a
// FLOAT zero by default.
func fillValue(c *op.Call) (onnxgraph.DType, tensor.Scalar, error) {
	a := c.Node.Attribute("value")
	if a == nil {
		return onnxgraph.Float, tensor.Int(0), nil
	}
	if a.Tensor == nil {
		return onnxgraph.Undefined, tensor.Scalar{}, c.Errorf(op.CodeAttribute, "attribute value holds no tensor")
	}
	if n, ok := a.Tensor.Elements(); !ok || n != 1 {
		return a.Tensor.DType, tensor.Scalar{}, c.Errorf(op.CodeAttribute, "attribute value must have one element, but has dims %d", a.Tensor.Dims)
	}
	if v := c.Engine.TensorValue(a.Tensor); v != nil && len(v.Elems) == 1 {
		return a.Tensor.DType, v.Elems[0], nil
	}
	return a.Tensor.DType, tensor.Scalar{}, nil
}

func eyeLike(c *op.Call) error {
	d, err := c.ElementType("dtype", c.DType(0))
	if err != nil {
		return err
	}
	s := c.Shape(0)
	if s.Ranked() && s.Rank() != 2 {
		return c.Errorf(op.CodeRank, "the input must be a matrix, but has shape %s", s)
	}
	if !s.Ranked() {
		s = tensor.RankOnly(2)
	}
	c.Set(0, d, s)
	dims, n, ok := tensor.Fits(d, s)
	if d == onnxgraph.Undefined || !ok {
		return nil
	}
	k := c.Int("k", 0)
	v := &tensor.Value{DType: d, Dims: dims, Elems: make([]tensor.Scalar, n)}
	for i := range v.Elems {
		row, column := int64(i)/dims[1], int64(i)%dims[1]
		v.Elems[i] = tensor.Bool(column-row == k)
	}
	c.SetValue(0, v)
	return nil
}
