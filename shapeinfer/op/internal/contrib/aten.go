package contrib

import (
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds ATen, by which PyTorch's exporter passes an operator on that
// ONNX lacks; the attribute operator names it, and the inputs are those of
// PyTorch, its numbers as scalar tensors
// (https://docs.pytorch.org/docs/stable/onnx_torchscript.html).
var atenOps = []op.Op{
	{Domain: op.DomainATen, Name: "ATen", Versions: []int{1}, Infer: aten},
}

// atenLikeFirst are the operators whose result is like their first input.
var atenLikeFirst = []string{
	"alpha_dropout", "batch_norm", "celu", "clamp", "clamp_max", "clamp_min", "cumprod", "cumsum", "digamma", "dropout",
	"elu", "erfc", "expm1", "feature_dropout", "fft_fftshift", "flip", "gelu", "group_norm", "hardshrink",
	"hardsigmoid", "hardswish", "hardtanh", "instance_norm", "layer_norm", "leaky_relu", "lgamma", "log10", "log1p", "log2",
	"log_sigmoid", "log_softmax", "logcumsumexp", "logit", "masked_fill", "mish", "prelu", "relu", "relu6", "roll",
	"rrelu", "rsqrt", "selu", "sigmoid", "silu", "softmax", "softplus", "softshrink", "square", "tanh", "tanhshrink",
	"threshold", "tril", "triu", "trunc",
}

// atenBroadcast are those whose result is what their two inputs broadcast to,
// in their common type.
var atenBroadcast = []string{
	"atan2", "bitwise_and", "bitwise_or", "bitwise_xor", "copysign", "floor_divide", "fmax", "fmin", "fmod", "hypot",
	"logaddexp", "logaddexp2", "maximum", "minimum", "nextafter", "remainder", "xlogy",
}

func aten(c *op.Call) error {
	name := c.Str("operator", "")
	switch {
	case slices.Contains(atenLikeFirst, name):
		return op.LikeFirst(c)
	case slices.Contains(atenBroadcast, name):
		d, err := c.SameDTypeOfAll()
		if err != nil {
			return err
		}
		return setBroadcast(c, d, c.Shape(0), c.Shape(1))
	}
	switch name {
	case "embedding":
		return torchEmbedding(c)
	case "t", "numpy_T":
		return atenReverse(c)
	case "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d":
		return atenAdaptivePool(c)
	case "unfold":
		return atenUnfold(c)
	}
	for o := range c.Outputs {
		c.Unknown(o, "PyTorch's operator %q is not known", name)
	}
	return nil
}

// atenReverse turns the order of the axes round.
func atenReverse(c *op.Call) error {
	x := c.Shape(0)
	if x.Ranked() {
		out := x.Clone()
		slices.Reverse(out)
		x = tensor.MakeShape(out...)
	}
	c.Set(0, c.DType(0), x)
	return nil
}

// atenAdaptivePool: input 1 holds the sizes of the last axes.
func atenAdaptivePool(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	size, n, err := c.Sizes(1, "output_size")
	if err != nil || n < 0 || !x.Ranked() {
		return err
	}
	if n > x.Rank() {
		return c.Errorf(op.CodeShape, "output_size has %d numbers for an input of rank %d", n, x.Rank())
	}
	out := x.Clone()
	copy(out[len(out)-n:], size)
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// atenUnfold: inputs 1 to 3 are the axis, the size of a slice and the step; the
// elements of a slice are a new last axis
// (https://docs.pytorch.org/docs/stable/generated/torch.Tensor.unfold.html).
func atenUnfold(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	at, ok := c.Number(1).Int()
	if !x.Ranked() {
		return nil
	}
	size, step := c.Number(2), c.Number(3)
	if !ok {
		c.Set(0, c.DType(0), tensor.RankOnly(x.Rank()+1))
		c.Unknown(0, "the axis to unfold is unknown")
		return nil
	}
	axis, err := c.Axis(at, x.Rank())
	if err != nil {
		return err
	}
	out := append(x.Clone(), size)
	out[axis] = dim.Add(dim.FloorDiv(dim.Sub(x.At(axis), size), step), dim.Int(1))
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}
