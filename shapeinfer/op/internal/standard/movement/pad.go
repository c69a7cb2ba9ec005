package movement

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds Pad.
//
// Pad: https://onnx.ai/onnx/operators/onnx__Pad.html
// 1: attribute paddings; 2: attribute pads, negative numbers remove; 11: pads
// and constant_value are inputs; 13, 19, 21, 23, 24, 25: more element types;
// 18: the input axes; 19: the mode wrap.
var padOps = []op.Op{
	{Name: "Pad", Versions: []int{1}, Infer: padPaddings, Effect: op.Moves, Roles: op.ThroughFirst},
	{Name: "Pad", Versions: []int{2}, Infer: padAttribute, Effect: op.Moves, Roles: op.ThroughFirst},
	{Name: "Pad", Versions: []int{11, 13}, Infer: PadInput, Effect: op.Moves, Roles: op.ThroughFirst},
	{Name: "Pad", Versions: []int{18, 19, 21, 23, 24, 25}, Infer: padAxes, Effect: op.Moves, Roles: op.ThroughFirst},
}

func padPaddings(c *op.Call) error { return padByAttribute(c, "paddings") }

func padAttribute(c *op.Call) error { return padByAttribute(c, "pads") }

func padByAttribute(c *op.Call, name string) error {
	fill := tensor.Float(float64(c.Float("value", 0)))
	return pad(c, op.IntDims(c.IntList(name)), nil, fill)
}

func PadInput(c *op.Call) error {
	return padByInput(c, nil)
}

func padAxes(c *op.Call) error {
	if !c.Has(3) {
		return padByInput(c, nil)
	}
	x := c.Shape(0)
	list, ok := c.Ints(3)
	if !ok || !x.Ranked() {
		padUnknown(c, "the values of axes are unknown", nil)
		return nil
	}
	axes, err := c.Axes(list, x.Rank())
	if err != nil {
		return err
	}
	return padByInput(c, axes)
}

// padByInput pads the axes, nil for all, by input 1.
func padByInput(c *op.Call, axes []int) error {
	pads, ok := c.Dims(1)
	if !ok {
		x := c.Shape(0)
		n, known := c.VectorLength(1)
		switch {
		case known && axes == nil && !x.Ranked():
			c.Set(0, c.DType(0), tensor.RankOnly(n/2))
			c.Unknown(0, "the values of pads are unknown")
			return nil
		case known && axes == nil && n != 2*x.Rank(), known && axes != nil && n != 2*len(axes):
			return padCount(c, n, axes)
		}
		padUnknown(c, "the values of pads are unknown", axes)
		return nil
	}
	return pad(c, pads, axes, padFill(c))
}

func padCount(c *op.Call, n int, axes []int) error {
	count := len(axes)
	if axes == nil {
		count = c.Shape(0).Rank()
	}
	return c.Errorf(op.CodeShape, "pads has %d numbers, %d axes need twice as many as they are", n, count)
}

// padUnknown sets the output where the amounts on the axes, nil for all, are
// unknown.
func padUnknown(c *op.Call, why string, axes []int) {
	x := c.Shape(0)
	out := tensor.Shape{}
	if x.Ranked() {
		dims := make([]dim.Dim, x.Rank())
		if axes != nil {
			copy(dims, x.Dims())
			for _, a := range axes {
				dims[a] = dim.Unknown()
			}
		}
		out = tensor.MakeShape(dims...)
	}
	c.Set(0, c.DType(0), out)
	c.Unknown(0, "%s", why)
}

// padFill is the element that constant mode adds: input 2, else zero, false or
// the empty string.
func padFill(c *op.Call) tensor.Scalar {
	if c.Presence(2) != op.Absent {
		if v := c.Value(2); v != nil && len(v.Elems) == 1 {
			return v.Elems[0]
		}
		return tensor.Scalar{}
	}
	if c.DType(0) == onnxgraph.String {
		return tensor.Text("")
	}
	return tensor.Int(0)
}

// pad sets the output: begins of the axes, then ends, are added to the dims.
func pad(c *op.Call, pads []dim.Dim, axes []int, fill tensor.Scalar) error {
	x := c.Shape(0)
	if !x.Ranked() && axes == nil && len(pads)%2 == 0 {
		c.Set(0, c.DType(0), tensor.RankOnly(len(pads)/2))
		c.Unknown(0, "the shape of the input is unknown")
		return nil
	}
	n := len(axes)
	if axes == nil {
		n = x.Rank()
	}
	if len(pads) != 2*n {
		return padCount(c, len(pads), axes)
	}
	out := x.Clone()
	for i := range n {
		axis := i
		if axes != nil {
			axis = axes[i]
		}
		amount, err := c.Sum("the padding of an axis", pads[i], pads[n+i])
		if err != nil {
			return err
		}
		d, err := c.Sum("a padded axis", x.At(axis), amount)
		if err != nil {
			return err
		}
		if k, ok := d.Int(); ok && k < 0 {
			return c.Errorf(op.CodeShape, "axis %d of size %s would get size %d", axis, x.At(axis), k)
		}
		out[axis] = d
	}
	shape := tensor.MakeShape(out...)
	c.Set(0, c.DType(0), shape)
	padValue(c, shape, pads, axes, fill)
	return nil
}
