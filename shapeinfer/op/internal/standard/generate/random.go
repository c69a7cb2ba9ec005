package generate

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators that draw random numbers.
//
// RandomNormal, RandomUniform: https://onnx.ai/onnx/operators/onnx__RandomNormal.html
// 1; 22: bfloat16. The attribute shape is required.
//
// RandomNormalLike, RandomUniformLike: 1; 22: bfloat16.
//
// Bernoulli: https://onnx.ai/onnx/operators/onnx__Bernoulli.html
// 15; 22: bfloat16 as input.
//
// Multinomial: https://onnx.ai/onnx/operators/onnx__Multinomial.html
// 7; 22: bfloat16.
var randomOps = []op.Op{
	{Name: "RandomNormal", Versions: []int{1, 22}, Infer: random, Random: op.Always},
	{Name: "RandomUniform", Versions: []int{1, 22}, Infer: random, Random: op.Always},
	{Name: "RandomNormalLike", Versions: []int{1, 22}, Infer: randomLike, Random: op.Always},
	{Name: "RandomUniformLike", Versions: []int{1, 22}, Infer: randomLike, Random: op.Always},
	{Name: "Bernoulli", Versions: []int{15, 22}, Infer: randomLike, Random: op.Always},
	{Name: "Multinomial", Versions: []int{7, 22}, Infer: multinomial, Random: op.Always},
}

func random(c *op.Call) error {
	d, err := c.ElementType("dtype", onnxgraph.Float)
	if err != nil {
		return err
	}
	c.Set(0, d, tensor.Shape{})
	if !c.HasAttr("shape") {
		return c.Errorf(op.CodeAttribute, "the attribute shape is missing")
	}
	sizes := c.IntList("shape")
	for _, n := range sizes {
		if n < 0 {
			return c.Errorf(op.CodeValue, "the shape holds %d", n)
		}
	}
	c.Set(0, d, tensor.IntShape(sizes...))
	return nil
}

func randomLike(c *op.Call) error {
	d, err := c.ElementType("dtype", c.DType(0))
	c.Set(0, d, c.Shape(0))
	return err
}

func multinomial(c *op.Call) error {
	d, err := c.ElementType("dtype", onnxgraph.Int32)
	if err != nil {
		return err
	}
	if d != onnxgraph.Int32 && d != onnxgraph.Int64 {
		return c.Errorf(op.CodeAttribute, "the samples can't be of type %s, only INT32 or INT64", d)
	}
	s := c.Shape(0)
	if s.Ranked() && s.Rank() != 2 {
		return c.Errorf(op.CodeRank, "the input must be a matrix of batch and classes, but has shape %s", s)
	}
	samples := c.Int("sample_size", 1)
	if samples < 0 {
		return c.Errorf(op.CodeValue, "sample_size is %d", samples)
	}
	c.Set(0, d, tensor.MakeShape(s.At(0), dim.Int(samples)))
	return nil
}
