package reduce

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/scalar"
	"onnxmem/shapeinfer/tensor"
)

// CumSum: https://onnx.ai/onnx/operators/onnx__CumSum.html
// 11; 14: FLOAT16, bfloat16. CumProd: 26.
var cumulativeOps = []op.Op{
	{Name: "CumSum", Versions: []int{11, 14}, Infer: cumulative(&scalar.Addition, 0), Effect: op.Reduces},
	{Name: "CumProd", Versions: []int{26}, Infer: cumulative(&scalar.Multiplication, 1), Effect: op.Reduces},
}

func cumulative(calc *scalar.Arithmetic, start int64) func(*op.Call) error {
	return func(c *op.Call) error {
		s := c.Shape(0)
		c.Set(0, c.DType(0), s)
		if n, ok := c.Shape(1).Elements().Int(); ok && n != 1 {
			return c.Errorf(op.CodeShape, "the axis must be one number, but has shape %s", c.Shape(1))
		}
		axes, ok := c.Ints(1)
		if !ok || len(axes) != 1 || !s.Ranked() {
			return nil
		}
		axis, err := c.Axis(axes[0], s.Rank())
		if err != nil {
			return err
		}
		accumulate(c, calc, tensor.Int(start), axis)
		return nil
	}
}

// accumulate sets the elements of output 0, whose type is set, where they can
// be followed.
func accumulate(c *op.Call, calc *scalar.Arithmetic, start tensor.Scalar, axis int) {
	d := c.DType(0)
	dims, n, ok := tensor.Fits(d, c.Shape(0))
	if d == onnxgraph.Undefined || !ok {
		return
	}
	v := c.Value(0)
	if v == nil || int64(len(v.Elems)) != n {
		return
	}
	out := &tensor.Value{DType: d, Dims: dims, Elems: make([]tensor.Scalar, n)}
	step := int64(1) // from one element of a line to the next
	for _, e := range dims[axis+1:] {
		step *= e
	}
	for first := range n {
		if first/step%dims[axis] == 0 {
			accumulateLine(c, calc, start, v.Elems[first:], out.Elems[first:], step, dims[axis])
		}
	}
	c.SetValue(0, out)
}

// accumulateLine computes the elements 0, step, 2*step ... of out.
func accumulateLine(c *op.Call, calc *scalar.Arithmetic, sum tensor.Scalar, in, out []tensor.Scalar, step, count int64) {
	d := c.DType(0)
	exclusive, reverse := c.Flag("exclusive", false), c.Flag("reverse", false)
	for k := range count {
		at := k * step
		if reverse {
			at = (count - 1 - k) * step
		}
		if exclusive {
			out[at] = sum
		}
		sum = unroundedStep(d, calc, sum, in[at])
		if !exclusive {
			out[at] = sum
		}
	}
}
