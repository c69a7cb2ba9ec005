package nn

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
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
var convOps = []op.Op{
	{Name: "Conv", Versions: []int{1, 11, 22}, Infer: Conv, MACs: ConvMACs, Roles: op.ParametersAt(1, 2)},
	{Name: "ConvInteger", Versions: []int{10}, Infer: convInteger, MACs: ConvMACs, QuantizedWeights: true},
	{Name: "QLinearConv", Versions: []int{10}, Infer: qLinearConv, MACs: QLinearConvMACs, QuantizedWeights: true},
	{Name: "DeformConv", Versions: []int{19, 22}, Infer: deformConv, MACs: ConvMACs, Roles: op.ParametersAt(1, 3)},
}

func Conv(c *op.Call) error {
	return Convolve(c, c.DType(0), c.Shape(0), c.Shape(1), 2, ChannelsFirst)
}

func convInteger(c *op.Call) error {
	return Convolve(c, onnxgraph.Int32, c.Shape(0), c.Shape(1), -1, ChannelsFirst)
}

func qLinearConv(c *op.Call) error {
	return Convolve(c, c.DType(7), c.Shape(0), c.Shape(3), 8, ChannelsFirst)
}

// Convolve sets output 0 to the convolution of x by the filters w, M x C/group
// x k1 ... kn, in the element type d. bias is the slot of the M biases,
// negative where there is none.
func Convolve(c *op.Call, d onnxgraph.DType, x, w tensor.Shape, bias int, l Layout) error {
	c.Set(0, d, tensor.Shape{})
	shape, err := convShape(c, x, w, l)
	if err != nil {
		return err
	}
	c.Set(0, d, shape)
	if !shape.Ranked() {
		c.Unknown(0, "neither the input's nor the filter's rank is known")
		return nil
	}
	return c.CheckVector(bias, "bias", w.At(0))
}

// convShape is the output's shape of a convolution: x is the image, w the
// filters, M x C/group x k1 ... kn. The attributes are the call's.
func convShape(c *op.Call, x, w tensor.Shape, l Layout) (tensor.Shape, error) {
	rank, err := ConvRank(c, x, w)
	if err != nil || rank < 0 {
		return tensor.Shape{}, err
	}
	window, err := Window(c, rank-2)
	if err != nil {
		return tensor.Shape{}, err
	}
	if err := refuseTwoPaddings(c, &window); err != nil {
		return tensor.Shape{}, err
	}
	if err := convChannels(c, x.At(l.Channel(rank)), w); err != nil {
		return tensor.Shape{}, err
	}
	kernel, err := ConvKernel(c, &window, w, rank)
	if err != nil {
		return tensor.Shape{}, err
	}
	in := x.Dims()
	if in == nil {
		in = make([]dim.Dim, rank)
	}
	out := make([]dim.Dim, rank)
	out[0], out[l.Channel(rank)] = in[0], w.At(0)
	s := l.Spatial()
	err = Slide(c, &window, in[s:s+rank-2], kernel, out[s:s+rank-2])
	return tensor.MakeShape(out...), err
}

// ConvRank is the rank of a convolution's input, filters and output: -1 when
// nothing tells it.
func ConvRank(c *op.Call, x, w tensor.Shape) (int, error) {
	if err := c.CheckImageRank("input", x); err != nil {
		return 0, err
	}
	if err := c.CheckImageRank("filter", w); err != nil {
		return 0, err
	}
	switch {
	case x.Ranked() && w.Ranked() && x.Rank() != w.Rank():
		return 0, c.Errorf(op.CodeRank, "input %s and filter %s differ in rank", x, w)
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
func convChannels(c *op.Call, channels dim.Dim, w tensor.Shape) error {
	group := c.Int("group", 1)
	if group < 1 {
		return c.Errorf(op.CodeAttribute, "group is %d", group)
	}
	perGroup, known := w.At(1).Int()
	if have, ok := channels.Int(); ok && known && (have%group != 0 || have/group != perGroup) {
		return c.Errorf(op.CodeShape, "the input has %d channels, the filter %s with group %d needs %d per group", have, w, group, perGroup)
	}
	if m, ok := w.At(0).Int(); ok && m%group != 0 {
		return c.Errorf(op.CodeShape, "group %d does not divide the %d filters", group, m)
	}
	return nil
}

// ConvKernel is the kernel's size by spatial axis: the filter's trailing dims,
// which kernel_shape must equal.
func ConvKernel(c *op.Call, window *window, w tensor.Shape, rank int) ([]dim.Dim, error) {
	if !w.Ranked() {
		if window.kernel == nil {
			return make([]dim.Dim, rank-2), nil
		}
		return op.IntDims(window.kernel), nil
	}
	kernel := w.Dims()[2:]
	for i, k := range window.kernel {
		merged, ok := op.MergeDims(kernel[i], dim.Int(k))
		if !ok {
			return nil, c.Errorf(op.CodeShape, "kernel_shape %v is not that of the filter %s", window.kernel, w)
		}
		if !dim.Equal(merged, kernel[i]) {
			return op.IntDims(window.kernel), nil
		}
	}
	for _, k := range kernel {
		if n, ok := k.Int(); ok && n < 1 {
			return nil, c.Errorf(op.CodeShape, "the filter %s has no elements", w)
		}
	}
	return kernel, nil
}

// deformConv: the text has no auto_pad; the offsets are at the output's
// positions.
func deformConv(c *op.Call) error {
	if err := Convolve(c, c.DType(0), c.Shape(0), c.Shape(1), 3, ChannelsFirst); err != nil {
		return err
	}
	offsetGroup := c.Int("offset_group", 1)
	if offsetGroup < 1 {
		return c.Errorf(op.CodeAttribute, "offset_group is %d", offsetGroup)
	}
	if n, ok := c.Shape(0).At(1).Int(); ok && n%offsetGroup != 0 {
		return c.Errorf(op.CodeShape, "offset_group %d does not divide the %d channels", offsetGroup, n)
	}
	offset := c.Shape(2)
	y := c.Outputs[0].Type.Shape
	if !offset.Ranked() {
		return nil
	}
	if y.Ranked() && offset.Rank() != y.Rank() {
		return c.Errorf(op.CodeRank, "offset %s and output %s differ in rank", offset, y)
	}
	if err := c.SameSize("batch sizes of offset and output", offset.At(0), y.At(0)); err != nil {
		return err
	}
	for i := 2; i < y.Rank(); i++ {
		if err := c.SameSize("offset and output positions", offset.At(i), y.At(i)); err != nil {
			return err
		}
	}
	return deformations(c, offsetGroup)
}

// deformations checks offset, a coordinate on each spatial axis for every group
// and place in the kernel, and mask, one factor for each.
func deformations(c *op.Call, groups int64) error {
	w, y, mask := c.Shape(1), c.Outputs[0].Type.Shape, c.Shape(4)
	if !w.Ranked() || !y.Ranked() {
		return nil
	}
	places := dim.Mul(dim.Int(groups), dim.Product(w.Dims()[2:]...))
	axes := dim.Int(int64(w.Rank() - 2))
	if err := c.SameSize("channels of offset and kernel places", c.Shape(2).At(1), dim.Mul(axes, places)); err != nil {
		return err
	}
	if !mask.Ranked() {
		return nil
	}
	if mask.Rank() != y.Rank() {
		return c.Errorf(op.CodeRank, "mask %s and output %s differ in rank", mask, y)
	}
	if err := c.SameSize("batch sizes of mask and output", mask.At(0), y.At(0)); err != nil {
		return err
	}
	if err := c.SameSize("channels of mask and kernel places", mask.At(1), places); err != nil {
		return err
	}
	for i := 2; i < y.Rank(); i++ {
		if err := c.SameSize("mask and output positions", mask.At(i), y.At(i)); err != nil {
			return err
		}
	}
	return nil
}

func ConvMACs(c *op.Call) dim.Dim { return FilterMACs(c.Outputs[0].Type.Shape, c.Shape(1)) }

func QLinearConvMACs(c *op.Call) dim.Dim { return FilterMACs(c.Outputs[0].Type.Shape, c.Shape(3)) }

// FilterMACs counts a convolution: every output element sums over C/group x k1
// ... kn, which are the filters' dims but the first.
func FilterMACs(y, w tensor.Shape) dim.Dim {
	if !w.Ranked() || w.Rank() < 1 {
		return dim.Unknown()
	}
	return dim.Mul(y.Elements(), dim.Product(w.Dims()[1:]...))
}
