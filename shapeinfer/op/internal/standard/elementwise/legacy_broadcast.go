package elementwise

import (
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the rules for shapes that must be equal, which the elementwise
// operators had before numpy's broadcasting.

// limitedBroadcast is the shape of a binary operator of the versions before
// numpy's broadcasting came (Add 1 and 6, And 1, Equal 1, Pow 1 and their
// like, https://onnx.ai/onnx/operators/onnx__Add.html#add-6): the shapes are
// equal or, with broadcast=1, the second one has one element or is a run of
// the first one's dims that starts at the attribute axis, or ends with it
// where there is no axis. The result has the first one's shape.
func limitedBroadcast(c *op.Call, a, b tensor.Shape) (tensor.Shape, error) {
	if !c.Flag("broadcast", false) {
		return c.MergeShapes(a, b)
	}
	if !a.Ranked() || !b.Ranked() {
		return a, nil
	}
	if n, ok := b.Elements().Int(); ok && n == 1 && b.Rank() <= a.Rank() {
		return a, nil
	}
	if b.Rank() > a.Rank() {
		return a, c.Errorf(op.CodeShape, "the second shape %s has more dims than the first one %s, which it is broadcast to", b, a)
	}
	start := int64(a.Rank() - b.Rank())
	if c.HasAttr("axis") {
		if start = c.Int("axis", 0); start < 0 {
			start += int64(a.Rank())
		}
	}
	if start < 0 || start+int64(b.Rank()) > int64(a.Rank()) {
		return a, c.Errorf(op.CodeAttribute, "axis %d puts the second shape %s outside the first one %s", c.Int("axis", 0), b, a)
	}
	out := a.Clone()
	for i, d := range b.Dims() {
		at := int(start) + i
		// The text forbids dims of one among others, but models have them and
		// the result does not depend on them.
		if n, ok := d.Int(); ok && n == 1 {
			continue
		}
		merged, ok := op.MergeDims(out[at], d)
		if !ok {
			return a, c.Errorf(op.CodeShape, "dim %d of the second shape %s does not fit dim %d of the first one %s", i, b, at, a)
		}
		out[at] = merged
	}
	return tensor.MakeShape(out...), nil
}

// legacyShape is the output's shape of a binary operator: numpy's broadcasting
// from version numpy of the operator on, limited broadcasting before.
func legacyShape(c *op.Call, numpy int) (tensor.Shape, error) {
	if c.Since < numpy {
		return limitedBroadcast(c, c.Shape(0), c.Shape(1))
	}
	return c.Broadcast(c.Shape(0), c.Shape(1))
}
