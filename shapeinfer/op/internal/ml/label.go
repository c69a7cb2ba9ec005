package ml

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
)

// This file holds the operators of ai.onnx.ml that exchange single values by
// tables in their attributes.
//
// LabelEncoder: https://onnx.ai/onnx/operators/onnx_aionnxml_LabelEncoder.html
// 1: between integers and one list of strings; 2: keys_* and values_* of three
// types; 4: as tensors too, with more types.
//
// CategoryMapper: https://onnx.ai/onnx/operators/onnx_aionnxml_CategoryMapper.html
var mlLabelOps = []op.Op{
	{Domain: op.DomainML, Name: "LabelEncoder", Versions: []int{1}, Infer: exchangeLabels},
	{Domain: op.DomainML, Name: "LabelEncoder", Versions: []int{2, 4}, Infer: labelEncoder},
	{Domain: op.DomainML, Name: "CategoryMapper", Versions: []int{1}, Infer: categoryMapper},
}

// exchangeLabels makes strings of integers and integers of strings.
func exchangeLabels(c *op.Call) error {
	d := onnxgraph.Undefined
	switch c.DType(0) {
	case onnxgraph.Int64:
		d = onnxgraph.String
	case onnxgraph.String:
		d = onnxgraph.Int64
	}
	c.Set(0, d, c.Shape(0))
	return nil
}

func categoryMapper(c *op.Call) error {
	if err := exchangeLabels(c); err != nil {
		return err
	}
	if ints, strings := len(c.IntList("cats_int64s")), len(c.StrList("cats_strings")); ints == 0 || ints != strings {
		return c.Errorf(op.CodeAttribute, "cats_int64s has %d entries, cats_strings %d: both are needed, equally long", ints, strings)
	}
	return nil
}

func labelEncoder(c *op.Call) error {
	keys, n, err := labelTable(c, "keys_")
	if err != nil {
		return err
	}
	values, m, err := labelTable(c, "values_")
	c.Set(0, values, c.Shape(0))
	if err != nil {
		return err
	}
	if n != m {
		return c.Errorf(op.CodeAttribute, "%d keys and %d values", n, m)
	}
	if x := c.DType(0); x != onnxgraph.Undefined && x != keys {
		return c.Errorf(op.CodeType, "the input is of type %s, the keys of %s", x, keys)
	}
	return tensorAttr(c, "default_tensor", 1, values)
}

// labelTable is the type and length of the one list of a kind that is given.
func labelTable(c *op.Call, kind string) (d onnxgraph.DType, n int64, err error) {
	given := 0
	note := func(dtype onnxgraph.DType, length int64) {
		d, n, given = dtype, length, given+1
	}
	if list := c.IntList(kind + "int64s"); len(list) > 0 {
		note(onnxgraph.Int64, int64(len(list)))
	}
	if list := c.FloatList(kind + "floats"); len(list) > 0 {
		note(onnxgraph.Float, int64(len(list)))
	}
	if list := c.StrList(kind + "strings"); len(list) > 0 {
		note(onnxgraph.String, int64(len(list)))
	}
	if a := c.Node.Attribute(kind + "tensor"); a != nil && a.Tensor != nil {
		length, ok := onnxgraph.ElementCount(a.Tensor.Dims)
		if !ok || len(a.Tensor.Dims) > 1 {
			return a.Tensor.DType, 0, c.Errorf(op.CodeAttribute, "%stensor has shape %v and is not a vector", kind, a.Tensor.Dims)
		}
		note(a.Tensor.DType, length)
	}
	if given != 1 {
		return d, n, c.Errorf(op.CodeAttribute, "%d of the attributes %s* are given, not one", given, kind)
	}
	return d, n, nil
}
