package elementwise

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/scalar"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the activation functions, which keep shape and element type:
// https://onnx.ai/onnx/operators/onnx__Relu.html and its like.
//
// Those of version 1 have the attribute consumed_inputs, which 6 drops, and
// take floats only; Relu 14: integers too; 13 (Relu, Sigmoid), 16 (LeakyRelu),
// 22 (the others), 28 (Celu, which was FLOAT only): more float types.
var activationOps = []op.Op{
	{Name: "Relu", Versions: []int{1, 6, 13, 14}, Infer: unary(reluScalar), Elementwise: true},
	{Name: "Sigmoid", Versions: []int{1, 6, 13}, Infer: op.LikeFirst, Elementwise: true, Roles: op.ThroughFirst},
	{Name: "LeakyRelu", Versions: []int{1, 6, 16}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Elu", Versions: []int{1, 6, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Celu", Versions: []int{12, 28}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Selu", Versions: []int{1, 6, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Gelu", Versions: []int{20}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Mish", Versions: []int{18, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Swish", Versions: []int{24}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "HardSwish", Versions: []int{14, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "HardSigmoid", Versions: []int{1, 6, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Softplus", Versions: []int{1, 22}, Infer: op.LikeFirst, Elementwise: true, Roles: op.ThroughFirst},
	{Name: "Softsign", Versions: []int{1, 22}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "Shrink", Versions: []int{9}, Infer: op.LikeFirst, Elementwise: true},
	{Name: "ThresholdedRelu", Versions: []int{10, 22}, Infer: op.LikeFirst, Elementwise: true},
}

func reluScalar(d onnxgraph.DType, x tensor.Scalar) tensor.Scalar {
	return scalar.Maximum.Apply(d, x, tensor.Int(0))
}
