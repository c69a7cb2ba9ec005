package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/tensor"
)

// CumSum: https://onnx.ai/onnx/operators/onnx__CumSum.html
// 11; 14: FLOAT16, bfloat16. CumProd: 26.
var cumulativeOps = []Op{
	{Name: "CumSum", Versions: []int{11, 14}, Infer: cumulative(sumScalars)},
	{Name: "CumProd", Versions: []int{26}, Infer: cumulative(productScalars)},
}

func cumulative(f reducer) func(*Call) error {
	return func(c *Call) error {
		s := c.Shape(0)
		c.Set(0, c.DType(0), s)
		if n, ok := c.Shape(1).Elements().Int(); ok && n != 1 {
			return c.Errorf(CodeShape, "the axis must be one number, and has the shape %s", c.Shape(1))
		}
		axes, ok := c.Ints(1)
		if !ok || len(axes) != 1 || !s.Ranked() {
			return nil
		}
		axis, err := c.Axis(axes[0], s.Rank())
		if err != nil {
			return err
		}
		c.accumulate(f, axis)
		return nil
	}
}

// maxAccumulated bounds the elements along the axis, over which the work is
// quadratic.
const maxAccumulated = 256

func (c *Call) accumulate(f reducer, axis int) {
	d := c.DType(0)
	dims, n, ok := tensor.Fits(d, c.Shape(0))
	if d == onnxgraph.Undefined || !ok || dims[axis] > maxAccumulated {
		return
	}
	v := c.Value(0)
	if v == nil || int64(len(v.Elems)) != n {
		return
	}
	out := &tensor.Value{DType: d, Dims: dims, Elems: make([]tensor.Scalar, n)}
	inner := int64(1)
	for _, e := range dims[axis+1:] {
		inner *= e
	}
	line := make([]tensor.Scalar, dims[axis])
	for first := int64(0); first < n; first++ {
		if first/inner%dims[axis] != 0 {
			continue
		}
		for k := range line {
			line[k] = v.Elems[first+int64(k)*inner]
		}
		for k := range line {
			out.Elems[first+int64(k)*inner] = f(d, c.accumulated(line, k))
		}
	}
	c.SetValue(0, out)
}

// accumulated is the part of a line that element k of the result is made of.
func (c *Call) accumulated(line []tensor.Scalar, k int) []tensor.Scalar {
	exclusive := c.Flag("exclusive", false)
	switch reverse := c.Flag("reverse", false); {
	case reverse && exclusive:
		return line[k+1:]
	case reverse:
		return line[k:]
	case exclusive:
		return line[:k]
	}
	return line[:k+1]
}
