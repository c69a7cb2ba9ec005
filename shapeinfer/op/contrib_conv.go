package op

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the convolutions and pools of com.microsoft: fused,
// quantised, and with the channels last
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribConvOps = []Op{
	{Domain: DomainMicrosoft, Name: "ConvTransposeWithDynamicPads", Versions: []int{1}, Infer: convTransposeDynamicPads, MACs: convTransposeMACs},
	{Domain: DomainMicrosoft, Name: "FusedConv", Versions: []int{1}, Infer: conv, MACs: convMACs},
	{Domain: DomainMicrosoft, Name: "NhwcConv", Versions: []int{1}, Infer: convChannelsLast, MACs: convMACs},
	{Domain: DomainMicrosoft, Name: "NhwcFusedConv", Versions: []int{1}, Infer: convChannelsLast, MACs: convMACs},
	{Domain: DomainMicrosoft, Name: "QLinearConv", Versions: []int{1}, Infer: qLinearConvEither, MACs: qLinearConvMACs},

	{Domain: DomainMicrosoft, Name: "MaxpoolWithMask", Versions: []int{1}, Infer: pool},
	{Domain: DomainMicrosoft, Name: "NhwcMaxPool", Versions: []int{1}, Infer: poolChannelsLast},
	{Domain: DomainMicrosoft, Name: "QLinearAveragePool", Versions: []int{1}, Infer: poolEither},
	{Domain: DomainMicrosoft, Name: "QLinearGlobalAveragePool", Versions: []int{1}, Infer: globalPoolEither},
}

// attributeLayout is the attribute channels_last, off by default.
func (c *Call) attributeLayout() layout { return layout(c.Flag("channels_last", false)) }

func convChannelsLast(c *Call) error {
	return c.convolve(c.DType(0), c.Shape(0), c.Shape(1), 2, channelsLast)
}

func qLinearConvEither(c *Call) error {
	return c.convolve(c.DType(7), c.Shape(0), c.Shape(3), 8, c.attributeLayout())
}

func poolChannelsLast(c *Call) error { return c.pool(c.DType(0), c.Shape(0), channelsLast) }

func poolEither(c *Call) error { return c.pool(c.DType(0), c.Shape(0), c.attributeLayout()) }

func globalPoolEither(c *Call) error {
	return c.globalPool(c.DType(0), c.Shape(0), c.attributeLayout())
}

// convTransposeDynamicPads takes the padding from input 2, begins before ends.
func convTransposeDynamicPads(c *Call) error {
	c.Set(0, c.DType(0), tensor.Shape{})
	shape, err := c.convTransposeShape(c.Shape(0), c.Shape(1))
	if err != nil || !shape.Ranked() {
		return err
	}
	if err := c.isVector(3, "bias", shape.At(1)); err != nil {
		return err
	}
	if mode, err := c.autoPad(); err != nil || mode != padExplicit || !c.Has(2) {
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
		return c.Errorf(CodeShape, "Pads has %d numbers for %d spatial axes", len(pads), len(sides))
	}
	for i := range sides {
		sides[i] = dim.Sub(sides[i], dim.Add(pads[i], pads[len(sides)+i]))
		if n, ok := sides[i].Int(); ok && n < 0 {
			return c.Errorf(CodeShape, "spatial axis %d would get size %d", i, n)
		}
	}
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}
