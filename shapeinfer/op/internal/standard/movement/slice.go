package movement

import (
	"math"
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// Slice: https://onnx.ai/onnx/operators/onnx__Slice.html
// 1: starts, ends and axes are attributes; 10: they are inputs, and steps
// too; 11: negative axes; 13: the rule for clamping is spelled out, more
// element types.
var sliceOps = []op.Op{
	{Name: "Slice", Versions: []int{1}, Infer: slice1, Effect: op.Moves, Roles: op.ThroughFirst},
	{Name: "Slice", Versions: []int{10, 11, 13}, Infer: Slice10, Effect: op.Moves, Roles: op.ThroughFirst},
}

// A slicing is what a node asks for: starts, ends and steps per entry of axes.
type slicing struct {
	starts, ends, steps []dim.Dim
	axes                []int64
}

func slice1(c *op.Call) error {
	s := slicing{starts: op.IntDims(c.IntList("starts")), ends: op.IntDims(c.IntList("ends"))}
	if s.axes = c.IntList("axes"); !c.HasAttr("axes") {
		s.axes = firstAxes(len(s.starts))
	}
	s.steps = slices.Repeat([]dim.Dim{dim.Int(1)}, len(s.starts))
	return slice(c, &s)
}

func Slice10(c *op.Call) error {
	c.Set(0, c.DType(0), tensor.Shape{})
	for i, what := range []string{"starts", "ends", "axes", "steps"} {
		if err := c.CheckRank(1+i, what, 1); err != nil {
			return err
		}
	}
	n, ok := sliceCount(c)
	if !ok {
		return sliceUnknownAxes(c)
	}
	s := slicing{starts: sliceInput(c, 1, n), ends: sliceInput(c, 2, n), steps: slices.Repeat([]dim.Dim{dim.Int(1)}, n), axes: firstAxes(n)}
	if c.Has(4) {
		s.steps = sliceInput(c, 4, n)
	}
	if c.Has(3) {
		if s.axes, ok = c.Ints(3); !ok {
			return sliceUnknownAxes(c)
		}
	}
	return slice(c, &s)
}

// sliceCount is how many axes are sliced: the length of any of the inputs.
func sliceCount(c *op.Call) (int, bool) {
	for i := 1; i <= 4; i++ {
		if n, ok := c.VectorLength(i); ok && c.Has(i) {
			return n, true
		}
	}
	return 0, false
}

// sliceInput returns the elements of an input, n unknown ones when they are
// not known.
func sliceInput(c *op.Call, i, n int) []dim.Dim {
	if elems, ok := c.Dims(i); ok {
		return elems
	}
	if length, ok := c.VectorLength(i); ok {
		n = length
	}
	return make([]dim.Dim, n)
}

// sliceUnknownAxes covers slices of which not even the axes are known: every
// dim may become smaller.
func sliceUnknownAxes(c *op.Call) error {
	in := c.Shape(0)
	if in.Ranked() {
		out := make([]dim.Dim, in.Rank())
		for i, d := range in.Dims() {
			out[i] = c.NewSymbol(0, i, 0, d)
		}
		c.Set(0, c.DType(0), tensor.MakeShape(out...))
	}
	c.Unknown(0, "the axes of the slice are known only at run time")
	return nil
}

func slice(c *op.Call, s *slicing) error {
	in := c.Shape(0)
	c.Set(0, c.DType(0), in)
	if n := len(s.starts); len(s.ends) != n || len(s.axes) != n || len(s.steps) != n {
		return c.Errorf(op.CodeShape, "%d starts, %d ends, %d axes and %d steps must be as many", n, len(s.ends), len(s.axes), len(s.steps))
	}
	for _, t := range s.steps {
		if n, ok := t.Int(); ok && n == 0 {
			return c.Errorf(op.CodeValue, "a step is 0")
		}
	}
	if !in.Ranked() {
		return nil
	}
	axes, err := c.Axes(s.axes, in.Rank())
	if err != nil {
		return err
	}
	out := in.Clone()
	for k, axis := range axes {
		out[axis] = slicedDim(c, axis, in.At(axis), s.starts[k], s.ends[k], s.steps[k])
	}
	shape := tensor.MakeShape(out...)
	c.Set(0, c.DType(0), shape)
	sliceValue(c, s, axes, shape)
	return nil
}

// toTheEnd is the least end that stands for "as far as it goes": exporters
// write INT_MAX of 32 or 64 bits, as the standard recommends.
const toTheEnd = math.MaxInt32

// fromTheEnd is the greatest end that stands for "down to the first element"
// when slicing backward.
const fromTheEnd = -math.MaxInt32

// slicedDim is the length of a slice [start:end:step] of a dim. It is fresh
// where the bounds, or their signs, are not known.
func slicedDim(c *op.Call, axis int, d, start, end, step dim.Dim) dim.Dim {
	length := dim.Unknown()
	switch {
	case op.IsZeroDim(d):
		return d
	case !start.IsKnown() || !end.IsKnown():
	case op.IsPositive(step):
		length = forwardLength(d, start, end)
	case isNegative(step):
		if n, ok := step.Int(); ok {
			step = dim.Int(max(n, fromTheEnd))
		}
		length, step = backwardLength(d, start, end), dim.Neg(step)
	}
	if length = dim.Max(dim.Int(0), dim.CeilDiv(length, step)); length.IsKnown() {
		return length
	}
	upper := d
	if !upper.IsKnown() {
		upper = sliceBound(start, end)
	}
	if !upper.IsKnown() {
		return dim.Unknown()
	}
	return c.NewSymbol(0, axis, 0, upper)
}

// forwardLength is the number of elements of a dim from start up to end; it
// may come out negative, which stands for none. With both bounds clamped to
// [0, d] the length is the least of the differences of what end and start may
// be: negative ones count from the end, and where end is below start's lower
// clamp there is nothing anyway.
func forwardLength(d, start, end dim.Dim) dim.Dim {
	least := d
	switch n, isInt := end.Int(); {
	case isInt && n >= toTheEnd:
	case isInt && n <= fromTheEnd:
		return dim.Int(0)
	case isNegative(end):
		least = dim.Add(d, end)
	case op.IsNonNegative(end):
		least = dim.Min(d, end)
	default:
		return dim.Unknown()
	}
	switch n, isInt := start.Int(); {
	case isInt && n >= toTheEnd:
		return dim.Int(0)
	case isInt && n <= fromTheEnd:
		return least
	case isNegative(start):
		return dim.Min(least, dim.Sub(least, dim.Add(d, start)))
	case op.IsNonNegative(start):
		return dim.Sub(least, start)
	}
	return dim.Unknown()
}

// backwardLength is the number of elements of a dim, at least one, from start
// down to end. start is clamped to [0, d-1], end to [-1, d-1]; where end is
// above start's upper clamp there is nothing anyway.
func backwardLength(d, start, end dim.Dim) dim.Dim {
	last := dim.Sub(d, dim.Int(1))
	first := dim.Unknown()
	switch n, isInt := start.Int(); {
	case isInt && n >= toTheEnd:
		first = last
	case isInt && n <= fromTheEnd:
		first = dim.Int(0)
	case isNegative(start):
		first = dim.Max(dim.Int(0), dim.Add(d, start))
	case op.IsNonNegative(start):
		first = dim.Min(last, start)
	}
	switch n, isInt := end.Int(); {
	case isInt && n <= fromTheEnd:
		return dim.Add(first, dim.Int(1))
	case isInt && n >= toTheEnd:
		return dim.Int(0)
	case isNegative(end):
		return dim.Min(dim.Add(first, dim.Int(1)), dim.Sub(first, dim.Add(d, end)))
	case op.IsNonNegative(end):
		return dim.Sub(first, end)
	}
	return dim.Unknown()
}

// sliceBound is an upper bound of the length of [start:end] of whatever dim:
// the distance of two bounds of one sign, or what lies behind a start that
// counts from the end.
func sliceBound(start, end dim.Dim) dim.Dim {
	switch {
	case op.IsNonNegative(start) && op.IsNonNegative(end), isNegative(start) && isNegative(end):
		return dim.Max(dim.Int(0), dim.Sub(end, start))
	case isNegative(start):
		return dim.Neg(start)
	}
	return dim.Unknown()
}

// sliceValue sets the elements of the output where all bounds are numbers.
func sliceValue(c *op.Call, s *slicing, axes []int, shape tensor.Shape) {
	v, dims := elements.Followed(c, 0, c.DType(0), shape)
	if v == nil {
		return
	}
	offset, steps := int64(0), elements.RowStrides(v.Dims)
	for k, axis := range axes {
		start, ok := s.starts[k].Int()
		step, isInt := s.steps[k].Int()
		if !isInt || !ok {
			return
		}
		d := v.Dims[axis]
		if start < 0 {
			start += d
		}
		last := d
		if step < 0 {
			last = d - 1
		}
		offset += min(max(start, 0), last) * steps[axis]
		steps[axis] *= step
	}
	c.SetValue(0, elements.Strided(v, dims, offset, steps))
}

func isNegative(d dim.Dim) bool {
	high, ok := d.Upper()
	return ok && high < 0
}

func firstAxes(n int) []int64 {
	axes := make([]int64, n)
	for i := range axes {
		axes[i] = int64(i)
	}
	return axes
}
