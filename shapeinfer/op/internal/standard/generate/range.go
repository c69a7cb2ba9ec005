package generate

import (
	"math"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/scalar"
	"onnxmem/shapeinfer/tensor"
)

// Range: https://onnx.ai/onnx/operators/onnx__Range.html
// 11; 27: FLOAT16, bfloat16 and stash_type.
var rangeOps = []op.Op{
	{Name: "Range", Versions: []int{11, 27}, Infer: RangeOp, Effect: op.Moves},
}

func RangeOp(c *op.Call) error {
	d := c.FirstDType()
	c.Set(0, d, tensor.RankOnly(1))
	var arguments [3]tensor.Scalar
	for i := range arguments {
		if n, ok := c.Shape(i).Elements().Int(); ok && n != 1 {
			return c.Errorf(op.CodeShape, "start, limit and delta must be scalars, but one has shape %s", c.Shape(i))
		}
		arguments[i] = c.Scalar(i)
	}
	start, limit, delta := arguments[0], arguments[1], arguments[2]
	if zero, known := scalar.EqualScalars(delta, tensor.Int(0)); zero && known {
		return c.Errorf(op.CodeValue, "delta is 0")
	}
	count := RangeCount(d, start, limit, delta)
	if !count.IsKnown() {
		count = c.NewSymbol(0, 0, 0, dim.Unknown())
	}
	s := tensor.MakeShape(count)
	c.Set(0, d, s)
	dims, n, ok := tensor.Fits(d, s)
	if d == onnxgraph.Undefined || !ok {
		return nil
	}
	v := &tensor.Value{DType: d, Dims: dims, Elems: make([]tensor.Scalar, n)}
	for i := range v.Elems {
		v.Elems[i] = rangeElement(d, start, delta, int64(i))
	}
	if len(v.Elems) == 0 || v.Elems[0].IsKnown() {
		c.SetValue(0, v)
	}
	return nil
}

// rangeElement is start + i*delta. Some runtimes add delta i times instead, so
// that floats are known only where nothing is rounded.
func rangeElement(d onnxgraph.DType, start, delta tensor.Scalar, i int64) tensor.Scalar {
	x := scalar.Addition.Apply(d, start, scalar.Multiplication.Apply(d, tensor.Int(i), delta))
	if f, ok := x.Float64(); ok && d.IsFloat() {
		a, _ := start.Float64()
		b, _ := delta.Float64()
		if f != a+float64(i)*b {
			return tensor.Scalar{}
		}
	}
	return x
}

// RangeCount is max(ceil((limit - start)/delta), 0). Floats are subtracted in
// their own type and divided in double precision, as ONNX Runtime does
// (core/providers/cpu/generator/range.cc).
func RangeCount(d onnxgraph.DType, start, limit, delta tensor.Scalar) dim.Dim {
	length := scalar.Subtraction.Apply(d, limit, start)
	if d.IsInteger() {
		// In 64 bits, whatever the type.
		length = scalar.Subtraction.Apply(onnxgraph.Int64, limit, start)
	}
	if f, ok := length.Float64(); ok && d.IsFloat() {
		step, ok := delta.Float64()
		count := math.Ceil(f / step)
		switch {
		case !ok || math.IsNaN(count) || count >= 1<<62:
			return dim.Unknown()
		case count <= 0:
			return dim.Int(0)
		}
		return dim.Int(int64(count))
	}
	if !length.Num.IsKnown() || !delta.Num.IsKnown() || (d.IsFloat() && scalar.QuotientRounds(scalar.Precision(d), length.Num, delta.Num)) {
		return dim.Unknown()
	}
	return dim.Max(dim.CeilDiv(length.Num, delta.Num), dim.Int(0))
}
