package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the small rules that tie an output to an input.

// Like makes the rule of an operator whose output 0 has the type of one input.
func Like(slot int) func(*Call) error {
	return func(c *Call) error {
		c.SetLike(0, slot)
		return nil
	}
}

// SetLike gives output slot o the type of input slot i.
func (c *Call) SetLike(o, i int) { c.Set(o, c.DType(i), c.Shape(i)) }

// WithLastDim is the shape s with another last dim; unknown where s is, or is a
// scalar.
func WithLastDim(s tensor.Shape, last dim.Dim) tensor.Shape {
	if s.Rank() < 1 {
		return tensor.Shape{}
	}
	out := s.Clone()
	out[len(out)-1] = last
	return tensor.MakeShape(out...)
}

// LeadingElements is the product of all dims but the last: the number of rows that an
// operator works on one by one.
func LeadingElements(s tensor.Shape) dim.Dim {
	if s.Rank() < 1 {
		return dim.Unknown()
	}
	return dim.Product(s.Dims()[:s.Rank()-1]...)
}

// CheckRank checks that an input slot, where its rank is known, has one of the
// given ranks.
func (c *Call) CheckRank(slot int, what string, ranks ...int) error {
	s := c.Shape(slot)
	if !s.Ranked() {
		return nil
	}
	for _, r := range ranks {
		if s.Rank() == r {
			return nil
		}
	}
	return c.Errorf(CodeRank, "%s has shape %s, its rank must be one of %v", what, s, ranks)
}

// SumOfElements adds the elements of an input slot of integers; ok is false when one
// of them is not known.
func (c *Call) SumOfElements(slot int) (sum dim.Dim, ok bool) {
	elems, ok := c.Dims(slot)
	if !ok {
		return dim.Unknown(), false
	}
	sum = dim.Sum(elems...)
	return sum, sum.IsKnown()
}

// DtypeOr is the element type of an input slot, or another one where the slot
// is left out.
func (c *Call) DtypeOr(slot int, other onnxgraph.DType) onnxgraph.DType {
	if c.Has(slot) {
		return c.DType(slot)
	}
	return other
}

// UnknownMACs is the count of an operator whose work depends on the values of
// its operands.
func UnknownMACs(*Call) dim.Dim { return dim.Unknown() }
