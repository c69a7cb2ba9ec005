package nn

import (
	"math"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
)

// This file slides the windows of convolutions and pools over the axes of an
// image.

// A Layout says where the channels of an image are.
type Layout bool

const (
	ChannelsFirst Layout = false // N x C x D1 ... Dn
	ChannelsLast  Layout = true  // N x D1 ... Dn x C
)

// Channel is the axis of the channels in a shape of that rank.
func (l Layout) Channel(rank int) int {
	if l == ChannelsLast {
		return rank - 1
	}
	return 1
}

// Spatial is the first of the spatial axes, which are contiguous.
func (l Layout) Spatial() int {
	if l == ChannelsLast {
		return 1
	}
	return 2
}

// An autoPad is the attribute auto_pad of convolutions and pools.
type autoPad uint8

const (
	PadExplicit autoPad = iota // NOTSET: the attribute pads counts
	padSame                    // SAME_UPPER and SAME_LOWER, which differ in no shape
	padValid                   // VALID: no padding
)

// A window holds the attributes by which convolutions and pools slide a
// kernel over the spatial axes
// (https://onnx.ai/onnx/operators/onnx__Conv.html).
type window struct {
	kernel    []int64 // kernel_shape, nil when not given
	strides   []int64 // nil: 1 each
	dilations []int64 // nil: 1 each
	pads      []int64 // begins, then ends; nil: 0 each
	auto      autoPad
	ceil      bool // ceil_mode
	pool      bool // a window that is larger than the padded input passes
}

// Window reads and checks the attributes for that many spatial axes; a
// negative number is unknown and nothing is compared with it.
func Window(c *op.Call, spatial int) (w window, err error) {
	w = window{
		kernel:    c.IntList("kernel_shape"),
		strides:   c.IntList("strides"),
		dilations: c.IntList("dilations"),
		pads:      c.IntList("pads"),
		ceil:      c.Flag("ceil_mode", false),
	}
	if w.auto, err = AutoPad(c); err != nil {
		return w, err
	}
	if err := SpatialInts(c, "kernel_shape", w.kernel, spatial, 1); err != nil {
		return w, err
	}
	if err := SpatialInts(c, "strides", w.strides, spatial, 1); err != nil {
		return w, err
	}
	if err := SpatialInts(c, "dilations", w.dilations, spatial, 1); err != nil {
		return w, err
	}
	return w, SpatialInts(c, "pads", w.pads, 2*spatial, 0)
}

func AutoPad(c *op.Call) (autoPad, error) {
	switch s := c.Str("auto_pad", "NOTSET"); s {
	case "NOTSET", "":
		return PadExplicit, nil
	case "SAME_UPPER", "SAME_LOWER":
		return padSame, nil
	case "VALID":
		return padValid, nil
	default:
		return PadExplicit, c.Errorf(op.CodeAttribute, "auto_pad %q is not one of NOTSET, SAME_UPPER, SAME_LOWER, VALID", s)
	}
}

// SpatialInts checks a list of numbers of spatial axes: how many there are,
// unless want is negative, and the least that each may be.
func SpatialInts(c *op.Call, name string, list []int64, want int, least int64) error {
	if list == nil {
		return nil
	}
	if want >= 0 && len(list) != want {
		return c.Errorf(op.CodeAttribute, "%s has %d numbers, the spatial axes need %d", name, len(list), want)
	}
	for _, n := range list {
		if n < least {
			return c.Errorf(op.CodeAttribute, "%s holds %d, the least allowed is %d", name, n, least)
		}
	}
	return nil
}

// refuseTwoPaddings is the rule of convolutions that pads can't be used with
// auto_pad. Zeros beside VALID or SAME_* say nothing and pass.
func refuseTwoPaddings(c *op.Call, w *window) error {
	if w.auto == PadExplicit {
		return nil
	}
	for _, p := range w.pads {
		if p != 0 {
			return c.Errorf(op.CodeAttribute, "pads can't be used together with auto_pad")
		}
	}
	return nil
}

func (w *window) stride(i int) int64 {
	if i < len(w.strides) {
		return w.strides[i]
	}
	return 1
}

func (w *window) dilation(i int) int64 {
	if i < len(w.dilations) {
		return w.dilations[i]
	}
	return 1
}

// padding is what is added before and after axis i; none where auto_pad rules.
func (w *window) padding(i int) (begin, end int64) {
	if w.auto != PadExplicit || w.pads == nil {
		return 0, 0
	}
	return w.pads[i], w.pads[len(w.pads)/2+i]
}

// extent is what a kernel covers with its dilation: (kernel - 1)*dilation + 1.
func (w *window) extent(kernel dim.Dim, i int) dim.Dim {
	if w.dilation(i) == 1 {
		return kernel
	}
	return dim.Add(dim.Mul(dim.Sub(kernel, dim.Int(1)), dim.Int(w.dilation(i))), dim.Int(1))
}

// positions is how many positions the kernel takes along spatial axis i of
// size in: the output's dim there.
//
// SAME_*: ceil(in/stride). Else floor((in + pads - extent)/stride) + 1, or the
// ceiling with ceil_mode, where windows that would start in the padding at the
// end are left out: only ceil((in + pad_begin)/stride) start before it. The
// text says so since opset 22; runtimes do it for every version, and they
// honour ceil_mode with VALID too.
func (w *window) positions(in, kernel dim.Dim, i int) dim.Dim {
	stride := dim.Int(w.stride(i))
	if w.auto == padSame {
		return dim.CeilDiv(in, stride)
	}
	begin, end := w.padding(i)
	extent := w.extent(kernel, i)
	room := dim.Sub(dim.Sum(in, dim.Int(begin), dim.Int(end)), extent)
	if !w.ceil {
		return w.whole(room, stride)
	}
	n := dim.Add(dim.CeilDiv(room, stride), dim.Int(1))
	if e, ok := extent.Int(); ok && w.stride(i) > e-end {
		n = dim.Min(n, dim.CeilDiv(dim.Add(in, dim.Int(begin)), stride))
	}
	return n
}

// whole is floor(room/stride) + 1. For pools the runtimes, and the standard's
// own inference, round the quotient towards zero instead: a window that juts
// out by less than a stride gives one element where the text gives none. PP-OCR
// models pool images of height 1 by windows of 2 and rely on it. In letters
// that is a maximum with 1, unless the window fits whatever the symbols are.
// It does not hold of sizes at which the window juts out by a stride or more,
// where runtimes give nothing: the exact term, max(floor(q), min(ceil(q), 0)) + 1,
// doubles from pool to pool.
func (w *window) whole(room, stride dim.Dim) dim.Dim {
	n := dim.Add(dim.FloorDiv(room, stride), dim.Int(1))
	if !w.pool {
		return n
	}
	if r, ok := room.Int(); ok {
		if s, _ := stride.Int(); r < 0 {
			return dim.Int(r/s + 1)
		}
		return n
	}
	if low, ok := room.Lower(); n.IsKnown() && (!ok || low < 0) && !dim.Equal(stride, dim.Int(1)) {
		return dim.Max(n, dim.Int(1))
	}
	return n
}

// Slide fills out with the positions along each spatial axis; kernel gives the
// kernel's size by axis. A kernel that is larger than the padded input is an
// error, for a pool when nothing of the output is left.
func Slide(c *op.Call, w *window, in, kernel, out []dim.Dim) error {
	for i := range out {
		extent := w.extent(kernel[i], i)
		if !extent.IsKnown() && kernel[i].IsKnown() {
			return c.Errorf(op.CodeAttribute, "kernel %s with dilation %d exceeds 64 bits", kernel[i], w.dilation(i))
		}
		if begin, end := w.padding(i); begin > math.MaxInt64-end {
			return c.Errorf(op.CodeAttribute, "pads %d and %d together exceed 64 bits", begin, end)
		}
		out[i] = w.positions(in[i], kernel[i], i)
		if n, ok := out[i].Int(); ok && (n < 0 || n == 0 && !w.pool) {
			return c.Errorf(op.CodeShape, "a window of %s does not fit into spatial axis %d of size %s and its padding", extent, i, in[i])
		}
	}
	return nil
}
