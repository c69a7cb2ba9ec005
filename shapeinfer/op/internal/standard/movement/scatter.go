package movement

import (
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators that write elements at given places of a copy
// of their first input, whose type the result has.
//
// Scatter: https://onnx.ai/onnx/operators/onnx__Scatter.html
// 11: withdrawn in favour of ScatterElements.
//
// ScatterElements: https://onnx.ai/onnx/operators/onnx__ScatterElements.html
// 13: more element types; 16: reductions add and mul; 18: max and min.
//
// ScatterND: https://onnx.ai/onnx/operators/onnx__ScatterND.html
// 13: more element types; 16: reductions add and mul; 18: max and min.
var scatterOps = []op.Op{
	{Name: "Scatter", Versions: []int{9}, Infer: scatterElements, Effect: op.Moves},
	{Name: "Scatter", Versions: []int{11}, Infer: scatterElements, Deprecated: true, Effect: op.Moves},
	{Name: "ScatterElements", Versions: []int{11, 13, 16, 18}, Infer: scatterElements, Effect: op.Moves},
	{Name: "ScatterND", Versions: []int{11, 13, 16, 18}, Infer: scatterND, Effect: op.Moves},
}

// A reduction combines an element with an update of it.
type reduction func(old, update dim.Dim) dim.Dim

// reductionOf reads the attribute of that name.
func reductionOf(c *op.Call) (reduction, error) {
	switch name := c.Str("reduction", "none"); {
	case name == "none":
		return func(_, update dim.Dim) dim.Dim { return update }, nil
	case name == "add" && c.Since >= 16:
		return dim.Add, nil
	case name == "mul" && c.Since >= 16:
		return dim.Mul, nil
	case name == "max" && c.Since >= 18:
		return dim.Max, nil
	case name == "min" && c.Since >= 18:
		return dim.Min, nil
	default:
		return nil, c.Errorf(op.CodeAttribute, "reduction %q is not one of version %d", name, c.Since)
	}
}

func scatterElements(c *op.Call) error {
	data, indices, updates := c.Shape(0), c.Shape(1), c.Shape(2)
	c.Set(0, c.DType(0), data)
	combine, err := reductionOf(c)
	if err != nil {
		return err
	}
	if data.Rank() == 0 {
		return c.Errorf(op.CodeRank, "data must have an axis")
	}
	if data.Ranked() && indices.Ranked() && data.Rank() != indices.Rank() {
		return c.Errorf(op.CodeRank, "data of rank %d and indices of rank %d must have one rank", data.Rank(), indices.Rank())
	}
	if err := c.SameShape("indices", indices, "updates", updates); err != nil {
		return err
	}
	if !data.Ranked() {
		if indices.Ranked() {
			c.Set(0, c.DType(0), tensor.RankOnly(indices.Rank()))
		}
		return nil
	}
	axis, err := c.Axis(c.Int("axis", 0), data.Rank())
	if err != nil {
		return err
	}
	if err := indicesFit(c, data, indices, axis); err != nil {
		return err
	}
	return scatter(c, combine, func(picks *tensor.Value, k int64, index []int64, dims []int64) (int64, bool, error) {
		at, ok, err := indexInto(c, picks.Elems[k], dims[axis])
		strides := elements.RowStrides(dims)
		return offsetOf(index, strides) + (at-index[axis])*strides[axis], ok, err
	}, func(picks *tensor.Value) (places []int64, inner int64) { return picks.Dims, 1 })
}

// scatterND wants updates of the shape indices[:-1] ++ data[indices[-1]:].
func scatterND(c *op.Call) error {
	data, indices, updates := c.Shape(0), c.Shape(1), c.Shape(2)
	c.Set(0, c.DType(0), data)
	combine, err := reductionOf(c)
	if err != nil {
		return err
	}
	if data.Rank() == 0 || indices.Rank() == 0 {
		return c.Errorf(op.CodeRank, "neither data nor indices can be scalars")
	}
	if !data.Ranked() || !indices.Ranked() {
		return nil
	}
	depth, ok := indices.At(-1).Int()
	if !ok {
		return nil
	}
	if depth > int64(data.Rank()) {
		return c.Errorf(op.CodeShape, "index tuples of %d do not fit data %s", depth, data)
	}
	want := slices.Concat(indices.Dims()[:indices.Rank()-1], data.Dims()[depth:])
	if err := c.SameShape("updates", updates, "indices[:-1] ++ data["+dim.Int(depth).String()+":]", tensor.MakeShape(want...)); err != nil {
		return err
	}
	return scatter(c, combine, func(picks *tensor.Value, k int64, _ []int64, dims []int64) (int64, bool, error) {
		strides, from, known := elements.RowStrides(dims), int64(0), true
		for i := range depth {
			at, ok, err := indexInto(c, picks.Elems[k*depth+i], dims[i])
			if err != nil {
				return 0, false, err
			}
			from, known = from+at*strides[i], known && ok
		}
		return from, known, nil
	}, func(picks *tensor.Value) ([]int64, int64) {
		dims, _ := data.Ints()
		return picks.Dims[:len(picks.Dims)-1], elements.ElementCount(dims[depth:])
	})
}

// scatter sets the elements of output 0 where those of the data are followed
// and the indices are known. place says where update k begins, layout which
// places there are and how many elements each takes.
func scatter(c *op.Call,
	combine reduction,
	place func(picks *tensor.Value, k int64, index, dims []int64) (at int64, ok bool, err error),
	layout func(picks *tensor.Value) (places []int64, inner int64),
) error {
	v, dims := elements.Followed(c, 0, c.DType(0), c.Shape(0))
	if v == nil {
		return nil
	}
	picks, updates := c.Value(1), c.Value(2)
	if picks == nil {
		return nil
	}
	places, inner := layout(picks)
	out := &tensor.Value{DType: v.DType, Dims: dims, Elems: slices.Clone(v.Elems)}
	index := make([]int64, len(places))
	for k := range elements.ElementCount(places) {
		at, ok, err := place(picks, k, index, dims)
		if err != nil {
			return err
		}
		if !ok || at < 0 || at+inner > int64(len(out.Elems)) {
			return nil // it may have gone anywhere
		}
		for i := range inner {
			update := tensor.Scalar{}
			if updates != nil && k*inner+i < int64(len(updates.Elems)) {
				update = updates.Elems[k*inner+i]
			}
			out.Elems[at+i] = combined(combine, c.Str("reduction", "none") == "none", out.Elems[at+i], update)
		}
		elements.NextIndex(index, places)
	}
	c.SetValue(0, out)
	return nil
}

// combined is one element after an update. Elements that are no exact numbers
// are replaced, never combined.
func combined(combine reduction, replace bool, old, update tensor.Scalar) tensor.Scalar {
	if replace {
		return update
	}
	return tensor.Number(combine(old.Num, update.Num))
}
