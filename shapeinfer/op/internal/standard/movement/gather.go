package movement

import (
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators that pick elements by their indices.
//
// Gather: https://onnx.ai/onnx/operators/onnx__Gather.html
// 11: negative indices; 13: more element types.
//
// GatherElements: https://onnx.ai/onnx/operators/onnx__GatherElements.html
// 13: more element types.
//
// GatherND: https://onnx.ai/onnx/operators/onnx__GatherND.html
// 12: batch_dims; 13: more element types.
var gatherOps = []op.Op{
	{Name: "Gather", Versions: []int{1, 11, 13}, Infer: gather, Effect: op.Moves, Roles: op.ParametersAt(0)},
	{Name: "GatherElements", Versions: []int{11, 13}, Infer: gatherElements, Effect: op.Moves, Roles: op.ParametersAt(0)},
	{Name: "GatherND", Versions: []int{11, 12, 13}, Infer: GatherND, Effect: op.Moves, Roles: op.ParametersAt(0)},
}

// gather gives data[:axis] ++ indices ++ data[axis+1:].
func gather(c *op.Call) error {
	data, indices := c.Shape(0), c.Shape(1)
	c.Set(0, c.DType(0), tensor.Shape{})
	if !data.Ranked() {
		return nil
	}
	if data.Rank() == 0 {
		return c.Errorf(op.CodeRank, "a scalar has no axis to gather from")
	}
	axis, err := c.Axis(c.Int("axis", 0), data.Rank())
	if err != nil || !indices.Ranked() {
		return err
	}
	out := make([]dim.Dim, 0, data.Rank()-1+indices.Rank())
	out = append(out, data.Dims()[:axis]...)
	out = append(out, indices.Dims()...)
	out = append(out, data.Dims()[axis+1:]...)
	shape := tensor.MakeShape(out...)
	c.Set(0, c.DType(0), shape)
	return gatherValue(c, shape, axis)
}

func gatherValue(c *op.Call, shape tensor.Shape, axis int) error {
	v, picks, dims := followedPicks(c, shape)
	if picks == nil {
		return nil
	}
	outer := elements.ElementCount(v.Dims[:axis])
	inner := elements.ElementCount(v.Dims[axis+1:])
	out := &tensor.Value{DType: v.DType, Dims: dims, Elems: make([]tensor.Scalar, 0, elements.ElementCount(dims))}
	for o := int64(0); o < outer; o++ {
		for _, pick := range picks.Elems {
			at, ok, err := indexInto(c, pick, v.Dims[axis])
			if err != nil {
				return err
			}
			if !ok {
				out.Elems = append(out.Elems, make([]tensor.Scalar, inner)...)
				continue
			}
			from := (o*v.Dims[axis] + at) * inner
			out.Elems = append(out.Elems, v.Elems[from:from+inner]...)
		}
	}
	c.SetValue(0, out)
	return nil
}

// followedPicks returns the elements of the data and of the indices for an
// output of that shape, which has dims; nil indices where either is not known.
func followedPicks(c *op.Call, shape tensor.Shape) (v, picks *tensor.Value, dims []int64) {
	if v, dims = elements.Followed(c, 0, c.DType(0), shape); v != nil {
		picks = c.Value(1)
	}
	return v, picks, dims
}

// indexInto brings an element that is an index into [0, size); ok is false when it
// is no known number.
func indexInto(c *op.Call, x tensor.Scalar, size int64) (at int64, ok bool, err error) {
	at, ok = x.Int64()
	if !ok {
		return 0, false, nil
	}
	given := at
	if at < 0 {
		at += size
	}
	if at < 0 || at >= size {
		return 0, false, c.Errorf(op.CodeValue, "index %d is outside a dim of %d", given, size)
	}
	return at, true, nil
}

// gatherElements gives the shape of the indices.
func gatherElements(c *op.Call) error {
	data, indices := c.Shape(0), c.Shape(1)
	c.Set(0, c.DType(0), indices)
	switch {
	case !data.Ranked():
		return nil
	case !indices.Ranked():
		c.Set(0, c.DType(0), tensor.RankOnly(data.Rank()))
	case data.Rank() != indices.Rank():
		return c.Errorf(op.CodeRank, "data of rank %d and indices of rank %d must have one rank", data.Rank(), indices.Rank())
	}
	axis, err := c.Axis(c.Int("axis", 0), data.Rank())
	if err != nil || !indices.Ranked() {
		return err
	}
	if err := indicesFit(c, data, indices, axis); err != nil {
		return err
	}
	return gatherElementsValue(c, indices, axis)
}

// indicesFit checks that on all axes but the one that the indices speak of they
// are no longer than the data.
func indicesFit(c *op.Call, data, indices tensor.Shape, axis int) error {
	for i, d := range indices.Dims() {
		n, isInt := d.Int()
		size, sizeInt := data.At(i).Int()
		if i != axis && isInt && sizeInt && n > size {
			return c.Errorf(op.CodeShape, "indices %s exceed data %s on axis %d", indices, data, i)
		}
	}
	return nil
}

func gatherElementsValue(c *op.Call, shape tensor.Shape, axis int) error {
	v, picks, dims := followedPicks(c, shape)
	if picks == nil {
		return nil
	}
	out := &tensor.Value{DType: v.DType, Dims: dims, Elems: make([]tensor.Scalar, len(picks.Elems))}
	strides, index := elements.RowStrides(v.Dims), make([]int64, len(dims))
	for k, pick := range picks.Elems {
		at, ok, err := indexInto(c, pick, v.Dims[axis])
		if err != nil {
			return err
		}
		if ok {
			out.Elems[k] = v.Elems[offsetOf(index, strides)+(at-index[axis])*strides[axis]]
		}
		elements.NextIndex(index, dims)
	}
	c.SetValue(0, out)
	return nil
}

// offsetOf is the place of an index in a tensor of these strides.
func offsetOf(index, strides []int64) int64 {
	at := int64(0)
	for i, x := range index {
		at += x * strides[i]
	}
	return at
}

// GatherND gives indices[:-1] ++ data[batch_dims+indices[-1]:].
func GatherND(c *op.Call) error {
	data, indices := c.Shape(0), c.Shape(1)
	c.Set(0, c.DType(0), tensor.Shape{})
	batch := c.Int("batch_dims", 0)
	if c.Since < 12 {
		batch = 0
	}
	if data.Rank() == 0 || indices.Rank() == 0 {
		return c.Errorf(op.CodeRank, "neither data nor indices can be scalars")
	}
	if !data.Ranked() || !indices.Ranked() {
		return nil
	}
	if batch < 0 || batch >= int64(min(data.Rank(), indices.Rank())) {
		return c.Errorf(op.CodeAttribute, "batch_dims %d must be below both ranks, %d and %d", batch, data.Rank(), indices.Rank())
	}
	depth, ok := indices.At(-1).Int()
	if !ok {
		c.Unknown(0, "the last dim of the indices decides the rank, and is not known")
		return nil
	}
	if depth < 1 || batch+depth > int64(data.Rank()) {
		return c.Errorf(op.CodeShape, "index tuples of %d do not fit data %s with %d batch dims", depth, data, batch)
	}
	out := slices.Clone(indices.Dims()[:indices.Rank()-1])
	for i := range int(batch) {
		merged, ok := op.MergeDims(out[i], data.At(i))
		if !ok {
			return c.Errorf(op.CodeShape, "batch dims %s and %s differ", data.At(i), out[i])
		}
		out[i] = merged
	}
	shape := tensor.MakeShape(append(out, data.Dims()[batch+depth:]...)...)
	c.Set(0, c.DType(0), shape)
	return gatherNDValue(c, shape, int(batch), int(depth))
}

func gatherNDValue(c *op.Call, shape tensor.Shape, batch, depth int) error {
	v, picks, dims := followedPicks(c, shape)
	if picks == nil {
		return nil
	}
	out := &tensor.Value{DType: v.DType, Dims: dims, Elems: make([]tensor.Scalar, 0, elements.ElementCount(dims))}
	strides := elements.RowStrides(v.Dims)
	inner := elements.ElementCount(v.Dims[batch+depth:])
	tuples := picks.Dims[:len(picks.Dims)-1]
	index := make([]int64, len(tuples))
	for k := int64(0); k < elements.ElementCount(tuples); k++ {
		from, known := offsetOf(index[:batch], strides), true
		for i := range depth {
			at, ok, err := indexInto(c, picks.Elems[k*int64(depth)+int64(i)], v.Dims[batch+i])
			if err != nil {
				return err
			}
			from, known = from+at*strides[batch+i], known && ok
		}
		if known {
			out.Elems = append(out.Elems, v.Elems[from:from+inner]...)
		} else {
			out.Elems = append(out.Elems, make([]tensor.Scalar, inner)...)
		}
		elements.NextIndex(index, tuples)
	}
	c.SetValue(0, out)
	return nil
}
