package contrib

import (
	"slices"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/nn"
	"onnxmem/shapeinfer/op/internal/standard/vision"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.ms.internal.nhwc: those of the default
// domain with the channels last, into which ONNX Runtime turns a graph for
// accelerators. The versions are those of the default domain
// (onnxruntime/core/graph/contrib_ops/internal_nhwc_onnx_schemas.cc).
var contribNHWCOps = []op.Op{
	{Domain: op.DomainInternalNHWC, Name: "AveragePool", Versions: []int{7, 10, 11, 19}, Infer: poolChannelsLast},
	{Domain: op.DomainInternalNHWC, Name: "BatchNormalization", Versions: []int{7, 9},
		Infer: inChannelsFirst(nn.BatchNorm, 1), Elementwise: true, Roles: nn.BatchNormRoles, Normalizes: true},
	{Domain: op.DomainInternalNHWC, Name: "BatchNormalization", Versions: []int{14, 15},
		Infer: inChannelsFirst(nn.BatchNormTrainingMode, 1), Elementwise: true, Roles: nn.BatchNormRoles, Normalizes: true},
	{Domain: op.DomainInternalNHWC, Name: "Conv", Versions: []int{1, 11}, Infer: convChannelsLast, MACs: nn.ConvMACs, Roles: op.ParametersAt(1, 2)},
	{Domain: op.DomainInternalNHWC, Name: "ConvTranspose", Versions: []int{1, 11},
		Infer: inChannelsFirst(nn.ConvTranspose, 1), MACs: nn.ConvTransposeMACs, Roles: op.ParametersAt(1, 2)},
	{Domain: op.DomainInternalNHWC, Name: "DepthToSpace", Versions: []int{1, 11, 13, 28},
		Infer: inChannelsFirst(vision.DepthToSpace, 1), Effect: op.Keeps},
	{Domain: op.DomainInternalNHWC, Name: "GlobalAveragePool", Versions: []int{1}, Infer: globalPoolChannelsLast, Effect: op.Reduces},
	{Domain: op.DomainInternalNHWC, Name: "GlobalLpPool", Versions: []int{2}, Infer: globalPoolChannelsLast, Effect: op.Reduces},
	{Domain: op.DomainInternalNHWC, Name: "GlobalMaxPool", Versions: []int{1}, Infer: globalPoolChannelsLast, Effect: op.Reduces},
	{Domain: op.DomainInternalNHWC, Name: "GridSample", Versions: []int{16}, Infer: inChannelsFirst(vision.GridSampleImage, 1)},
	{Domain: op.DomainInternalNHWC, Name: "GridSample", Versions: []int{20}, Infer: inChannelsFirst(vision.GridSample, 1)},
	{Domain: op.DomainInternalNHWC, Name: "InstanceNormalization", Versions: []int{6},
		Infer: inChannelsFirst(nn.InstanceNorm, 1), Roles: op.ScaleAndShift, Normalizes: true},
	{Domain: op.DomainInternalNHWC, Name: "LRN", Versions: []int{1, 13}, Infer: nn.Lrn},
	{Domain: op.DomainInternalNHWC, Name: "LpPool", Versions: []int{11, 18}, Infer: poolChannelsLast},
	{Domain: op.DomainInternalNHWC, Name: "MaxPool", Versions: []int{1, 8, 10, 11, 12}, Infer: poolChannelsLast},
	{Domain: op.DomainInternalNHWC, Name: "MaxUnpool", Versions: []int{9, 11}, Infer: inChannelsFirst(nn.MaxUnpool, 2)},
	{Domain: op.DomainInternalNHWC, Name: "QLinearAveragePool", Versions: []int{1}, Infer: poolChannelsLast},
	{Domain: op.DomainInternalNHWC, Name: "QLinearConv", Versions: []int{10}, Infer: qLinearConvChannelsLast, MACs: nn.QLinearConvMACs, QuantizedWeights: true},
	{Domain: op.DomainInternalNHWC, Name: "QLinearConvTranspose", Versions: []int{1},
		Infer: inChannelsFirst(qLinearConvTranspose, 1), MACs: qLinearConvTransposeMACs, QuantizedWeights: true},
	// The numbers of scales, sizes and axes are in the order of the tensor's
	// axes, so that nothing is to be turned.
	{Domain: op.DomainInternalNHWC, Name: "Resize", Versions: []int{11, 13}, Infer: vision.Resize},
	{Domain: op.DomainInternalNHWC, Name: "Resize", Versions: []int{18, 19}, Infer: vision.ResizeAxes},
	{Domain: op.DomainInternalNHWC, Name: "SpaceToDepth", Versions: []int{1, 13, 28}, Infer: inChannelsFirst(vision.SpaceToDepth, 1), Effect: op.Keeps},
}

// inChannelsFirst makes a rule for channels last of one for channels first: the
// first images of the inputs are turned before it, output 0 is turned after.
func inChannelsFirst(infer func(*op.Call) error, images int) func(*op.Call) error {
	return func(c *op.Call) error {
		given := c.Inputs
		defer func() { c.Inputs = given }()
		c.Inputs = slices.Clone(given)
		for i := range min(images, len(given)) {
			if given[i] == nil {
				continue
			}
			turned := *given[i]
			turned.Type.Shape = channelsMoved(turned.Type.Shape, nn.ChannelsLast, nn.ChannelsFirst)
			turned.Value = nil
			c.Inputs[i] = &turned
		}
		err := infer(c)
		if len(c.Outputs) > 0 {
			c.Outputs[0].Type.Shape = channelsMoved(c.Outputs[0].Type.Shape, nn.ChannelsFirst, nn.ChannelsLast)
			c.Outputs[0].Value = nil
		}
		return err
	}
}

// channelsMoved is the shape of the same image in another layout.
func channelsMoved(s tensor.Shape, from, to nn.Layout) tensor.Shape {
	n := s.Rank()
	if n < 3 {
		return s
	}
	out := make([]dim.Dim, n)
	out[0], out[to.Channel(n)] = s.At(0), s.At(from.Channel(n))
	copy(out[to.Spatial():to.Spatial()+n-2], s.Dims()[from.Spatial():from.Spatial()+n-2])
	return tensor.MakeShape(out...)
}

func globalPoolChannelsLast(c *op.Call) error {
	return nn.SetGlobalPool(c, c.DType(0), c.Shape(0), nn.ChannelsLast)
}

func qLinearConvChannelsLast(c *op.Call) error {
	return nn.Convolve(c, c.DType(7), c.Shape(0), c.Shape(3), 8, nn.ChannelsLast)
}

func qLinearConvTranspose(c *op.Call) error {
	return nn.ConvolveTransposed(c, c.DType(7), c.Shape(0), c.Shape(3), 8)
}

func qLinearConvTransposeMACs(c *op.Call) dim.Dim { return nn.FilterMACs(c.Shape(0), c.Shape(3)) }
