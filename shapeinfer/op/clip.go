package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/tensor"
)

// Clip: https://onnx.ai/onnx/operators/onnx__Clip.html
// 1, 6: min and max are attributes; 11: scalar inputs, both optional; 12:
// integers; 13: bfloat16.
var clipOps = []Op{
	{Name: "Clip", Versions: []int{1, 6}, Infer: clipByAttributes},
	{Name: "Clip", Versions: []int{11, 12, 13}, Infer: clipByInputs},
}

func clipByAttributes(c *Call) error {
	d := c.DType(0)
	c.mapElements(d, func(x tensor.Scalar) tensor.Scalar {
		if c.HasAttr("min") {
			x = maximum.apply(d, x, tensor.Float(float64(c.Float("min", 0))))
		}
		if c.HasAttr("max") {
			x = minimum.apply(d, x, tensor.Float(float64(c.Float("max", 0))))
		}
		return x
	})
	return nil
}

func clipByInputs(c *Call) error {
	d := c.firstDType()
	c.Set(0, d, c.Shape(0))
	for i := 1; i <= 2; i++ {
		if n, ok := c.Shape(i).Elements().Int(); ok && n != 1 {
			return c.Errorf(CodeShape, "min and max must be scalars, and one has the shape %s", c.Shape(i))
		}
	}
	if _, _, ok := tensor.Fits(d, c.Shape(0)); !ok || c.Value(0) == nil {
		return nil
	}
	low, high := c.onlyElement(1), c.onlyElement(2)
	if d == onnxgraph.Undefined {
		return nil
	}
	// Where min is above max, all elements become max.
	c.mapElements(d, func(x tensor.Scalar) tensor.Scalar {
		if c.Has(1) {
			x = maximum.apply(d, x, low)
		}
		if c.Has(2) {
			x = minimum.apply(d, x, high)
		}
		return x
	})
	return nil
}
