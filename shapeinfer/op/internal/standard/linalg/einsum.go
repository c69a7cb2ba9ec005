package linalg

import (
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds Einsum.
//
// Einsum: https://onnx.ai/onnx/operators/onnx__Einsum.html
// 28: more element types.
var einsumOps = []op.Op{
	{Name: "Einsum", Versions: []int{12, 28}, Infer: einsum, MACs: einsumMACs, Roles: op.Roles{op.Operand}},
}

func einsum(c *op.Call) error {
	c.Set(0, c.DType(0), tensor.Shape{})
	e, err := equationOf(c)
	if err != nil {
		return err
	}
	if e.ellipsisRank < 0 && e.result.ellipsis >= 0 {
		c.Unknown(0, "the rank of the operands is unknown")
		return nil
	}
	out := make([]dim.Dim, 0, len(e.result.labels)+max(e.ellipsisRank, 0))
	for i, l := range e.result.labels {
		if i == e.result.ellipsis {
			out = append(out, e.ellipsis...)
		}
		out = append(out, e.labels[l])
	}
	if e.result.ellipsis == len(e.result.labels) {
		out = append(out, e.ellipsis...)
	}
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// A contraction is an equation with the dims of its labels.
type contraction struct {
	equation
	labels       [128]dim.Dim // by letter
	ellipsis     []dim.Dim    // the axes that ... stands for
	ellipsisRank int          // their number, -1 when unknown
}

// equationOf reads the equation and gives every label the dim that the operands
// give it.
func equationOf(c *op.Call) (*contraction, error) {
	text := c.Str("equation", "")
	parsed, ok := parseEquation(text)
	if !ok {
		return nil, c.Errorf(op.CodeAttribute, "equation %q is malformed", text)
	}
	if len(parsed.operands) != len(c.Inputs) {
		return nil, c.Errorf(op.CodeArity, "equation %q has %d operands, the node %d", text, len(parsed.operands), len(c.Inputs))
	}
	e := &contraction{equation: parsed, ellipsisRank: -1}
	var seen [128]bool
	for i, t := range e.operands {
		if err := einsumOperand(c, e, t, c.Shape(i), &seen); err != nil {
			return nil, err
		}
	}
	if !e.hasEllipsis() {
		e.ellipsisRank = 0
	}
	for i, t := range e.operands {
		if t.ellipsis >= 0 && !c.Shape(i).Ranked() {
			e.widenEllipsis()
		}
	}
	return e, nil
}

func einsumOperand(c *op.Call, e *contraction, t subscripts, s tensor.Shape, seen *[128]bool) error {
	skipped := 0
	if s.Ranked() {
		skipped = s.Rank() - len(t.labels)
		if skipped < 0 || (t.ellipsis < 0 && skipped > 0) {
			return c.Errorf(op.CodeRank, "operand %s does not have the %d axes of its labels", s, len(t.labels))
		}
		if t.ellipsis >= 0 {
			if err := einsumEllipsis(c, e, s.Dims()[t.ellipsis:t.ellipsis+skipped]); err != nil {
				return err
			}
		}
	}
	for j, l := range t.labels {
		axis := j
		if t.ellipsis >= 0 && j >= t.ellipsis {
			axis += skipped
		}
		d := s.At(axis)
		if seen[l] {
			merged, ok := op.BroadcastDim(e.labels[l], d)
			if !ok {
				return c.Errorf(op.CodeShape, "label %c stands for %s and for %s", l, e.labels[l], d)
			}
			d = merged
		}
		e.labels[l], seen[l] = d, true
	}
	return nil
}

// einsumEllipsis broadcasts the axes that one operand's ellipsis stands for
// with those before. Every ellipsis of an equation must stand for as many.
func einsumEllipsis(c *op.Call, e *contraction, axes []dim.Dim) error {
	if e.ellipsisRank < 0 {
		e.ellipsisRank, e.ellipsis = len(axes), slices.Clone(axes)
		return nil
	}
	if len(axes) != e.ellipsisRank {
		return c.Errorf(op.CodeRank, "one ellipsis stands for %d axes, another for %d", e.ellipsisRank, len(axes))
	}
	for i, d := range axes {
		merged, ok := op.BroadcastDim(e.ellipsis[i], d)
		if !ok {
			return c.Errorf(op.CodeShape, "the ellipsis stands for %s and for %s on its axis %d", e.ellipsis[i], d, i)
		}
		e.ellipsis[i] = merged
	}
	return nil
}

// widenEllipsis leaves open the axes of the ellipsis that an operand of unknown
// rank may broadcast.
func (e *contraction) widenEllipsis() {
	for i, d := range e.ellipsis {
		e.ellipsis[i], _ = op.BroadcastDim(d, dim.Unknown())
	}
}

// einsumMACs contracts the operands one after the other: each step multiplies
// once for every combination of the labels that either side holds. A label
// that neither the result nor a later operand holds is summed over and gone. A
// single operand is not multiplied with anything.
func einsumMACs(c *op.Call) dim.Dim {
	e, err := equationOf(c)
	if err != nil {
		return dim.Unknown()
	}
	macs := dim.Int(0)
	needed := e.neededAfter()
	held := e.operands[0].set()
	for i := 1; i < len(e.operands); i++ {
		held = held.union(e.operands[i].set())
		macs = dim.Add(macs, e.combinations(held))
		held = held.intersection(needed[i])
	}
	return macs
}

// neededAfter are, for each operand, the labels that the result or a later
// operand holds.
func (e *contraction) neededAfter() []labelSet {
	needed := make([]labelSet, len(e.operands))
	set := e.result.set()
	for i := len(e.operands) - 1; i >= 0; i-- {
		needed[i] = set
		set = set.union(e.operands[i].set())
	}
	return needed
}

// combinations is the product of the dims of a set of labels.
func (e *contraction) combinations(s labelSet) dim.Dim {
	var dims []dim.Dim
	for l := range s.has {
		if s.has[l] {
			dims = append(dims, e.labels[l])
		}
	}
	if s.ellipsis {
		if e.ellipsisRank < 0 {
			return dim.Unknown()
		}
		dims = append(dims, e.ellipsis...)
	}
	return dim.Product(dims...)
}
