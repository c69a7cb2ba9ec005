package movement

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/tensor"
)

// OneHot: https://onnx.ai/onnx/operators/onnx__OneHot.html
// 11: negative indices and axis; 28: more element types.
var oneHotOps = []op.Op{
	{Name: "OneHot", Versions: []int{9, 11, 28}, Infer: oneHot, Effect: op.Moves},
}

// oneHot inserts a dim of depth into the shape of the indices.
func oneHot(c *op.Call) error {
	indices := c.Shape(0)
	c.Set(0, c.DType(2), tensor.Shape{})
	if s := c.Shape(1); s.Ranked() && s.Rank() > 1 {
		return c.Errorf(op.CodeRank, "depth must be a scalar or have one element, not %s", s)
	}
	if n, ok := c.Shape(1).Elements().Int(); ok && n > 1 {
		return c.Errorf(op.CodeShape, "depth has %d elements", n)
	}
	if s := c.Shape(2); s.Ranked() && s.Rank() != 1 {
		return c.Errorf(op.CodeRank, "values must be a vector, not %s", s)
	}
	if n, ok := c.Shape(2).Elements().Int(); ok && n != 2 {
		return c.Errorf(op.CodeShape, "values has %d elements, not two", n)
	}
	depth := dim.Trunc(c.Number(1))
	if n, ok := depth.Int(); ok && n < 0 {
		return c.Errorf(op.CodeValue, "depth is %d", n)
	}
	if err := oneHotNegative(c); err != nil {
		return err
	}
	if !indices.Ranked() {
		return nil
	}
	axis, err := c.Axis(c.Int("axis", -1), indices.Rank()+1)
	if err != nil {
		return err
	}
	if !depth.IsKnown() {
		depth = c.NewSymbol(0, axis, 0, dim.Unknown())
	}
	out := append(indices.Clone()[:axis:axis], depth)
	out = append(out, indices.Dims()[axis:]...)
	shape := tensor.MakeShape(out...)
	c.Set(0, c.DType(2), shape)
	oneHotValue(c, shape, axis)
	return nil
}

// oneHotNegative refuses negative indices before version 11, which brought
// them in.
func oneHotNegative(c *op.Call) error {
	if c.Since >= 11 {
		return nil
	}
	indices, _ := elements.Followed(c, 0, c.DType(0), c.Shape(0))
	if indices == nil {
		return nil
	}
	for _, x := range indices.Elems {
		if f, ok := x.Float64(); ok && f < 0 {
			return c.Errorf(op.CodeValue, "index %v is negative", f)
		}
	}
	return nil
}

func oneHotValue(c *op.Call, shape tensor.Shape, axis int) {
	at, dims := elements.Followed(c, 0, c.DType(2), shape)
	if at == nil || !at.AllKnown() {
		return
	}
	values := c.Value(2)
	if values == nil || len(values.Elems) != 2 {
		return
	}
	out := &tensor.Value{DType: values.DType, Dims: dims, Elems: make([]tensor.Scalar, elements.ElementCount(dims))}
	depth, inner := dims[axis], elements.ElementCount(dims[axis+1:])
	for k := range out.Elems {
		class := int64(k) / inner % depth
		pick, ok := dim.Trunc(at.Elems[int64(k)/(inner*depth)*inner+int64(k)%inner].Num).Int()
		if !ok {
			return
		}
		out.Elems[k] = values.Elems[0]
		if pick == class || pick+depth == class {
			out.Elems[k] = values.Elems[1]
		}
	}
	c.SetValue(0, out)
}
