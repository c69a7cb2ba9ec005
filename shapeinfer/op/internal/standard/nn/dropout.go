package nn

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
)

// Dropout: https://onnx.ai/onnx/operators/onnx__Dropout.html
// 1: ratio and is_test are attributes, and the mask has the data's type; 6:
// without consumed_inputs; 7: no is_test, the node is a copy in inference; 10:
// the mask is BOOL; 12: ratio and training_mode are inputs; 13: bfloat16; 22:
// 8-bit floats.
var dropoutOps = []op.Op{
	{Name: "Dropout", Versions: []int{1, 6, 7},
		Infer: dropoutTypedMask, Elementwise: true, Effect: op.Moves, Random: op.InTraining, Roles: op.ThroughFirst},
	{Name: "Dropout", Versions: []int{10, 12, 13, 22},
		Infer: dropoutBoolMask, Elementwise: true, Effect: op.Moves, Random: op.InTraining, Roles: op.ThroughFirst},
}

func dropoutTypedMask(c *op.Call) error {
	c.Set(1, c.DType(0), c.Shape(0))
	return op.LikeFirst(c)
}

func dropoutBoolMask(c *op.Call) error {
	c.Set(1, onnxgraph.Bool, c.Shape(0))
	return op.LikeFirst(c)
}
