package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/tensor"
)

// ArgMax, ArgMin: https://onnx.ai/onnx/operators/onnx__ArgMax.html
// 1; 11: axis may be negative; 12: select_last_index; 13: bfloat16.
var argReduceOps = []Op{
	{Name: "ArgMax", Versions: []int{1, 11, 12, 13}, Infer: argReduce(greaterScalars)},
	{Name: "ArgMin", Versions: []int{1, 11, 12, 13}, Infer: argReduce(lessScalars)},
}

func argReduce(better relation) func(*Call) error {
	return func(c *Call) error {
		c.Set(0, onnxgraph.Int64, tensor.Shape{})
		s := c.Shape(0)
		if !s.Ranked() {
			c.Unknown(0, "the input's rank is not known")
			return nil
		}
		reduced, err := c.reducedAxes([]int64{c.Int("axis", 0)}, s.Rank(), false)
		if err != nil {
			return err
		}
		out := reducedShape(s, reduced, c.keepDims())
		c.Set(0, onnxgraph.Int64, out)
		c.argReduceElements(reduced, better, out)
		return nil
	}
}

func (c *Call) argReduceElements(reduced []bool, better relation, s tensor.Shape) {
	if _, _, ok := tensor.Fits(c.DType(0), c.Shape(0)); !ok {
		return
	}
	dims, n, ok := tensor.Fits(onnxgraph.Int64, s)
	if !ok {
		return
	}
	v := c.Value(0)
	if v == nil || len(v.Dims) != len(reduced) {
		return
	}
	last := c.Flag("select_last_index", false)
	out := &tensor.Value{DType: onnxgraph.Int64, Dims: dims, Elems: make([]tensor.Scalar, n)}
	for i, xs := range groups(v, reduced, n) {
		index, ok := bestIndex(xs, last, better)
		if !ok {
			return
		}
		out.Elems[i] = tensor.Int(index)
	}
	c.SetValue(0, out)
}

// bestIndex finds the best element, of equal ones the first or the last.
func bestIndex(xs []tensor.Scalar, last bool, better relation) (index int64, ok bool) {
	if len(xs) == 0 {
		return 0, false
	}
	for i, x := range xs {
		if i == 0 {
			continue
		}
		wins, known := better(x, xs[index])
		if !known {
			return 0, false
		}
		if !wins && last {
			if wins, known = equalScalars(x, xs[index]); !known {
				return 0, false
			}
		}
		if wins {
			index = int64(i)
		}
	}
	return index, true
}
