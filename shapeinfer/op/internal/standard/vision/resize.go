package vision

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds Resize.
//
// Resize: https://onnx.ai/onnx/operators/onnx__Resize.html
// 10: inputs X and scales; 11: inputs X, roi, scales, sizes, where sizes wins
// and an empty scales counts as missing; 13: roi and scales are optional, both
// of scales and sizes are an error; 18: axes,
// keep_aspect_ratio_policy, antialias; 19: half_pixel_symmetric.
//
// roi takes effect with tf_crop_and_resize only. The text then multiplies by
// the extent of the region where scales are given; the runtimes do not, and
// what they allocate counts here.
var resizeOps = []op.Op{
	{Name: "Resize", Versions: []int{10}, Infer: resizeByScales, Roles: op.ThroughFirst},
	{Name: "Resize", Versions: []int{11, 13}, Infer: Resize, Roles: op.ThroughFirst},
	{Name: "Resize", Versions: []int{18, 19}, Infer: ResizeAxes, Roles: op.ThroughFirst},
}

// resizeByScales is Resize 10, and Upsample since 9: scales is input 1.
func resizeByScales(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), x)
	return scaleAxes(c, 1, nil)
}

func Resize(c *op.Call) error { return resizeGiven(c, nil) }

func ResizeAxes(c *op.Call) error {
	if !c.HasAttr("axes") {
		return resizeGiven(c, nil)
	}
	x := c.Shape(0)
	if !x.Ranked() {
		c.Set(0, c.DType(0), x)
		c.Unknown(0, "the rank of the input is unknown")
		return nil
	}
	axes, err := c.Axes(c.IntList("axes"), x.Rank())
	if err != nil {
		return err
	}
	return resizeGiven(c, axes)
}

// resizeGiven resizes by sizes, input 3, or scales, input 2, whichever is
// given and not empty. Both speak of axes, nil for all.
func resizeGiven(c *op.Call, axes []int) error {
	for i, what := range []string{"roi", "scales", "sizes"} {
		if err := c.CheckRank(1+i, what, 1); err != nil {
			return err
		}
	}
	scales, sizes := c.Presence(2), c.Presence(3)
	switch {
	case scales == op.Present && sizes == op.Present && c.Since >= 13:
		return c.Errorf(op.CodeValue, "both scales and sizes are given")
	case scales == op.Absent && sizes == op.Absent:
		return c.Errorf(op.CodeValue, "neither scales nor sizes are given")
	case sizes == op.Present || scales == op.Absent:
		return sizeAxes(c, axes)
	case scales == op.Present || sizes == op.Absent:
		if c.Str("coordinate_transformation_mode", "") == "tf_crop_and_resize" && c.Presence(1) != op.Absent {
			c.Engine.Warn("resize-roi", "the region of interest does not change the output's size: runtimes use the scales alone, unlike the operator's definition")
		}
		return scaleAxes(c, 2, axes)
	}
	// Which of both is empty is known only at run time.
	setResized(c, axes, nil)
	c.Unknown(0, "it is unknown whether scales or sizes are given")
	return nil
}

// resizedAxes is how many axes sizes or scales speak of, and the input's rank,
// which they tell where it is unknown; -1 for an unknown rank.
func resizedAxes(c *op.Call, what string, axes []int, numbers int) (rank int, err error) {
	rank = c.Shape(0).Rank()
	switch {
	case axes != nil:
		if numbers != len(axes) {
			return rank, c.Errorf(op.CodeShape, "%s has %d numbers, there are %d axes", what, numbers, len(axes))
		}
	case rank < 0:
		return numbers, nil
	case numbers != rank:
		return rank, c.Errorf(op.CodeShape, "%s has %d numbers, the input has rank %d", what, numbers, rank)
	}
	return rank, nil
}

// setResized sets the output to the input's shape with other dims on the axes,
// nil for all; unknown ones where dims is nil.
func setResized(c *op.Call, axes []int, dims []dim.Dim) {
	x := c.Shape(0)
	rank := x.Rank()
	if rank < 0 {
		rank = len(dims)
	}
	if rank < 0 || (!x.Ranked() && dims == nil) {
		c.Set(0, c.DType(0), tensor.Shape{})
		return
	}
	out := make([]dim.Dim, rank)
	if axes == nil {
		copy(out, dims)
	} else {
		copy(out, x.Dims())
		for i, a := range axes {
			out[a] = dim.Unknown()
			if dims != nil {
				out[a] = dims[i]
			}
		}
	}
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
}

// scaleAxes resizes by the float scales in an input slot: floor(in*scale).
func scaleAxes(c *op.Call, slot int, axes []int) error {
	v := c.Value(slot)
	if v == nil {
		n, ok := c.VectorLength(slot)
		var unknown []dim.Dim
		if ok {
			if _, err := resizedAxes(c, "scales", axes, n); err != nil {
				return err
			}
			unknown = make([]dim.Dim, n)
		}
		setResized(c, axes, unknown)
		c.Unknown(0, "the values of scales are unknown")
		return nil
	}
	return scaleBy(c, axes, v.Elems)
}

func scaleBy(c *op.Call, axes []int, scales []tensor.Scalar) error {
	if _, err := resizedAxes(c, "scales", axes, len(scales)); err != nil {
		return err
	}
	x := c.Shape(0)
	dims := make([]dim.Dim, len(scales))
	for i, s := range scales {
		if f, ok := s.Float64(); ok && !(f > 0) {
			return c.Errorf(op.CodeValue, "scale %v is not above zero", f)
		} else if ok && f < 1 && c.Op != nil && c.Op.Name == "Upsample" {
			return c.Errorf(op.CodeValue, "scale %v is below 1, which Resize takes since version 10 and Upsample does not", f)
		}
		axis := i
		if axes != nil {
			axis = axes[i]
		}
		dims[i] = scaleDim(x.At(axis), s)
	}
	setResized(c, axes, dims)
	return nil
}

// sizeAxes resizes to the sizes in input 3.
func sizeAxes(c *op.Call, axes []int) error {
	sizes, ok := c.Dims(3)
	n := len(sizes)
	if !ok {
		if n, ok = c.VectorLength(3); !ok {
			setResized(c, axes, nil)
			c.Unknown(0, "the values of sizes are unknown")
			return nil
		}
		sizes = make([]dim.Dim, n)
		c.Unknown(0, "the values of sizes are unknown")
	}
	if _, err := resizedAxes(c, "sizes", axes, n); err != nil {
		return err
	}
	for i, s := range sizes {
		if k, ok := s.Int(); ok && k < 0 {
			return c.Errorf(op.CodeValue, "sizes holds %d", k)
		}
		// A size worked out in floats is cut to an integer when it is cast.
		if s.IsKnown() && !s.IsInteger() {
			sizes[i] = dim.Floor(s)
		}
	}
	sizes, err := keepAspectRatio(c, axes, sizes)
	if err != nil {
		return err
	}
	setResized(c, axes, sizes)
	return nil
}

// keepAspectRatio applies keep_aspect_ratio_policy: all axes get one scale,
// the least (not_larger) or greatest (not_smaller) of sizes[j]/in[j], and
// round(scale*in) with halves up. Rounding keeps the order, so axis i gets the
// least or greatest of round(sizes[j]*in[i]/in[j]), where j = i is sizes[i].
func keepAspectRatio(c *op.Call, axes []int, sizes []dim.Dim) ([]dim.Dim, error) {
	var choose func(a, b dim.Dim) dim.Dim
	switch policy := c.Str("keep_aspect_ratio_policy", "stretch"); policy {
	case "stretch", "":
		return sizes, nil
	case "not_larger":
		choose = dim.Min
	case "not_smaller":
		choose = dim.Max
	default:
		return nil, c.Errorf(op.CodeAttribute, "keep_aspect_ratio_policy %q is not one of stretch, not_larger, not_smaller", policy)
	}
	x := c.Shape(0)
	in := func(i int) dim.Dim {
		if axes != nil {
			i = axes[i]
		}
		return x.At(i)
	}
	out := make([]dim.Dim, len(sizes))
	for i := range out {
		out[i] = sizes[i]
		for j, s := range sizes {
			if j != i {
				scaled := dim.Div(dim.Mul(s, in(i)), in(j))
				out[i] = choose(out[i], dim.Floor(dim.Add(scaled, dim.Rat(1, 2))))
			}
		}
	}
	return out, nil
}
