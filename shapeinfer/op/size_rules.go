package op

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file checks that sizes fit each other and computes sizes that may pass 64
// bits.

// MergeSize merges what is known of one size into d, and is an error where two
// numbers differ.
func (c *Call) MergeSize(what string, d *dim.Dim, other dim.Dim) error {
	merged, ok := MergeDims(*d, other)
	if !ok {
		return c.Errorf(CodeShape, "%s: %s and %s differ", what, *d, other)
	}
	*d = merged
	return nil
}

// MergeInputSize is MergeSize for the dim on an axis of input slot i. A number
// in size that follows from all else is the only one that the node takes, so a
// symbol of the model's input that stands there is set to it.
func (c *Call) MergeInputSize(what string, size *dim.Dim, i, axis int) error {
	d := c.Shape(i).At(axis)
	n, known := size.Int()
	if m, isInt := d.Int(); known && d.IsKnown() && (!isInt || m != n) && c.Engine.SettleDim(i, axis, n, what) {
		return nil
	}
	return c.MergeSize(what, size, d)
}

// DivideEvenly is a/b, an error where b does not divide a number.
func (c *Call) DivideEvenly(what string, a, b dim.Dim) (dim.Dim, error) {
	n, aInt := a.Int()
	by, bInt := b.Int()
	if aInt && bInt && (by == 0 || n%by != 0) {
		return dim.Unknown(), c.Errorf(CodeShape, "%s: %d is not a multiple of %d", what, n, by)
	}
	return dim.Div(a, b), nil
}

// SameSize checks that two dims that must be equal are not two different
// numbers.
func (c *Call) SameSize(what string, a, b dim.Dim) error {
	if _, ok := MergeDims(a, b); !ok {
		return c.Errorf(CodeShape, "%s: %s and %s differ", what, a, b)
	}
	return nil
}

// CheckVector checks that input slot i, where it is given, has rank 1 and n
// elements.
func (c *Call) CheckVector(i int, what string, n dim.Dim) error {
	s := c.Shape(i)
	if !s.Ranked() {
		return nil
	}
	if s.Rank() != 1 {
		return c.Errorf(CodeRank, "%s of shape %s is not a vector", what, s)
	}
	return c.SameSize(what, s.At(0), n)
}

// CheckImageRank checks that a shape has batch, channel and at least one spatial
// axis. Unknown ranks pass.
func (c *Call) CheckImageRank(what string, s tensor.Shape) error {
	if s.Ranked() && s.Rank() < 3 {
		return c.Errorf(CodeRank, "%s of shape %s has no spatial axis: rank 3 is the least", what, s)
	}
	return nil
}

// Product returns the product of dims for a dim of an output. Numbers whose
// product does not fit 64 bits are an error of the node, since no tensor can
// have such a dim; a product is unknown only where a factor is.
func (c *Call) Product(what string, factors ...dim.Dim) (dim.Dim, error) {
	product := dim.Product(factors...)
	if product.IsKnown() || !allInts(factors) {
		return product, nil
	}
	return product, c.Errorf(CodeShape, "%s exceeds 64 bits", what)
}

// Sum is [Call.Product] for a sum.
func (c *Call) Sum(what string, terms ...dim.Dim) (dim.Dim, error) {
	sum := dim.Sum(terms...)
	if sum.IsKnown() || !allInts(terms) {
		return sum, nil
	}
	return sum, c.Errorf(CodeShape, "%s exceeds 64 bits", what)
}

func allInts(ds []dim.Dim) bool {
	return tensor.MakeShape(ds...).IsStatic()
}

// CheckBroadcast checks that from can be repeated to the shape to, which
// broadcasting must not enlarge
// (https://github.com/onnx/onnx/blob/main/docs/Broadcasting.md).
func (c *Call) CheckBroadcast(to, from tensor.Shape, what string) error {
	if !to.Ranked() || !from.Ranked() {
		return nil
	}
	if from.Rank() > to.Rank() {
		return c.Errorf(CodeRank, "%s %s has more axes than %s", what, from, to)
	}
	for i, d := range from.Dims() {
		n, ok := d.Int()
		if !ok || n == 1 {
			continue
		}
		if m, ok := to.At(to.Rank() - from.Rank() + i).Int(); ok && m != n {
			return c.Errorf(CodeShape, "%s %s does not broadcast to %s", what, from, to)
		}
	}
	return nil
}

// MergeShapes combines shapes that must be equal, into what is known of any of
// them.
func (c *Call) MergeShapes(shapes ...tensor.Shape) (tensor.Shape, error) {
	var out tensor.Shape
	var dims []dim.Dim // of out, once it differs from all of the shapes
	for _, s := range shapes {
		switch {
		case !s.Ranked():
			continue
		case !out.Ranked():
			out = s
			continue
		case s.Rank() != out.Rank():
			return out, c.Errorf(CodeShape, "the shapes %s and %s must be equal", out, s)
		}
		for i, d := range s.Dims() {
			merged, ok := MergeDims(out.At(i), d)
			if !ok {
				return out, c.Errorf(CodeShape, "the shapes %s and %s must be equal", out, s)
			}
			if merged == out.At(i) {
				continue
			}
			if dims == nil {
				dims = out.Clone()
				out = tensor.MakeShape(dims...)
			}
			dims[i] = merged
		}
	}
	return out, nil
}

// SameShape refuses two shapes that provably differ.
func (c *Call) SameShape(what string, a tensor.Shape, other string, b tensor.Shape) error {
	if !a.Ranked() || !b.Ranked() {
		return nil
	}
	if a.Rank() != b.Rank() {
		return c.Errorf(CodeRank, "%s %s and %s %s must have one rank", what, a, other, b)
	}
	for i, d := range a.Dims() {
		if _, ok := MergeDims(d, b.At(i)); !ok {
			return c.Errorf(CodeShape, "%s %s and %s %s must have one shape", what, a, other, b)
		}
	}
	return nil
}
