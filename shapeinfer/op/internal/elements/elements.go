package elements

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file evaluates operators element by element, with numpy's broadcasting,
// over small tensors whose elements may be numbers, expressions, or unknown.

// SetElements sets output 0 to the type and, where the output is small enough
// to be followed and at least need of the inputs in slots are known, its
// elements to those that f computes from the inputs' elements. An input that
// is left out or not known has unknown elements. f must not keep its argument.
func SetElements(c *op.Call, d onnxgraph.DType, s tensor.Shape, need int, f func(xs []tensor.Scalar) tensor.Scalar) {
	c.Set(0, d, s)
	if d == onnxgraph.Undefined {
		return
	}
	// What can't be followed is found out before anything is read.
	dims, n, ok := tensor.Fits(d, s)
	if !ok {
		return
	}
	var few [3]*tensor.Value
	inputs := few[:0]
	missing := len(c.Inputs) - need
	if missing < 0 {
		return
	}
	for i := range c.Inputs {
		v := c.Value(i)
		if v == nil {
			if missing--; missing < 0 {
				return
			}
		}
		inputs = append(inputs, v)
	}
	if v := combine(d, dims, n, inputs, f); v != nil {
		c.SetValue(0, v)
	}
}

// MapElements sets output 0 to the shape of input 0 in the element type d,
// with elements computed one from one where they are known.
func MapElements(c *op.Call, d onnxgraph.DType, f func(x tensor.Scalar) tensor.Scalar) {
	c.Set(0, d, c.Shape(0))
	if d == onnxgraph.Undefined {
		return
	}
	if _, _, ok := tensor.Fits(d, c.Shape(0)); !ok {
		return
	}
	if v := mapped(d, c.Value(0), f); v != nil {
		c.SetValue(0, v)
	}
}

// mapped returns the value of f of each element; nil where v is, or where no
// element of the result is known.
func mapped(d onnxgraph.DType, v *tensor.Value, f func(x tensor.Scalar) tensor.Scalar) *tensor.Value {
	if v == nil {
		return nil
	}
	out := &tensor.Value{DType: d, Dims: v.Dims, Elems: make([]tensor.Scalar, len(v.Elems))}
	known := len(v.Elems) == 0
	for i, x := range v.Elems {
		if x.IsKnown() {
			out.Elems[i] = f(x)
			known = known || out.Elems[i].IsKnown()
		}
	}
	if !known {
		return nil
	}
	return out
}

// combine returns the value of f over the inputs' elements, broadcast to dims,
// which have n elements; nil where none of the result's elements is known.
func combine(d onnxgraph.DType, dims []int64, n int64, inputs []*tensor.Value, f func(xs []tensor.Scalar) tensor.Scalar) *tensor.Value {
	out := &tensor.Value{DType: d, Dims: dims, Elems: make([]tensor.Scalar, n)}
	walks := make([]Walk, len(inputs))
	for i, v := range inputs {
		walks[i] = newWalk(v, dims)
	}
	xs := make([]tensor.Scalar, len(inputs))
	at := make([]int64, len(dims))
	known := n == 0
	for k := range out.Elems {
		for i := range walks {
			xs[i] = walks[i].elems[walks[i].Position]
		}
		out.Elems[k] = f(xs)
		known = known || out.Elems[k].IsKnown()
		AdvanceWalks(at, dims, walks)
	}
	if !known {
		return nil
	}
	return out
}

// A Walk visits the elements of one input in the order of the output's.
type Walk struct {
	elems    []tensor.Scalar
	Strides  []int64 // per axis of the output: how far the next index is; 0 where it is repeated
	Position int64
}

var unknownElement = []tensor.Scalar{{}}

// newWalk broadcasts v to dims. A value that is nil or does not broadcast is
// unknown everywhere.
func newWalk(v *tensor.Value, dims []int64) Walk {
	w := Walk{elems: unknownElement, Strides: make([]int64, len(dims))}
	if v == nil || len(v.Dims) > len(dims) || len(v.Elems) == 0 {
		return w
	}
	offset := len(dims) - len(v.Dims)
	stride := int64(1)
	for i := len(v.Dims) - 1; i >= 0; i-- {
		switch v.Dims[i] {
		case 1:
		case dims[offset+i]:
			w.Strides[offset+i] = stride
		default:
			clear(w.Strides)
			return w
		}
		stride *= v.Dims[i]
	}
	w.elems = v.Elems
	return w
}

// AdvanceWalks moves on to the next index in row-major order.
func AdvanceWalks(at, dims []int64, walks []Walk) {
	for axis := len(dims) - 1; axis >= 0; axis-- {
		at[axis]++
		for i := range walks {
			walks[i].Position += walks[i].Strides[axis]
		}
		if at[axis] < dims[axis] {
			return
		}
		at[axis] = 0
		for i := range walks {
			walks[i].Position -= walks[i].Strides[axis] * dims[axis]
		}
	}
}

// Repeated is the value of dims elements that are all x; nil when x is unknown
// or there are too many.
func Repeated(d onnxgraph.DType, s tensor.Shape, x tensor.Scalar) *tensor.Value {
	if !x.IsKnown() || d == onnxgraph.Undefined {
		return nil
	}
	dims, n, ok := tensor.Fits(d, s)
	if !ok {
		return nil
	}
	v := &tensor.Value{DType: d, Dims: dims, Elems: make([]tensor.Scalar, n)}
	for i := range v.Elems {
		v.Elems[i] = x
	}
	return v
}
