package movement

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
)

// Identity: https://onnx.ai/onnx/operators/onnx__Identity.html
// 1: tensors; 14: sequences; 16: optionals; 13, 19, 21, 23, 24, 25: more element types.
var identityOps = []op.Op{
	{Name: "Identity", Versions: []int{1, 13, 14, 16, 19, 21, 23, 24, 25},
		Infer: Identity, Views: op.ViewOfFirst, Effect: op.Keeps, Roles: op.ThroughFirst},
}

func Identity(c *op.Call) error {
	c.SetType(0, c.Type(0))
	if len(c.Outputs) > 0 {
		c.Outputs[0].Items = c.In(0).Items
	}
	if c.Type(0).Kind == onnxgraph.KindTensor {
		if v := c.Value(0); v != nil {
			c.SetValue(0, v)
		}
	}
	return nil
}
