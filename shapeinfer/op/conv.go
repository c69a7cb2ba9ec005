package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the convolutions that slide a kernel over an image.
//
// Conv: https://onnx.ai/onnx/operators/onnx__Conv.html
// 11: the missing strides and dilations are 1, which was the practice before;
// SAME_* gives ceil(in/stride) in words too; 22: bfloat16.
//
// ConvInteger: https://onnx.ai/onnx/operators/onnx__ConvInteger.html
// 10: 8-bit operands with zero points, INT32 result.
//
// QLinearConv: https://onnx.ai/onnx/operators/onnx__QLinearConv.html
// 10: operands and result quantised; the result has the type of y_zero_point.
//
// DeformConv: https://onnx.ai/onnx/operators/onnx__DeformConv.html
// 19: offsets and mask at the output's positions; 22: bfloat16.
var convOps = []Op{
	{Name: "Conv", Versions: []int{1, 11, 22}, Infer: conv, MACs: convMACs},
	{Name: "ConvInteger", Versions: []int{10}, Infer: convInteger, MACs: convMACs},
	{Name: "QLinearConv", Versions: []int{10}, Infer: qLinearConv, MACs: qLinearConvMACs},
	{Name: "DeformConv", Versions: []int{19, 22}, Infer: deformConv, MACs: convMACs},
}

func conv(c *Call) error {
	return c.convolve(c.DType(0), c.Shape(0), c.Shape(1), 2, channelsFirst)
}

func convInteger(c *Call) error {
	return c.convolve(onnxgraph.Int32, c.Shape(0), c.Shape(1), -1, channelsFirst)
}

func qLinearConv(c *Call) error {
	return c.convolve(c.DType(7), c.Shape(0), c.Shape(3), 8, channelsFirst)
}

// convolve sets output 0 to the convolution of x by the filters w, M x C/group
// x k1 ... kn, in the element type d. bias is the slot of the M biases,
// negative where there is none.
func (c *Call) convolve(d onnxgraph.DType, x, w tensor.Shape, bias int, l layout) error {
	c.Set(0, d, tensor.Shape{})
	shape, err := c.convShape(x, w, l)
	if err != nil {
		return err
	}
	c.Set(0, d, shape)
	if !shape.Ranked() {
		c.Unknown(0, "neither the input's nor the filter's rank is known")
		return nil
	}
	return c.isVector(bias, "bias", w.At(0))
}

// convShape is the output's shape of a convolution: x is the image, w the
// filters, M x C/group x k1 ... kn. The attributes are the call's.
func (c *Call) convShape(x, w tensor.Shape, l layout) (tensor.Shape, error) {
	rank, err := c.convRank(x, w)
	if err != nil || rank < 0 {
		return tensor.Shape{}, err
	}
	window, err := c.window(rank - 2)
	if err != nil {
		return tensor.Shape{}, err
	}
	if err := c.refuseTwoPaddings(&window); err != nil {
		return tensor.Shape{}, err
	}
	if err := c.convChannels(x.At(l.channel(rank)), w); err != nil {
		return tensor.Shape{}, err
	}
	kernel, err := c.convKernel(&window, w, rank)
	if err != nil {
		return tensor.Shape{}, err
	}
	in := x.Dims()
	if in == nil {
		in = make([]dim.Dim, rank)
	}
	out := make([]dim.Dim, rank)
	out[0], out[l.channel(rank)] = in[0], w.At(0)
	s := l.spatial()
	err = c.slide(&window, in[s:s+rank-2], kernel, out[s:s+rank-2])
	return tensor.MakeShape(out...), err
}

// convRank is the rank of a convolution's input, filters and output: -1 when
// nothing tells it.
func (c *Call) convRank(x, w tensor.Shape) (int, error) {
	if err := c.imageRank("input", x); err != nil {
		return 0, err
	}
	if err := c.imageRank("filter", w); err != nil {
		return 0, err
	}
	switch {
	case x.Ranked() && w.Ranked() && x.Rank() != w.Rank():
		return 0, c.Errorf(CodeRank, "input %s and filter %s differ in rank", x, w)
	case x.Ranked():
		return x.Rank(), nil
	case w.Ranked():
		return w.Rank(), nil
	case c.HasAttr("kernel_shape"):
		return len(c.IntList("kernel_shape")) + 2, nil
	}
	return -1, nil
}

// convChannels checks channels and groups: C = w[1]*group, and group divides M.
func (c *Call) convChannels(channels dim.Dim, w tensor.Shape) error {
	group := c.Int("group", 1)
	if group < 1 {
		return c.Errorf(CodeAttribute, "group is %d", group)
	}
	perGroup, known := w.At(1).Int()
	if have, ok := channels.Int(); ok && known && (have%group != 0 || have/group != perGroup) {
		return c.Errorf(CodeShape, "the input has %d channels, the filter %s with group %d needs %d per group", have, w, group, perGroup)
	}
	if m, ok := w.At(0).Int(); ok && m%group != 0 {
		return c.Errorf(CodeShape, "group %d does not divide the %d filters", group, m)
	}
	return nil
}

// convKernel is the kernel's size by spatial axis: the filter's trailing dims,
// which kernel_shape must equal.
func (c *Call) convKernel(window *window, w tensor.Shape, rank int) ([]dim.Dim, error) {
	if !w.Ranked() {
		if window.kernel == nil {
			return make([]dim.Dim, rank-2), nil
		}
		return intDims(window.kernel), nil
	}
	kernel := w.Dims()[2:]
	for i, k := range window.kernel {
		merged, ok := MergeDims(kernel[i], dim.Int(k))
		if !ok {
			return nil, c.Errorf(CodeShape, "kernel_shape %v is not that of the filter %s", window.kernel, w)
		}
		if !dim.Equal(merged, kernel[i]) {
			return intDims(window.kernel), nil
		}
	}
	for _, k := range kernel {
		if n, ok := k.Int(); ok && n < 1 {
			return nil, c.Errorf(CodeShape, "the filter %s has no elements", w)
		}
	}
	return kernel, nil
}

// deformConv: the text has no auto_pad; the offsets are at the output's
// positions.
func deformConv(c *Call) error {
	if err := c.convolve(c.DType(0), c.Shape(0), c.Shape(1), 3, channelsFirst); err != nil {
		return err
	}
	offsetGroup := c.Int("offset_group", 1)
	if offsetGroup < 1 {
		return c.Errorf(CodeAttribute, "offset_group is %d", offsetGroup)
	}
	if n, ok := c.Shape(0).At(1).Int(); ok && n%offsetGroup != 0 {
		return c.Errorf(CodeShape, "offset_group %d does not divide the %d channels", offsetGroup, n)
	}
	offset := c.Shape(2)
	y := c.Outputs[0].Type.Shape
	if !offset.Ranked() {
		return nil
	}
	if y.Ranked() && offset.Rank() != y.Rank() {
		return c.Errorf(CodeRank, "offset %s and output %s differ in rank", offset, y)
	}
	if err := c.sameNumber("batch sizes of offset and output", offset.At(0), y.At(0)); err != nil {
		return err
	}
	for i := 2; i < y.Rank(); i++ {
		if err := c.sameNumber("offset and output positions", offset.At(i), y.At(i)); err != nil {
			return err
		}
	}
	return c.deformations(offsetGroup)
}

// deformations checks offset, a coordinate on each spatial axis for every group
// and place in the kernel, and mask, one factor for each.
func (c *Call) deformations(groups int64) error {
	w, y, mask := c.Shape(1), c.Outputs[0].Type.Shape, c.Shape(4)
	if !w.Ranked() || !y.Ranked() {
		return nil
	}
	places := dim.Mul(dim.Int(groups), dim.Product(w.Dims()[2:]...))
	axes := dim.Int(int64(w.Rank() - 2))
	if err := c.sameNumber("channels of offset and kernel places", c.Shape(2).At(1), dim.Mul(axes, places)); err != nil {
		return err
	}
	if !mask.Ranked() {
		return nil
	}
	if mask.Rank() != y.Rank() {
		return c.Errorf(CodeRank, "mask %s and output %s differ in rank", mask, y)
	}
	if err := c.sameNumber("batch sizes of mask and output", mask.At(0), y.At(0)); err != nil {
		return err
	}
	if err := c.sameNumber("channels of mask and kernel places", mask.At(1), places); err != nil {
		return err
	}
	for i := 2; i < y.Rank(); i++ {
		if err := c.sameNumber("mask and output positions", mask.At(i), y.At(i)); err != nil {
			return err
		}
	}
	return nil
}

func convMACs(c *Call) dim.Dim { return filterMACs(c.Outputs[0].Type.Shape, c.Shape(1)) }

func qLinearConvMACs(c *Call) dim.Dim { return filterMACs(c.Outputs[0].Type.Shape, c.Shape(3)) }

// filterMACs counts a convolution: every output element sums over C/group x k1
// ... kn, which are the filters' dims but the first.
func filterMACs(y, w tensor.Shape) dim.Dim {
	if !w.Ranked() || w.Rank() < 1 {
		return dim.Unknown()
	}
	return dim.Mul(y.Elements(), dim.Product(w.Dims()[1:]...))
}
