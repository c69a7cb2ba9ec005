package reduce

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the reductions over axes.
//
// ReduceSum: https://onnx.ai/onnx/operators/onnx__ReduceSum.html
// 1: axes is an attribute; 11: may be negative; 13: axes is an optional input,
// noop_with_empty_axes.
//
// The others: https://onnx.ai/onnx/operators/onnx__ReduceMax.html
// 1, 11 likewise; 12 (Max, Min): 8-bit integers; 13: bfloat16; 18: axes is an
// optional input, noop_with_empty_axes; 20 (Max, Min): BOOL; 28 (LogSum,
// LogSumExp): no more integers.
var reduceOps = []op.Op{
	{Name: "ReduceSum", Versions: []int{1, 11}, Infer: reduceByAttribute(sumScalars), Effect: op.Reduces, Roles: op.ThroughFirst},
	{Name: "ReduceSum", Versions: []int{13}, Infer: reduceByInput(sumScalars), Effect: op.Reduces, Roles: op.ThroughFirst},
	{Name: "ReduceProd", Versions: []int{1, 11, 13}, Infer: reduceByAttribute(productScalars), Effect: op.Reduces},
	{Name: "ReduceProd", Versions: []int{18}, Infer: reduceByInput(productScalars), Effect: op.Reduces},
	{Name: "ReduceMax", Versions: []int{1, 11, 12, 13}, Infer: reduceByAttribute(greatestScalar), Effect: op.Reduces},
	{Name: "ReduceMax", Versions: []int{18, 20}, Infer: reduceByInput(greatestScalar), Effect: op.Reduces},
	{Name: "ReduceMin", Versions: []int{1, 11, 12, 13}, Infer: reduceByAttribute(leastScalar), Effect: op.Reduces},
	{Name: "ReduceMin", Versions: []int{18, 20}, Infer: reduceByInput(leastScalar), Effect: op.Reduces},
	{Name: "ReduceMean", Versions: []int{1, 11, 13}, Infer: reduceByAttribute(meanScalar), Effect: op.Reduces, Roles: op.ThroughFirst},
	{Name: "ReduceMean", Versions: []int{18}, Infer: reduceByInput(meanScalar), Effect: op.Reduces, Roles: op.ThroughFirst},
	{Name: "ReduceL1", Versions: []int{1, 11, 13}, Infer: reduceByAttribute(absoluteSumScalars), Effect: op.Reduces},
	{Name: "ReduceL1", Versions: []int{18}, Infer: reduceByInput(absoluteSumScalars), Effect: op.Reduces},
	{Name: "ReduceSumSquare", Versions: []int{1, 11, 13}, Infer: reduceByAttribute(squareSumScalars), Effect: op.Reduces},
	{Name: "ReduceSumSquare", Versions: []int{18}, Infer: reduceByInput(squareSumScalars), Effect: op.Reduces},
	{Name: "ReduceL2", Versions: []int{1, 11, 13}, Infer: reduceByAttribute(nil), Effect: op.Reduces, Roles: op.ThroughFirst},
	{Name: "ReduceL2", Versions: []int{18}, Infer: reduceByInput(nil), Effect: op.Reduces, Roles: op.ThroughFirst},
	{Name: "ReduceLogSum", Versions: []int{1, 11, 13}, Infer: reduceByAttribute(nil), Effect: op.Reduces},
	{Name: "ReduceLogSum", Versions: []int{18, 28}, Infer: reduceByInput(nil), Effect: op.Reduces},
	{Name: "ReduceLogSumExp", Versions: []int{1, 11, 13}, Infer: reduceByAttribute(nil), Effect: op.Reduces},
	{Name: "ReduceLogSumExp", Versions: []int{18, 28}, Infer: reduceByInput(nil), Effect: op.Reduces},
}

// A reducer computes one element from those that are reduced to it; nil for
// those that are not followed.
type reducer func(d onnxgraph.DType, xs []tensor.Scalar) tensor.Scalar

func reduceByAttribute(f reducer) func(*op.Call) error {
	return func(c *op.Call) error {
		c.Set(0, c.DType(0), tensor.Shape{})
		return reduce(c, f, c.IntList("axes"), false)
	}
}

func reduceByInput(f reducer) func(*op.Call) error {
	return func(c *op.Call) error {
		c.Set(0, c.DType(0), tensor.Shape{})
		if err := c.CheckRank(1, "axes", 1); err != nil {
			return err
		}
		noop := c.Flag("noop_with_empty_axes", false)
		if !c.Has(1) {
			return reduce(c, f, nil, noop)
		}
		if axes, ok := c.Ints(1); ok {
			return reduce(c, f, axes, noop)
		}
		reduceUnknownAxes(c, noop)
		return nil
	}
}

// reduce sets output 0 to input 0 reduced over axes; none mean all, or with
// noop none.
func reduce(c *op.Call, f reducer, axes []int64, noop bool) error {
	s := c.Shape(0)
	keep := KeepDims(c)
	if !s.Ranked() {
		if len(axes) == 0 && !noop && !keep {
			c.Set(0, c.DType(0), tensor.ScalarShape())
		} else {
			c.Unknown(0, "the input's rank is not known")
		}
		return nil
	}
	reduced, err := ReducedAxes(c, axes, s.Rank(), noop)
	if err != nil {
		return err
	}
	out := ReducedShape(s, reduced, keep)
	c.Set(0, c.DType(0), out)
	reduceElements(c, f, reduced, out)
	return nil
}

// ReducedAxes marks the axes that are reduced.
func ReducedAxes(c *op.Call, axes []int64, rank int, noop bool) ([]bool, error) {
	reduced := make([]bool, rank)
	if len(axes) == 0 {
		for i := range reduced {
			reduced[i] = !noop
		}
		return reduced, nil
	}
	for _, a := range axes {
		if rank == 0 && (a == 0 || a == -1) {
			continue // runtimes reduce a scalar along its only axis, as PyTorch does
		}
		n, err := c.Axis(a, rank)
		if err != nil {
			return nil, err
		}
		reduced[n] = true
	}
	return reduced, nil
}

// KeepDims reports whether reduced axes stay, with the dim 1. Runtimes compare
// the attribute with 1 and take any other number for 0.
func KeepDims(c *op.Call) bool { return c.Int("keepdims", 1) == 1 }

func ReducedShape(s tensor.Shape, reduced []bool, keep bool) tensor.Shape {
	dims := make([]dim.Dim, 0, s.Rank())
	for i, d := range s.Dims() {
		switch {
		case !reduced[i]:
			dims = append(dims, d)
		case keep:
			dims = append(dims, dim.Int(1))
		}
	}
	return tensor.MakeShape(dims...)
}

// reduceUnknownAxes sets output 0 where the axes are known only at run time.
func reduceUnknownAxes(c *op.Call, noop bool) {
	s := c.Shape(0)
	c.Unknown(0, "the axes are known only at run time")
	if !s.Ranked() {
		return
	}
	keep := KeepDims(c)
	count, counted := c.Shape(1).At(0).Int()
	switch {
	case counted && count >= int64(s.Rank()) && keep:
		// No axis occurs twice: these are all of them.
		all := make([]bool, s.Rank())
		for i := range all {
			all[i] = true
		}
		c.Set(0, c.DType(0), ReducedShape(s, all, true))
		c.Unknown(0, "")
	case counted && count == 0:
		all := make([]bool, s.Rank())
		for i := range all {
			all[i] = !noop
		}
		c.Set(0, c.DType(0), ReducedShape(s, all, keep))
		c.Unknown(0, "")
	case keep:
		c.Set(0, c.DType(0), tensor.MakeShape(onlyOnes(s)...))
	case counted && count <= int64(s.Rank()):
		c.Set(0, c.DType(0), tensor.RankOnly(s.Rank()-int(count)))
	}
}

// onlyOnes keeps the dims that are one, which they stay whether they are
// reduced or not.
func onlyOnes(s tensor.Shape) []dim.Dim {
	dims := make([]dim.Dim, s.Rank())
	for i, d := range s.Dims() {
		if n, ok := d.Int(); ok && n == 1 {
			dims[i] = d
		}
	}
	return dims
}

// reduceElements sets the elements of output 0, of that shape, where they can
// be followed.
func reduceElements(c *op.Call, f reducer, reduced []bool, s tensor.Shape) {
	d := c.DType(0)
	if f == nil || d == onnxgraph.Undefined {
		return
	}
	// The input must be followed too, and is at least as large.
	if _, _, ok := tensor.Fits(d, c.Shape(0)); !ok {
		return
	}
	dims, n, ok := tensor.Fits(d, s)
	if !ok {
		return
	}
	v := c.Value(0)
	if v == nil || len(v.Dims) != len(reduced) {
		return
	}
	out := &tensor.Value{DType: d, Dims: dims, Elems: make([]tensor.Scalar, n)}
	known := n == 0
	for i, xs := range groups(v, reduced, n) {
		out.Elems[i] = f(d, xs)
		known = known || out.Elems[i].IsKnown()
	}
	if known {
		c.SetValue(0, out)
	}
}

// groups collects for each of n results the elements that are reduced to it.
func groups(v *tensor.Value, reduced []bool, n int64) [][]tensor.Scalar {
	sets := make([][]tensor.Scalar, n)
	strides := make([]int64, len(v.Dims))
	stride := int64(1)
	for i := len(v.Dims) - 1; i >= 0; i-- {
		if !reduced[i] {
			strides[i] = stride
			stride *= v.Dims[i]
		}
	}
	w := []elements.Walk{{Strides: strides}}
	at := make([]int64, len(v.Dims))
	for _, x := range v.Elems {
		sets[w[0].Position] = append(sets[w[0].Position], x)
		elements.AdvanceWalks(at, v.Dims, w)
	}
	return sets
}
