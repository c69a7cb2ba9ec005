package ort

import (
	"onnxmem/onnxgraph"
)

// A provider is what the planner has to know of an execution provider.
type provider struct {
	// writesOver lists the inputs over which a kernel may write an output, in
	// the order in which they are tried.
	writesOver func(n *onnxgraph.Node, output int) []int
	// float16 says that kernels take float16, so that no Casts are needed.
	float16 bool
	// block is what the allocator rounds requests up to, in bytes.
	block int64
}

func cpuProvider() provider { return provider{writesOver: writesOver, block: 1} }

// cudaProvider is the CUDA provider as its sources describe it: kernels of
// arithmetic may write over either operand (core/providers/cuda/math), nearly
// all take float16, and the allocator deals in blocks of 256 bytes
// (core/framework/bfc_arena.h). It was not held against the runtime.
func cudaProvider() provider {
	return provider{float16: true, block: 256, writesOver: func(n *onnxgraph.Node, output int) []int {
		if output == 0 {
			switch n.OpType {
			case "Add", "Sub", "Mul", "Div":
				return []int{0, 1}
			case "Abs", "Neg", "Floor", "Ceil", "Reciprocal", "Sqrt", "Exp", "Log", "Erf", "Not", "Gelu", "FastGelu", "QuickGelu", "BiasGelu":
				return []int{0}
			}
		}
		return writesOver(n, output)
	}}
}

// viewOf is the input whose buffer a kernel's output must be; -1 for none.
// Source: the Alias entries of kernel definitions, and runs of each operator.
func viewOf(n *onnxgraph.Node, output int) int {
	if n.OpType == "BatchNormalization" && (output == 1 || output == 2) {
		return output + 2 // the running mean and variance, which it updates
	}
	if output != 0 {
		return -1
	}
	switch n.OpType {
	case "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity", "BitCast", "OptionalGetElement", "ExpandDims":
		return 0
	}
	return -1
}

// writesOver lists the inputs over which a CPU kernel may write an output, if
// nobody else needs them. Source: the MayInplace entries of kernel
// definitions, and runs of each operator in each version: binary arithmetic is
// not among them.
func writesOver(n *onnxgraph.Node, output int) []int {
	if output != 0 {
		return nil
	}
	switch n.OpType {
	case "Relu", "Sigmoid", "Tanh", "Elu", "Celu", "Selu", "LeakyRelu", "ThresholdedRelu", "HardSigmoid", "Softplus", "Softsign", "Shrink",
		"Clip", "Softmax", "LogSoftmax", "Cast", "Trilu", "Scatter", "ScatterElements", "TensorScatter", "MoE":
		return []int{0}
	case "FusedConv":
		return []int{3}
	case "Conv":
		if n.Domain == "com.microsoft.nchwc" {
			return []int{3} // the sum that the convolution adds
		}
	}
	return nil
}

// runsFloat16 reports whether the CPU provider has a kernel of the operator for
// float16, from the given version of the operator on. Source: loading every
// operator with float16 inputs.
func runsFloat16(n *onnxgraph.Node, since int) bool {
	if n.Domain == "com.microsoft" {
		return float16Contrib[n.OpType]
	}
	from, ok := float16Since[n.OpType]
	if n.OpType == "Dropout" {
		return since < 12
	}
	return ok && since >= from
}

var float16Since = map[string]int{
	"Attention": 23, "Cast": 6, "Celu": 28, "Clip": 12, "Compress": 9, "Concat": 4, "ConstantOfShape": 9, "DequantizeLinear": 19,
	"Expand": 8, "Flatten": 1, "Gather": 1, "GatherElements": 11, "GatherND": 11, "Identity": 1, "IsInf": 20, "IsNaN": 9,
	"LayerNormalization": 1, "Max": 12, "Min": 12, "Mod": 10, "Optional": 15, "OptionalHasElement": 15, "QuantizeLinear": 19,
	"RMSNormalization": 23, "Reshape": 1, "ReverseSequence": 10, "RotaryEmbedding": 23, "Round": 11, "Scatter": 9,
	"ScatterElements": 11, "ScatterND": 11, "Shape": 1, "Shrink": 9, "Sign": 9, "SimplifiedLayerNormalization": 1, "Slice": 1,
	"Split": 2, "SplitToSequence": 11, "Squeeze": 1, "TensorScatter": 24, "Transpose": 1, "Unsqueeze": 1,
}

var float16Contrib = map[string]bool{
	"BranchwiseRMSNorm": true, "EngramGate": true, "ExpandDims": true, "GatedAdd": true, "GatedDeltaNet": true, "GatedRMSNorm": true,
	"GatherBlockQuantized": true, "GatherND": true, "GroupQueryAttention": true, "HyperConnectionPostMix": true,
	"HyperConnectionPreMix": true, "Inverse": true, "MRotaryEmbedding": true, "MatMulNBits": true, "QMoE": true, "RotaryEmbedding": true,
	"ScaledSiLU": true, "SkipLayerNormalization": true, "SkipSimplifiedLayerNormalization": true, "SparseAttention": true,
	"UnfoldTensor": true, "VarlenCausalConvWithState": true,
}
