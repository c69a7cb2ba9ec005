package op

import "onnxmem/onnxgraph"

// sameDTypeOfAll checks that all inputs have one element type and returns it.
func (c *Call) sameDTypeOfAll() (onnxgraph.DType, error) {
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
