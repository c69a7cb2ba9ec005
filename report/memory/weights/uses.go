package weights

import (
	"strings"

	"onnxmem/onnxgraph"
)

// A use is how an operator reads a tensor at one of its inputs, weakest first.
type use uint8

const (
	noGradient use = iota // indices, shapes, limits, quantisation: nothing flows back
	passed                // handed on: the readers of the output decide
	operand               // of an elementwise operator: a parameter or a constant
	statistic             // running mean or variance
	parameter             // an input that holds parameters by the operator's definition
)

// useOf is how a node reads input slot. Sources: the operators' definitions,
// https://onnx.ai/onnx/operators/.
func useOf(n *onnxgraph.Node, slot int) use {
	name := n.OpType
	if slots, ok := parameterSlots[name]; ok {
		for _, p := range slots {
			if p == slot {
				return parameter
			}
		}
		switch {
		case name == "BatchNormalization" && slot >= 3:
			return statistic
		case slot == 0 && normalizes[name]: // weights that a module standardises before it convolves
			return passed
		}
		return noGradient
	}
	switch {
	case passesOn[name] && (slot == 0 || name == "Concat"):
		return passed
	case elementwise[name] && (name != "Where" || slot > 0):
		return operand
	}
	return noGradient
}

// parameterSlots lists, for operators that hold parameters, the inputs that do.
var parameterSlots = map[string][]int{
	"Conv": {1, 2}, "ConvTranspose": {1, 2}, "DeformConv": {1, 3}, "FusedConv": {1, 2}, "NhwcConv": {1, 2},
	"Gemm": {0, 1, 2}, "MatMul": {0, 1}, "FusedGemm": {0, 1, 2}, "FusedMatMul": {0, 1}, "TransposeMatMul": {0, 1},
	"BatchNormalization": {1, 2}, "InstanceNormalization": {1, 2}, "LayerNormalization": {1, 2}, "GroupNormalization": {1, 2},
	"RMSNormalization": {1}, "SimplifiedLayerNormalization": {1}, "GroupNorm": {1, 2},
	"SkipLayerNormalization": {2, 3, 4}, "SkipSimplifiedLayerNormalization": {2, 3}, "EmbedLayerNormalization": {2, 3, 4, 5, 6},
	"PRelu": {1},
	"LSTM":  {1, 2, 3, 7}, "GRU": {1, 2, 3}, "RNN": {1, 2, 3},
	"Gather": {0}, "GatherElements": {0}, "GatherND": {0},
	"Attention": {1, 2}, "QAttention": {}, "MultiHeadAttention": {0, 1, 2, 3}, "DecoderMaskedMultiHeadAttention": {10},
	"BiasGelu": {1}, "FastGelu": {1}, "BiasAdd": {1}, "BiasSplitGelu": {1}, "BiasDropout": {1}, "MoE": {2, 3, 4, 5, 6, 7},
}

// passesOn lists operators whose output holds the elements of the first input,
// so that a gradient flows straight through.
var passesOn = map[string]bool{
	"Identity": true, "Cast": true, "CastLike": true, "Transpose": true, "Reshape": true, "Flatten": true, "Squeeze": true, "Unsqueeze": true,
	"Expand": true, "Tile": true, "Slice": true, "Split": true, "Pad": true, "Concat": true, "Dropout": true, "Resize": true, "Upsample": true,
	"Neg": true, "Exp": true, "Abs": true, "Sqrt": true, "Reciprocal": true, "Sigmoid": true, "Softplus": true, "Tanh": true, "Softmax": true,
	"ReduceL2": true, "ReduceSum": true, "ReduceMean": true, "Clip": true,
}

// normalizes lists the operators that scale and shift what they normalise, by
// vectors of the sizes of its channels.
var normalizes = map[string]bool{
	"BatchNormalization": true, "InstanceNormalization": true, "LayerNormalization": true, "GroupNormalization": true, "RMSNormalization": true,
}

// elementwise lists operators through which all sides get a gradient and that
// take constants as often as parameters.
var elementwise = map[string]bool{
	"Add": true, "Sub": true, "Mul": true, "Div": true, "Sum": true, "Mean": true, "Max": true, "Min": true, "Where": true, "Pow": true, "Einsum": true,
}

// dynamoConstant reports whether a name is one that torch's dynamo exporter
// gives to a constant that it computed from the program's numbers: val_12, or
// the name of an ATen function that modules do not apply to parameters alone,
// such as the powers of a temperature in a table of positions, pow_1.
func dynamoConstant(name string) bool {
	function, number := name, "0"
	if i := strings.LastIndexByte(name, '_'); i > 0 && isNumber(name[i+1:]) {
		function, number = name[:i], name[i+1:]
	}
	if function == "val" {
		return function != name
	}
	return isNumber(number) && numberFunctions[function]
}

// numberFunctions lists ATen functions that make tables out of numbers.
var numberFunctions = map[string]bool{
	"pow": true, "arange": true, "linspace": true, "sin": true, "cos": true, "full": true, "ones": true, "zeros": true, "eye": true, "triu": true, "tril": true,
	"full_like": true, "ones_like": true, "zeros_like": true, "scalar_tensor": true, "outer": true, "meshgrid": true, "reciprocal": true,
}

// moduleName reports whether a name is the path of a module's parameter, as
// layer1.0.bn1.bias is.
func moduleName(name string) bool {
	switch lastPart(name) {
	case name: // no path
		return false
	case "weight", "bias", "gamma", "beta", "alpha", "scale", "logit_scale":
		return true
	}
	return false
}

// bufferName reports whether a name is the path of something that modules
// register as a buffer and that inference uses like a parameter: the
// frequencies of rotary embeddings.
func bufferName(name string) bool {
	switch lastPart(name) {
	case "inv_freq", "freqs", "freqs_cis", "cos_cached", "sin_cached", "running_mean", "running_var":
		return true
	}
	return false
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
