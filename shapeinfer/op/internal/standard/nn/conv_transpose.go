package nn

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the transposed convolution.
//
// ConvTranspose: https://onnx.ai/onnx/operators/onnx__ConvTranspose.html
// 11: missing strides and dilations are 1, SAME_* gives in*stride in words
// too, output_shape holds spatial dims only; 22: bfloat16.
var convTransposeOps = []op.Op{
	{Name: "ConvTranspose", Versions: []int{1, 11, 22}, Infer: ConvTranspose, MACs: ConvTransposeMACs, Roles: op.ParametersAt(1, 2)},
}

func ConvTranspose(c *op.Call) error {
	return ConvolveTransposed(c, c.DType(0), c.Shape(0), c.Shape(1), 2)
}

// ConvolveTransposed sets output 0 to the transposed convolution of x by the
// filters w, C x M/group x k1 ... kn, in the element type d. bias is the slot
// of the M biases, negative where there is none.
func ConvolveTransposed(c *op.Call, d onnxgraph.DType, x, w tensor.Shape, bias int) error {
	c.Set(0, d, tensor.Shape{})
	shape, err := ConvTransposeShape(c, x, w)
	if err != nil {
		return err
	}
	c.Set(0, d, shape)
	if !shape.Ranked() {
		c.Unknown(0, "neither the input's nor the filter's rank is known")
		return nil
	}
	return c.CheckVector(bias, "bias", shape.At(1))
}

func ConvTransposeShape(c *op.Call, x, w tensor.Shape) (tensor.Shape, error) {
	rank, err := ConvRank(c, x, w)
	if err != nil || rank < 0 {
		return tensor.Shape{}, err
	}
	spatial := rank - 2
	window, err := Window(c, spatial)
	if err != nil {
		return tensor.Shape{}, err
	}
	if err := refuseTwoPaddings(c, &window); err != nil {
		return tensor.Shape{}, err
	}
	channels, err := convTransposeChannels(c, x, w)
	if err != nil {
		return tensor.Shape{}, err
	}
	kernel, err := ConvKernel(c, &window, w, rank)
	if err != nil {
		return tensor.Shape{}, err
	}
	out := make([]dim.Dim, rank)
	out[0], out[1] = x.At(0), channels
	given, err := givenOutputShape(c, spatial)
	if err != nil {
		return tensor.Shape{}, err
	}
	if given != nil {
		for i, n := range given {
			out[2+i] = dim.Int(n)
		}
		return tensor.MakeShape(out...), nil
	}
	extra := c.IntList("output_padding")
	if err := SpatialInts(c, "output_padding", extra, spatial, 0); err != nil {
		return tensor.Shape{}, err
	}
	for i := range kernel {
		adjust := int64(0)
		if extra != nil {
			adjust = extra[i]
		}
		if c.Since >= 11 && adjust > 0 && adjust >= max(window.stride(i), window.dilation(i)) {
			return tensor.Shape{}, c.Errorf(op.CodeAttribute, "output_padding %d is not below the stride %d or the dilation %d", adjust, window.stride(i), window.dilation(i))
		}
		d := window.spread(x.At(2+i), kernel[i], i, adjust)
		if n, ok := d.Int(); ok && n < 0 {
			return tensor.Shape{}, c.Errorf(op.CodeShape, "spatial axis %d would get size %d", i, n)
		}
		out[2+i] = d
	}
	return tensor.MakeShape(out...), nil
}

// convTransposeChannels is the number of output channels, w[1]*group; the
// input's are w[0].
func convTransposeChannels(c *op.Call, x, w tensor.Shape) (dim.Dim, error) {
	group := c.Int("group", 1)
	if group < 1 {
		return dim.Unknown(), c.Errorf(op.CodeAttribute, "group is %d", group)
	}
	if err := c.SameSize("channels of input and filter", x.At(1), w.At(0)); err != nil {
		return dim.Unknown(), err
	}
	if n, ok := w.At(0).Int(); ok && n%group != 0 {
		return dim.Unknown(), c.Errorf(op.CodeShape, "group %d does not divide the %d channels", group, n)
	}
	return c.Product("the number of output channels", w.At(1), dim.Int(group))
}

// givenOutputShape is the attribute output_shape, which wins over all padding.
// Old files list batch and channels too.
func givenOutputShape(c *op.Call, spatial int) ([]int64, error) {
	list := c.IntList("output_shape")
	if len(list) == spatial+2 {
		list = list[2:]
	}
	if len(list) == 0 {
		return nil, nil
	}
	return list, SpatialInts(c, "output_shape", list, spatial, 0)
}

// spread is the size of spatial axis i after a transposed convolution:
// stride*(in - 1) + output_padding + extent - pads. SAME_* gives in*stride by
// padding, and padding can't be negative: a kernel that does not reach the next
// position leaves the axis shorter, as runtimes do it.
func (w *window) spread(in, kernel dim.Dim, i int, outputPadding int64) dim.Dim {
	stride := dim.Int(w.stride(i))
	extent := w.extent(kernel, i)
	if w.auto == padSame {
		reach, known := dim.Add(extent, dim.Int(outputPadding)).Int()
		if !known {
			return dim.Unknown()
		}
		if reach >= w.stride(i) {
			return dim.Mul(in, stride)
		}
	}
	begin, end := w.padding(i)
	full := dim.Add(dim.Mul(stride, dim.Sub(in, dim.Int(1))), extent)
	return dim.Add(full, dim.Sum(dim.Int(outputPadding), dim.Int(-begin), dim.Int(-end)))
}

// ConvTransposeMACs counts products: every input element is multiplied by M/group x k1 ... kn.
func ConvTransposeMACs(c *op.Call) dim.Dim { return FilterMACs(c.Shape(0), c.Shape(1)) }
