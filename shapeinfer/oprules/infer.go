package oprules

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file applies a rule to a node.

func (r *rule) infer(c *op.Call) error {
	for o := range c.Outputs {
		if o >= len(r.outputs) {
			c.Unknown(o, "the operator's rule describes %d outputs", len(r.outputs))
			continue
		}
		out := &r.outputs[o]
		dtype := out.dtype
		if !dtype.Valid() {
			dtype = c.DType(out.dtypeFrom)
		}
		shape, err := r.shape(c, o, out)
		if err != nil {
			return err
		}
		c.Set(o, dtype, shape)
		if !shape.Ranked() {
			c.Unknown(o, "the rank of an input is unknown")
		}
	}
	return nil
}

func (r *rule) shape(c *op.Call, o int, out *outputRule) (tensor.Shape, error) {
	switch {
	case out.like >= 0:
		return c.Shape(out.like), nil
	case out.broadcast != nil:
		shapes := make([]tensor.Shape, 0, len(out.broadcast))
		for _, i := range out.broadcast {
			if c.Has(i) {
				shapes = append(shapes, c.Shape(i))
			}
		}
		return c.Broadcast(shapes...)
	}
	dims := make([]dim.Dim, 0, len(out.dims))
	for _, d := range out.dims {
		if d.slice != nil {
			s := c.Shape(d.slice.input)
			if !s.Ranked() {
				return tensor.Shape{}, nil
			}
			dims = append(dims, d.slice.of(s)...)
			continue
		}
		size, err := r.size(c, o, len(dims), d)
		if err != nil {
			return tensor.Shape{}, err
		}
		dims = append(dims, size)
	}
	return tensor.MakeShape(dims...), nil
}

// size is one dim of output o.
func (r *rule) size(c *op.Call, o, axis int, d dimRule) (dim.Dim, error) {
	value := dim.Unknown()
	if d.expression != nil {
		var err error
		if value, err = d.expression.eval(c, r); err != nil {
			return value, err
		}
	}
	if d.open {
		return c.NewSymbol(o, axis, 0, value), nil
	}
	if !value.IsKnown() {
		c.Unknown(o, "a size that its rule asks for is unknown")
	} else if num, den, constant := value.Rational(); constant && (num < 0 || den > 1) {
		return value, c.Errorf(op.CodeShape, "dim %d of output %d comes to %s", axis, o, value)
	}
	return value, nil
}

// of are the dims that a slice takes, with Python's rules for indices outside.
func (s *slice) of(shape tensor.Shape) []dim.Dim {
	rank := shape.Rank()
	place := func(i int) int {
		if i < 0 {
			i += rank
		}
		return min(max(i, 0), rank)
	}
	from, to := place(s.from), rank
	if !s.toEnd {
		to = place(s.to)
	}
	if from >= to {
		return nil
	}
	return shape.Dims()[from:to]
}

// countMACs evaluates the rule's count; unknown where it can't be.
func (r *rule) countMACs(c *op.Call) dim.Dim {
	d, err := r.macs.eval(c, r)
	if err != nil {
		return dim.Unknown()
	}
	return d
}
