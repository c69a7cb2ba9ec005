package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
)

// This file reads the attributes of a node, with the defaults that the standard
// gives them. Their types were checked against the schema before.

// HasAttr reports whether the node gives the attribute.
func (c *Call) HasAttr(name string) bool { return c.Node.Attribute(name) != nil }

// Int returns an integer attribute, or its default when it is not given.
func (c *Call) Int(name string, def int64) int64 {
	if a := c.Node.Attribute(name); a != nil {
		return a.Int
	}
	return def
}

// Flag returns an integer attribute that stands for a bool.
func (c *Call) Flag(name string, def bool) bool {
	if a := c.Node.Attribute(name); a != nil {
		return a.Int != 0
	}
	return def
}

// Float returns a float attribute, or its default when it is not given.
func (c *Call) Float(name string, def float32) float32 {
	if a := c.Node.Attribute(name); a != nil {
		return a.Float
	}
	return def
}

// Str returns a string attribute, or its default when it is not given.
func (c *Call) Str(name, def string) string {
	if a := c.Node.Attribute(name); a != nil {
		return a.String
	}
	return def
}

// IntList returns a list of integers; nil when it is not given.
func (c *Call) IntList(name string) []int64 {
	if a := c.Node.Attribute(name); a != nil {
		return a.Ints
	}
	return nil
}

// FloatList returns a list of floats; nil when it is not given.
func (c *Call) FloatList(name string) []float32 {
	if a := c.Node.Attribute(name); a != nil {
		return a.Floats
	}
	return nil
}

// StrList returns a list of strings; nil when it is not given.
func (c *Call) StrList(name string) []string {
	if a := c.Node.Attribute(name); a != nil {
		return a.Strings
	}
	return nil
}

// DTypeAttr returns an attribute that names an element type by its number;
// Undefined where the number names none.
func (c *Call) DTypeAttr(name string, def onnxgraph.DType) onnxgraph.DType {
	n := c.Int(name, int64(def))
	if d := onnxgraph.DType(n); int64(d) == n && d.Valid() {
		return d
	}
	return onnxgraph.Undefined
}

// SizeAttr is an integer attribute that is the size of something.
func (c *Call) SizeAttr(name string) (dim.Dim, error) {
	n := c.Int(name, 0)
	if n < 1 {
		return dim.Unknown(), c.Errorf(CodeAttribute, "%s is %d", name, n)
	}
	return dim.Int(n), nil
}
