package movement

import (
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// Split: https://onnx.ai/onnx/operators/onnx__Split.html
// 1: the sizes are an attribute or a second input; 2: an attribute; 11: a
// negative axis; 13: the sizes are an input; 18: num_outputs, and a dim that
// does not divide leaves a smaller last part.
var splitOps = []op.Op{
	{Name: "Split", Versions: []int{1, 2, 11, 13}, Infer: splitEven, Effect: op.Moves, Roles: op.ThroughFirst},
	{Name: "Split", Versions: []int{18}, Infer: split18, Effect: op.Moves, Roles: op.ThroughFirst},
}

// splitEven covers the versions whose parts are equal unless sizes are given.
func splitEven(c *op.Call) error {
	sizes, given, err := splitSizes(c)
	if err != nil {
		return err
	}
	return split(c, func(d dim.Dim) ([]dim.Dim, error) {
		if given {
			return PartsOfSizes(c, d, sizes)
		}
		return equalParts(c, d, int64(len(c.Outputs)))
	})
}

func split18(c *op.Call) error {
	count := c.HasAttr("num_outputs")
	if count == c.Has(1) {
		return c.Errorf(op.CodeAttribute, "one of the input split and the attribute num_outputs must be given, not both")
	}
	sizes, _, err := splitSizes(c)
	if err != nil {
		return err
	}
	return split(c, func(d dim.Dim) ([]dim.Dim, error) {
		if !count {
			return PartsOfSizes(c, d, sizes)
		}
		return chunks(c, d, c.Int("num_outputs", 0))
	})
}

// splitSizes returns the sizes that the node gives, unknown ones where only
// their number is known.
func splitSizes(c *op.Call) (sizes []dim.Dim, given bool, err error) {
	if err := c.CheckRank(1, "split", 1); err != nil {
		return nil, true, err
	}
	switch {
	case c.Since <= 11 && c.HasAttr("split"):
		for _, n := range c.IntList("split") {
			if n < 0 {
				return nil, true, c.Errorf(op.CodeAttribute, "split holds %d", n)
			}
			sizes = append(sizes, dim.Int(n))
		}
		return sizes, true, nil
	case c.Since == 1 && c.Has(1), c.Since >= 13 && c.Has(1):
		sizes, n, err := c.Sizes(1, "split")
		if n < 0 {
			sizes = make([]dim.Dim, len(c.Outputs))
		}
		return sizes, true, err
	}
	return nil, false, nil
}

// split sets the outputs to parts of the input; cut says how long they are on
// the axis.
func split(c *op.Call, cut func(dim.Dim) ([]dim.Dim, error)) error {
	in := c.Shape(0)
	for o := range c.Outputs {
		c.Set(o, c.DType(0), tensor.Shape{})
	}
	if !in.Ranked() {
		return nil
	}
	axis, err := c.Axis(c.Int("axis", 0), in.Rank())
	if err != nil {
		return err
	}
	parts, err := cut(in.At(axis))
	if err != nil {
		return err
	}
	if len(parts) != len(c.Outputs) {
		return c.Errorf(op.CodeArity, "%d parts for %d outputs", len(parts), len(c.Outputs))
	}
	at := dim.Int(0)
	for o, part := range nameParts(c, parts, in.At(axis), axis) {
		out := in.Clone()
		out[axis] = part
		shape := tensor.MakeShape(out...)
		c.Set(o, c.DType(0), shape)
		splitValue(c, o, shape, axis, at)
		at = dim.Add(at, part)
	}
	return nil
}

// nameParts makes symbols for the parts of d that only a run knows. The last
// one of them is what the others leave, so that together they stay d.
func nameParts(c *op.Call, parts []dim.Dim, d dim.Dim, axis int) []dim.Dim {
	last := len(parts) - 1
	for last >= 0 && parts[last].IsKnown() {
		last--
	}
	if last < 0 || !d.IsKnown() {
		return parts
	}
	named, rest := make([]dim.Dim, len(parts)), d
	for o, part := range parts {
		if o == last {
			continue
		}
		if named[o] = part; !part.IsKnown() {
			named[o] = c.NewSymbol(o, axis, 0, d)
		}
		rest = dim.Sub(rest, named[o])
	}
	named[last] = rest
	return named
}

// splitValue sets the elements of output o, which begins at the given place on
// the axis.
func splitValue(c *op.Call, o int, shape tensor.Shape, axis int, at dim.Dim) {
	begin, ok := at.Int()
	if !ok {
		return
	}
	v, dims := elements.Followed(c, 0, c.DType(0), shape)
	if v == nil || begin+dims[axis] > v.Dims[axis] {
		return
	}
	steps := elements.RowStrides(v.Dims)
	c.SetValue(o, elements.Strided(v, dims, begin*steps[axis], steps))
}

// PartsOfSizes checks the sizes against the dim that they must add up to. One
// unknown size follows from the others.
func PartsOfSizes(c *op.Call, d dim.Dim, sizes []dim.Dim) ([]dim.Dim, error) {
	unknown, sum := -1, dim.Int(0)
	for i, s := range sizes {
		if s.IsKnown() {
			sum = dim.Add(sum, s)
		} else if unknown >= 0 {
			return sizes, nil
		} else {
			unknown = i
		}
	}
	if unknown >= 0 {
		sizes = slices.Clone(sizes)
		sizes[unknown] = dim.Sub(d, sum)
		return sizes, nil
	}
	have, haveInt := d.Int()
	want, wantInt := sum.Int()
	if haveInt && wantInt && have != want {
		return nil, c.Errorf(op.CodeShape, "the sizes add up to %d, the dim is %d", want, have)
	}
	return sizes, nil
}

// equalParts divides a dim into n equal parts; a dim that n does not divide is
// an error.
func equalParts(c *op.Call, d dim.Dim, n int64) ([]dim.Dim, error) {
	if n == 0 {
		return nil, nil
	}
	if size, ok := d.Int(); ok && size%n != 0 {
		return nil, c.Errorf(op.CodeShape, "a dim of %d does not split into %d equal parts", size, n)
	}
	parts := make([]dim.Dim, n)
	for i := range parts {
		parts[i] = dim.Div(d, dim.Int(n))
	}
	return parts, nil
}

// chunks divides a dim into n parts of ceil(d/n), of which the last one takes
// what is left.
func chunks(c *op.Call, d dim.Dim, n int64) ([]dim.Dim, error) {
	if n < 1 || n != int64(len(c.Outputs)) {
		return nil, c.Errorf(op.CodeAttribute, "num_outputs is %d, the node has %d outputs", n, len(c.Outputs))
	}
	parts := make([]dim.Dim, n)
	chunk := dim.CeilDiv(d, dim.Int(n))
	for i := range parts {
		parts[i] = chunk
	}
	parts[n-1] = dim.Sub(d, dim.Mul(chunk, dim.Int(n-1)))
	if last, ok := parts[n-1].Int(); ok && last < 0 {
		return nil, c.Errorf(op.CodeShape, "a dim of %s is too short for %d parts of %s", d, n, chunk)
	}
	return parts, nil
}
