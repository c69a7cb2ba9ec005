package op

import (
	"onnxmem/onnxgraph"
)

// This file finds the element type of a result: named by an attribute, or that
// of the inputs, which must have one.

// ElementType returns an attribute that names the element type of the result
// by its number, or its default when it is not given.
func (c *Call) ElementType(name string, def onnxgraph.DType) (onnxgraph.DType, error) {
	if !c.HasAttr(name) {
		return def, nil
	}
	d := onnxgraph.DType(c.Int(name, 0))
	if int64(d) != c.Int(name, 0) || !d.Valid() {
		return def, c.Errorf(CodeAttribute, "attribute %s is %d, which is not an element type", name, c.Int(name, 0))
	}
	return d, nil
}

// SameDTypeOfAll checks that all inputs have one element type and returns it.
func (c *Call) SameDTypeOfAll() (onnxgraph.DType, error) {
	d := onnxgraph.Undefined
	for i := range c.Inputs {
		e := c.DType(i)
		if d != onnxgraph.Undefined && e != onnxgraph.Undefined && d != e {
			return d, c.Errorf(CodeType, "element types %s and %s differ", d, e)
		}
		if d == onnxgraph.Undefined {
			d = e
		}
	}
	return d, nil
}

// FirstDType is the first known element type of the inputs, which all have
// one.
func (c *Call) FirstDType() onnxgraph.DType {
	for i := range c.Inputs {
		if d := c.DType(i); d != onnxgraph.Undefined {
			return d
		}
	}
	return onnxgraph.Undefined
}
