package movement

import (
	"math"
	"strconv"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// Unique: https://onnx.ai/onnx/operators/onnx__Unique.html
// 28: more element types.
var uniqueOps = []op.Op{
	{Name: "Unique", Versions: []int{11, 28}, Infer: unique, Effect: op.Reduces},
}

// unique keeps one of each value of the flattened input, or one of each equal
// slice along an axis. Its outputs: what is kept, where each occurs first,
// where each entry of the input went, and how often each occurs.
func unique(c *op.Call) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	for o := 1; o < 4; o++ {
		c.Set(o, onnxgraph.Int64, tensor.RankOnly(1))
	}
	if s := c.Int("sorted", 1); s != 0 && s != 1 {
		return c.Errorf(op.CodeAttribute, "sorted is %d", s)
	}
	axis, size := 0, in.Elements()
	if c.HasAttr("axis") {
		if !in.Ranked() {
			return nil
		}
		var err error
		if axis, err = c.Axis(c.Int("axis", 0), in.Rank()); err != nil {
			return err
		}
		size = in.At(axis)
	}
	kept := UniqueCount(c, axis, size)
	out := []dim.Dim{kept}
	if c.HasAttr("axis") {
		out = in.Clone()
		out[axis] = kept
	}
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	c.Set(1, onnxgraph.Int64, tensor.MakeShape(kept))
	c.Set(2, onnxgraph.Int64, tensor.MakeShape(size))
	c.Set(3, onnxgraph.Int64, tensor.MakeShape(kept))
	return nil
}

// UniqueCount is how many entries are kept of size ones on the axis.
func UniqueCount(c *op.Call, axis int, size dim.Dim) dim.Dim {
	if n, ok := size.Int(); ok && n <= 1 {
		return size
	}
	v, dims := elements.Followed(c, 0, c.DType(0), c.Shape(0))
	if v != nil && v.AllKnown() {
		outer, inner := int64(1), int64(1)
		if c.HasAttr("axis") {
			outer, inner = elements.ElementCount(dims[:axis]), elements.ElementCount(dims[axis+1:])
		}
		if n, ok := countUnique(v.Elems, outer, inner); ok {
			return dim.Int(n)
		}
	}
	lo := int64(0)
	if op.IsPositive(size) {
		lo = 1
	}
	return c.NewSymbol(0, axis, lo, size)
}

// countUnique counts the different slices of elements laid out as [outer,
// entries, inner]. ok is false when an element is no number and no text.
func countUnique(elems []tensor.Scalar, outer, inner int64) (n int64, ok bool) {
	if outer*inner == 0 {
		return 0, false
	}
	entries := int64(len(elems)) / (outer * inner)
	seen := make(map[string]struct{}, entries)
	var key []byte
	for e := range entries {
		key = key[:0]
		for o := range outer {
			for i := range inner {
				if key, ok = appendElement(key, elems[(o*entries+e)*inner+i]); !ok {
					return 0, false
				}
			}
		}
		seen[string(key)] = struct{}{}
	}
	return int64(len(seen)), true
}

// appendElement writes an element such that equal ones, and only those, read
// the same.
func appendElement(key []byte, x tensor.Scalar) ([]byte, bool) {
	if x.IsText {
		return append(strconv.AppendInt(key, int64(len(x.Text)), 10), ":"+x.Text...), true
	}
	if n, ok := x.Int64(); ok {
		return append(strconv.AppendInt(key, n, 10), ','), true
	}
	f, ok := x.Float64()
	if !ok || math.IsNaN(f) {
		return key, false
	}
	if f == 0 { // -0
		f = 0
	}
	return append(strconv.AppendFloat(key, f, 'g', -1, 64), ','), true
}
