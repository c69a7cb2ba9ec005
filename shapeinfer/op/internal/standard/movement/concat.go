package movement

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// Concat: https://onnx.ai/onnx/operators/onnx__Concat.html
// 1: axis is 1 when it is missing; 4: it is required; 11: it may be negative;
// 13: more element types.
var concatOps = []op.Op{
	{Name: "Concat", Versions: []int{1, 4, 11, 13}, Infer: concat, Effect: op.Moves, Roles: op.Roles{op.Through}},
}

func concat(c *op.Call) error {
	dtype, err := c.SameDTypeOfAll()
	if err != nil {
		return err
	}
	c.Set(0, dtype, tensor.Shape{})
	if c.Since >= 4 && !c.HasAttr("axis") {
		return c.Errorf(op.CodeAttribute, "the attribute axis is missing")
	}
	shapes := make([]tensor.Shape, 0, len(c.Inputs))
	for i := range c.Inputs {
		if c.Has(i) {
			shapes = append(shapes, c.Shape(i))
		}
	}
	shape, axis, err := ConcatShapes(c, shapes, c.Int("axis", 1))
	if err != nil || !shape.Ranked() {
		return err
	}
	c.Set(0, dtype, shape)
	if v := concatValue(c, shape, axis); v != nil {
		v.DType = dtype
		c.SetValue(0, v)
	}
	return nil
}

// ConcatShapes joins shapes along an axis. Unranked ones leave the dim of the
// axis unknown; without any ranked one the result is unranked.
func ConcatShapes(c *op.Call, shapes []tensor.Shape, axis int64) (s tensor.Shape, at int, err error) {
	var out, along []dim.Dim
	for _, s := range shapes {
		if !s.Ranked() {
			along = append(along, dim.Unknown())
			continue
		}
		if out == nil {
			if s.Rank() == 0 {
				return s, 0, c.Errorf(op.CodeRank, "scalars cannot be concatenated")
			}
			out = s.Clone()
			if at, err = c.Axis(axis, len(out)); err != nil {
				return s, 0, err
			}
		}
		if s.Rank() != len(out) {
			return s, 0, c.Errorf(op.CodeRank, "ranks %d and %d differ", len(out), s.Rank())
		}
		along = append(along, s.At(at))
		for i, d := range s.Dims() {
			merged, ok := op.MergeDims(out[i], d)
			if !ok && i != at {
				return s, 0, c.Errorf(op.CodeShape, "dims %s and %s differ on axis %d; only axis %d, the one of the concatenation, may differ", out[i], d, i, at)
			}
			out[i] = merged
		}
	}
	if out == nil {
		return tensor.Shape{}, 0, nil
	}
	if out[at], err = c.Sum("the sum of the dims on the axis", along...); err != nil {
		return tensor.Shape{}, 0, err
	}
	return tensor.MakeShape(out...), at, nil
}

// concatValue joins the elements of the inputs. Elements of an input that is
// not followed are unknown, the others keep what is known of them.
func concatValue(c *op.Call, shape tensor.Shape, axis int) *tensor.Value {
	dims, n, ok := tensor.Fits(c.DType(0), shape)
	if !ok {
		return nil
	}
	values, known := make([]*tensor.Value, len(c.Inputs)), false
	for i := range c.Inputs {
		values[i] = c.Value(i)
		known = known || values[i] != nil
	}
	if !known {
		return nil
	}
	v := &tensor.Value{Dims: dims, Elems: make([]tensor.Scalar, n)}
	outer := elements.ElementCount(dims[:axis])
	row := elements.ElementCount(dims[axis:])
	inner := elements.ElementCount(dims[axis+1:])
	at := int64(0)
	for i := range c.Inputs {
		if !c.Has(i) {
			continue
		}
		length, ok := c.Shape(i).At(axis).Int()
		if !ok {
			return nil
		}
		chunk := length * inner
		for k := int64(0); values[i] != nil && k < outer; k++ {
			copy(v.Elems[k*row+at:], values[i].Elems[k*chunk:(k+1)*chunk])
		}
		at += chunk
	}
	return v
}
