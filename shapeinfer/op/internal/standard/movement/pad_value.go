package movement

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// This file follows the elements of small padded tensors.

// padValue sets the elements of a padded tensor when it is small and those of
// the input are followed.
func padValue(c *op.Call, shape tensor.Shape, pads []dim.Dim, axes []int, fill tensor.Scalar) {
	dims, n, ok := tensor.Fits(c.DType(0), shape)
	if !ok || n == 0 {
		return
	}
	begins, ok := padBegins(pads, axes, len(dims))
	if !ok {
		return
	}
	place := padPlaces(c.Str("mode", "constant"))
	v := c.Value(0)
	if place == nil || v == nil {
		return
	}
	elems := make([]tensor.Scalar, n)
	at := make([]int64, len(dims))
	for i := range elems {
		if from, inside := padSource(at, begins, v.Dims, place); inside {
			elems[i] = v.Elems[from]
		} else {
			elems[i] = fill
		}
		elements.NextIndex(at, dims)
	}
	c.SetValue(0, &tensor.Value{DType: v.DType, Dims: dims, Elems: elems})
}

// padBegins spreads what is added before each of the axes over all of them.
func padBegins(pads []dim.Dim, axes []int, rank int) (begins []int64, ok bool) {
	begins = make([]int64, rank)
	for i := range len(pads) / 2 {
		axis := i
		if axes != nil {
			axis = axes[i]
		}
		if begins[axis], ok = pads[i].Int(); !ok {
			return nil, false
		}
	}
	return begins, true
}

// padPlaces is the rule of a mode by which a place outside [0, n) of an axis
// takes its element from within; -1 says from the fill. nil for other modes.
func padPlaces(mode string) func(i, n int64) int64 {
	switch mode {
	case "constant":
		return func(int64, int64) int64 { return -1 }
	case "edge":
		return func(i, n int64) int64 { return min(max(i, 0), n-1) }
	case "wrap":
		return func(i, n int64) int64 { return ((i % n) + n) % n }
	case "reflect":
		return func(i, n int64) int64 {
			if n == 1 {
				return 0
			}
			period := 2*n - 2
			i = ((i % period) + period) % period
			return min(i, period-i)
		}
	}
	return nil
}

// padSource is the element of the input that belongs at a place of the output;
// inside is false where it is the fill.
func padSource(at, begins, in []int64, place func(i, n int64) int64) (from int64, inside bool) {
	for axis, n := range in {
		i := at[axis] - begins[axis]
		if i < 0 || i >= n {
			if n == 0 {
				return 0, false
			}
			if i = place(i, n); i < 0 {
				return 0, false
			}
		}
		from = from*n + i
	}
	return from, true
}
