package weights

import "strings"

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
