package weights

import "strings"

// This file reads what names say. A name is the last evidence of all: it is
// asked where neither the graph, nor the exporter's metadata, nor the contents
// of a tensor decide, and a [finding.Finding] says so.

// dynamoConstant reports whether a name is one that torch's dynamo exporter
// gives to a constant that it computed from the program's numbers: val_12, or
// the name of an ATen function that modules do not apply to parameters alone,
// such as the powers of a temperature in a table of positions, pow_1.
func dynamoConstant(name string) bool {
	if rest, ok := strings.CutPrefix(name, "val_"); ok {
		return isNumber(rest)
	}
	return numberFunction(name)
}

// numberFunction reports whether a name is that of the result of such a function:
// arange, or pow_1.
func numberFunction(name string) bool {
	if i := strings.LastIndexByte(name, '_'); i > 0 && isNumber(name[i+1:]) {
		name = name[:i]
	}
	return numberFunctions[name]
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

// namedByFolding reports whether a weight and a bias have the names that
// exporters give to what they compute: TorchScript's constant folding calls
// both onnx::Conv_123, old versions 123, and dynamo's keeps the weight's name
// and calls the bias that it adds conv1.weight_bias. A bias of a generated name
// is enough, since runtimes that store a model again rename the weights that
// they reorder.
func namedByFolding(weight, bias string) bool {
	if strings.HasPrefix(bias, "onnx::") {
		return generatedName(bias)
	}
	return isNumber(weight) && isNumber(bias) || bias == weight+"_bias"
}

// generatedName reports whether TorchScript's exporter made a value's name up:
// onnx::Conv_123, or a bare number in old versions.
func generatedName(name string) bool {
	if rest, ok := strings.CutPrefix(name, "onnx::"); ok {
		i := strings.LastIndexByte(rest, '_')
		return i > 0 && isNumber(rest[i+1:])
	}
	return isNumber(name)
}

func isNumber(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}
