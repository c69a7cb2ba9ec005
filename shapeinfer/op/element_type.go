package op

import "onnxmem/onnxgraph"

// elementType returns an attribute that names the element type of the result
// by its number, or its default when it is not given.
func (c *Call) elementType(name string, def onnxgraph.DType) (onnxgraph.DType, error) {
	if !c.HasAttr(name) {
		return def, nil
	}
	d := onnxgraph.DType(c.Int(name, 0))
	if int64(d) != c.Int(name, 0) || !d.Valid() {
		return def, c.Errorf(CodeAttribute, "attribute %s is %d, which is no element type", name, c.Int(name, 0))
	}
	return d, nil
}
