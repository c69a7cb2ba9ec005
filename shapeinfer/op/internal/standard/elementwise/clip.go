package elementwise

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/elements"
	"onnxmem/shapeinfer/op/internal/scalar"
	"onnxmem/shapeinfer/tensor"
)

// Clip: https://onnx.ai/onnx/operators/onnx__Clip.html
// 1, 6: min and max are attributes; 11: scalar inputs, both optional; 12:
// integers; 13: bfloat16.
var clipOps = []op.Op{
	{Name: "Clip", Versions: []int{1, 6}, Infer: clipByAttributes, Elementwise: true, Roles: op.ThroughFirst},
	{Name: "Clip", Versions: []int{11, 12, 13}, Infer: clipByInputs, Elementwise: true, Roles: op.ThroughFirst},
}

func clipByAttributes(c *op.Call) error {
	d := c.DType(0)
	elements.MapElements(c, d, func(x tensor.Scalar) tensor.Scalar {
		if c.HasAttr("min") {
			x = scalar.Maximum.Apply(d, x, tensor.Float(float64(c.Float("min", 0))))
		}
		if c.HasAttr("max") {
			x = scalar.Minimum.Apply(d, x, tensor.Float(float64(c.Float("max", 0))))
		}
		return x
	})
	return nil
}

func clipByInputs(c *op.Call) error {
	d := c.FirstDType()
	c.Set(0, d, c.Shape(0))
	for i := 1; i <= 2; i++ {
		if n, ok := c.Shape(i).Elements().Int(); ok && n != 1 {
			return c.Errorf(op.CodeShape, "min and max must be scalars, but one has shape %s", c.Shape(i))
		}
	}
	if _, _, ok := tensor.Fits(d, c.Shape(0)); !ok || c.Value(0) == nil {
		return nil
	}
	low, high := c.Scalar(1), c.Scalar(2)
	if d == onnxgraph.Undefined {
		return nil
	}
	// Where min is above max, all elements become max.
	elements.MapElements(c, d, func(x tensor.Scalar) tensor.Scalar {
		if c.Has(1) {
			x = scalar.Maximum.Apply(d, x, low)
		}
		if c.Has(2) {
			x = scalar.Minimum.Apply(d, x, high)
		}
		return x
	})
	return nil
}
