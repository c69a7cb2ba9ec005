package reduce

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/scalar"
	"onnxmem/shapeinfer/op/internal/standard/elementwise"
	"onnxmem/shapeinfer/tensor"
)

// ArgMax, ArgMin: https://onnx.ai/onnx/operators/onnx__ArgMax.html
// 1; 11: axis may be negative; 12: select_last_index; 13: bfloat16.
var argReduceOps = []op.Op{
	{Name: "ArgMax", Versions: []int{1, 11, 12, 13}, Infer: argReduce(elementwise.GreaterScalars), Effect: op.Reduces},
	{Name: "ArgMin", Versions: []int{1, 11, 12, 13}, Infer: argReduce(scalar.LessScalars), Effect: op.Reduces},
}

func argReduce(better elementwise.Relation) func(*op.Call) error {
	return func(c *op.Call) error {
		c.Set(0, onnxgraph.Int64, tensor.Shape{})
		s := c.Shape(0)
		if !s.Ranked() {
			c.Unknown(0, "the input's rank is not known")
			return nil
		}
		reduced, err := ReducedAxes(c, []int64{c.Int("axis", 0)}, s.Rank(), false)
		if err != nil {
			return err
		}
		out := ReducedShape(s, reduced, KeepDims(c))
		c.Set(0, onnxgraph.Int64, out)
		argReduceElements(c, reduced, better, out)
		return nil
	}
}

func argReduceElements(c *op.Call, reduced []bool, better elementwise.Relation, s tensor.Shape) {
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
func bestIndex(xs []tensor.Scalar, last bool, better elementwise.Relation) (index int64, ok bool) {
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
			if wins, known = scalar.EqualScalars(x, xs[index]); !known {
				return 0, false
			}
		}
		if wins {
			index = int64(i)
		}
	}
	return index, true
}
