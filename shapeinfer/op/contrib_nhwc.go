package op

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.ms.internal.nhwc: those of the default
// domain with the channels last, into which ONNX Runtime turns a graph for
// accelerators. The versions are those of the default domain
// (onnxruntime/core/graph/contrib_ops/internal_nhwc_onnx_schemas.cc).
var contribNHWCOps = []Op{
	{Domain: DomainInternalNHWC, Name: "AveragePool", Versions: []int{7, 10, 11, 19}, Infer: poolChannelsLast},
	{Domain: DomainInternalNHWC, Name: "BatchNormalization", Versions: []int{7, 9}, Infer: inChannelsFirst(batchNorm, 1)},
	{Domain: DomainInternalNHWC, Name: "BatchNormalization", Versions: []int{14, 15}, Infer: inChannelsFirst(batchNormTrainingMode, 1)},
	{Domain: DomainInternalNHWC, Name: "Conv", Versions: []int{1, 11}, Infer: convChannelsLast, MACs: convMACs},
	{Domain: DomainInternalNHWC, Name: "ConvTranspose", Versions: []int{1, 11}, Infer: inChannelsFirst(convTranspose, 1), MACs: convTransposeMACs},
	{Domain: DomainInternalNHWC, Name: "DepthToSpace", Versions: []int{1, 11, 13, 28}, Infer: inChannelsFirst(depthToSpace, 1)},
	{Domain: DomainInternalNHWC, Name: "GlobalAveragePool", Versions: []int{1}, Infer: globalPoolChannelsLast},
	{Domain: DomainInternalNHWC, Name: "GlobalLpPool", Versions: []int{2}, Infer: globalPoolChannelsLast},
	{Domain: DomainInternalNHWC, Name: "GlobalMaxPool", Versions: []int{1}, Infer: globalPoolChannelsLast},
	{Domain: DomainInternalNHWC, Name: "GridSample", Versions: []int{16}, Infer: inChannelsFirst(gridSampleImage, 1)},
	{Domain: DomainInternalNHWC, Name: "GridSample", Versions: []int{20}, Infer: inChannelsFirst(gridSample, 1)},
	{Domain: DomainInternalNHWC, Name: "InstanceNormalization", Versions: []int{6}, Infer: inChannelsFirst(instanceNorm, 1)},
	{Domain: DomainInternalNHWC, Name: "LRN", Versions: []int{1, 13}, Infer: lrn},
	{Domain: DomainInternalNHWC, Name: "LpPool", Versions: []int{11, 18}, Infer: poolChannelsLast},
	{Domain: DomainInternalNHWC, Name: "MaxPool", Versions: []int{1, 8, 10, 11, 12}, Infer: poolChannelsLast},
	{Domain: DomainInternalNHWC, Name: "MaxUnpool", Versions: []int{9, 11}, Infer: inChannelsFirst(maxUnpool, 2)},
	{Domain: DomainInternalNHWC, Name: "QLinearAveragePool", Versions: []int{1}, Infer: poolChannelsLast},
	{Domain: DomainInternalNHWC, Name: "QLinearConv", Versions: []int{10}, Infer: qLinearConvChannelsLast, MACs: qLinearConvMACs},
	{Domain: DomainInternalNHWC, Name: "QLinearConvTranspose", Versions: []int{1}, Infer: inChannelsFirst(qLinearConvTranspose, 1), MACs: qLinearConvTransposeMACs},
	// The numbers of scales, sizes and axes are in the order of the tensor's
	// axes, so that nothing is to be turned.
	{Domain: DomainInternalNHWC, Name: "Resize", Versions: []int{11, 13}, Infer: resize},
	{Domain: DomainInternalNHWC, Name: "Resize", Versions: []int{18, 19}, Infer: resizeAxes},
	{Domain: DomainInternalNHWC, Name: "SpaceToDepth", Versions: []int{1, 13, 28}, Infer: inChannelsFirst(spaceToDepth, 1)},
}

// inChannelsFirst makes a rule for channels last of one for channels first: the
// first images of the inputs are turned before it, output 0 is turned after.
func inChannelsFirst(infer func(*Call) error, images int) func(*Call) error {
	return func(c *Call) error {
		given := c.Inputs
		defer func() { c.Inputs = given }()
		c.Inputs = append([]*tensor.Fact(nil), given...)
		for i := range min(images, len(given)) {
			if given[i] == nil {
				continue
			}
			turned := *given[i]
			turned.Type.Shape = channelsMoved(turned.Type.Shape, channelsLast, channelsFirst)
			turned.Value = nil
			c.Inputs[i] = &turned
		}
		err := infer(c)
		if len(c.Outputs) > 0 {
			c.Outputs[0].Type.Shape = channelsMoved(c.Outputs[0].Type.Shape, channelsFirst, channelsLast)
			c.Outputs[0].Value = nil
		}
		return err
	}
}

// channelsMoved is the shape of the same image in another layout.
func channelsMoved(s tensor.Shape, from, to layout) tensor.Shape {
	n := s.Rank()
	if n < 3 {
		return s
	}
	out := make([]dim.Dim, n)
	out[0], out[to.channel(n)] = s.At(0), s.At(from.channel(n))
	copy(out[to.spatial():to.spatial()+n-2], s.Dims()[from.spatial():from.spatial()+n-2])
	return tensor.MakeShape(out...)
}

func globalPoolChannelsLast(c *Call) error {
	return c.globalPool(c.DType(0), c.Shape(0), channelsLast)
}

func qLinearConvChannelsLast(c *Call) error {
	return c.convolve(c.DType(7), c.Shape(0), c.Shape(3), 8, channelsLast)
}

func qLinearConvTranspose(c *Call) error {
	return c.convolveTransposed(c.DType(7), c.Shape(0), c.Shape(3), 8)
}

func qLinearConvTransposeMACs(c *Call) dim.Dim { return filterMACs(c.Shape(0), c.Shape(3)) }
