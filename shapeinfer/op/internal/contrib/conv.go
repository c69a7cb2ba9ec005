package contrib

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/nn"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the convolutions and pools of com.microsoft: fused,
// quantised, and with the channels last
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribConvOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "ConvTransposeWithDynamicPads", Versions: []int{1}, Infer: convTransposeDynamicPads, MACs: nn.ConvTransposeMACs},
	{Domain: op.DomainMicrosoft, Name: "FusedConv", Versions: []int{1}, Infer: nn.Conv, MACs: nn.ConvMACs, Roles: op.ParametersAt(1, 2)},
	{Domain: op.DomainMicrosoft, Name: "NhwcConv", Versions: []int{1}, Infer: convChannelsLast, MACs: nn.ConvMACs, Roles: op.ParametersAt(1, 2)},
	{Domain: op.DomainMicrosoft, Name: "NhwcFusedConv", Versions: []int{1}, Infer: convChannelsLast, MACs: nn.ConvMACs, Roles: op.ParametersAt(1, 2)},
	{Domain: op.DomainMicrosoft, Name: "QLinearConv", Versions: []int{1}, Infer: qLinearConvEither, MACs: nn.QLinearConvMACs, QuantizedWeights: true},

	{Domain: op.DomainMicrosoft, Name: "MaxpoolWithMask", Versions: []int{1}, Infer: nn.Pool},
	{Domain: op.DomainMicrosoft, Name: "NhwcMaxPool", Versions: []int{1}, Infer: poolChannelsLast},
	{Domain: op.DomainMicrosoft, Name: "QLinearAveragePool", Versions: []int{1}, Infer: poolEither},
	{Domain: op.DomainMicrosoft, Name: "QLinearGlobalAveragePool", Versions: []int{1}, Infer: globalPoolEither, Effect: op.Reduces},
}

// attributeLayout is the attribute channels_last, off by default.
func attributeLayout(c *op.Call) nn.Layout { return nn.Layout(c.Flag("channels_last", false)) }

func convChannelsLast(c *op.Call) error {
	return nn.Convolve(c, c.DType(0), c.Shape(0), c.Shape(1), 2, nn.ChannelsLast)
}

func qLinearConvEither(c *op.Call) error {
	return nn.Convolve(c, c.DType(7), c.Shape(0), c.Shape(3), 8, attributeLayout(c))
}

func poolChannelsLast(c *op.Call) error {
	return nn.SetPool(c, c.DType(0), c.Shape(0), nn.ChannelsLast)
}

func poolEither(c *op.Call) error { return nn.SetPool(c, c.DType(0), c.Shape(0), attributeLayout(c)) }

func globalPoolEither(c *op.Call) error {
	return nn.SetGlobalPool(c, c.DType(0), c.Shape(0), attributeLayout(c))
}

// convTransposeDynamicPads takes the padding from input 2, begins before ends.
func convTransposeDynamicPads(c *op.Call) error {
	c.Set(0, c.DType(0), tensor.Shape{})
	shape, err := nn.ConvTransposeShape(c, c.Shape(0), c.Shape(1))
	if err != nil || !shape.Ranked() {
		return err
	}
	if err := c.CheckVector(3, "bias", shape.At(1)); err != nil {
		return err
	}
	if mode, err := nn.AutoPad(c); err != nil || mode != nn.PadExplicit || !c.Has(2) {
		c.Set(0, c.DType(0), shape)
		return err
	}
	out := shape.Clone()
	sides := out[2:]
	pads, ok := c.Dims(2)
	if !ok {
		pads = make([]dim.Dim, 2*len(sides))
		c.Unknown(0, "the values of Pads are unknown")
	}
	if len(pads) != 2*len(sides) {
		return c.Errorf(op.CodeShape, "Pads has %d numbers for %d spatial axes", len(pads), len(sides))
	}
	for i := range sides {
		sides[i] = dim.Sub(sides[i], dim.Add(pads[i], pads[len(sides)+i]))
		if n, ok := sides[i].Int(); ok && n < 0 {
			return c.Errorf(op.CodeShape, "spatial axis %d would get size %d", i, n)
		}
	}
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}
