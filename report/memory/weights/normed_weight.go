package weights

import "onnxmem/onnxgraph"

// A NormedWeight is a weight that a module makes in each forward pass from a
// direction and a length of each row (Salimans and Kingma, Weight Normalization,
// 2016), and that the exporter computed. Of the two the file lacks the lengths;
// the direction has the shape of the weight, and stands for it.
type NormedWeight struct {
	Weight *onnxgraph.Tensor
	Rows   int64
}

// weightNormByName reports whether the weight of a convolution was computed by
// TorchScript's exporter, which then gives it a name of its own, beside a bias
// that it took from the module as it is. A BatchNormalization that it folded
// would have changed the bias, too, and convolutions need no other layout.
// Depthwise ones are left out: models that also run them step by step slice the
// weight (Mamba's conv1d), which makes a new name, and nobody normalizes rows of
// some four numbers.
func weightNormByName(weight, bias initializer) bool {
	d := weight.tensor.Dims
	return len(d) > 2 && d[1] > 1 && weight.tensor.DType.IsFloat() && generatedName(weight.name) && !generatedName(bias.name) && bias.name != ""
}
