package signal

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the Fourier transforms. The last axis is 1 for real numbers,
// 2 for complex ones.
//
// DFT: https://onnx.ai/onnx/operators/onnx__DFT.html
// 17: attribute axis, default 1; 20: input axis, default -2.
//
// STFT: https://onnx.ai/onnx/operators/onnx__STFT.html
// 17: onesided is 1 when absent.
var fourierOps = []op.Op{
	{Name: "DFT", Versions: []int{17}, Infer: dftAxisAttribute},
	{Name: "DFT", Versions: []int{20}, Infer: dftAxisInput},
	{Name: "STFT", Versions: []int{17}, Infer: stft},
}

func dftAxisAttribute(c *op.Call) error { return dft(c, c.Int("axis", 1)) }

func dftAxisInput(c *op.Call) error {
	if !c.Has(2) {
		return dft(c, -2)
	}
	if axis := c.Shape(2); axis.Ranked() && axis.Rank() != 0 && !isOne(axis) {
		return c.Errorf(op.CodeRank, "axis %s is not a scalar", axis)
	}
	axis, ok := c.Ints(2)
	if !ok || len(axis) != 1 {
		return dftSomeAxis(c)
	}
	return dft(c, axis[0])
}

// isOne reports whether a shape is that of a vector of one element, which
// exports write where a scalar is meant.
func isOne(s tensor.Shape) bool {
	n, ok := s.At(0).Int()
	return s.Rank() == 1 && (!ok || n == 1)
}

// dftParts is the output's last axis: real after the inverse of a one-sided
// spectrum, else complex.
func dftParts(c *op.Call) dim.Dim {
	if c.Flag("onesided", false) && c.Flag("inverse", false) {
		return dim.Int(1)
	}
	return dim.Int(2)
}

// dftSomeAxis is the transform along an axis that the run decides: an axis is
// known where the transform would leave its size as it is.
func dftSomeAxis(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	c.Unknown(0, "the value of axis is unknown")
	if !x.Ranked() || x.Rank() < 2 {
		return nil
	}
	out := x.Clone()
	for i := range out[:x.Rank()-1] {
		length, err := dftSize(c, out[i])
		if err != nil {
			return err
		}
		if !dim.Equal(length, out[i]) {
			out[i] = dim.Unknown()
		}
	}
	out[x.Rank()-1] = dftParts(c)
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// dft sets the output: the axis gets dft_length (default its size, or 2*(size -
// 1) for the inverse of a one-sided spectrum), and floor(dft_length/2) + 1 of
// it where the spectrum is one-sided.
func dft(c *op.Call, axis int64) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if !x.Ranked() {
		c.Unknown(0, "the rank of the input is unknown")
		return nil
	}
	if x.Rank() < 2 {
		return c.Errorf(op.CodeRank, "input %s has no signal axis before that of real and imaginary part", x)
	}
	at, err := c.Axis(axis, x.Rank())
	if err != nil {
		return err
	}
	if at == x.Rank()-1 {
		return c.Errorf(op.CodeAttribute, "axis %d is that of real and imaginary part", axis)
	}
	onesided, inverse := c.Flag("onesided", false), c.Flag("inverse", false)
	if err := dftInput(c, x, onesided, inverse); err != nil {
		return err
	}
	length, err := dftSize(c, x.At(at))
	if err != nil {
		return err
	}
	out := x.Clone()
	out[at], out[x.Rank()-1] = length, dftParts(c)
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	if !length.IsKnown() {
		c.Unknown(0, "the value of dft_length is unknown")
	}
	return nil
}

func dftInput(c *op.Call, x tensor.Shape, onesided, inverse bool) error {
	parts, ok := x.At(-1).Int()
	switch {
	case !ok:
	case parts != 1 && parts != 2:
		return c.Errorf(op.CodeShape, "the last axis of %s is neither 1, real, nor 2, complex", x)
	case onesided && !inverse && parts == 2:
		return c.Errorf(op.CodeShape, "a one-sided transform needs real input, not %s", x)
	case onesided && inverse && parts == 1:
		return c.Errorf(op.CodeShape, "the inverse of a one-sided spectrum needs complex input, not %s", x)
	}
	return nil
}

// dftSize is what becomes of an axis of that size.
func dftSize(c *op.Call, size dim.Dim) (dim.Dim, error) {
	onesided, inverse := c.Flag("onesided", false), c.Flag("inverse", false)
	length, err := dftLength(c, size, onesided && inverse)
	if onesided && !inverse {
		length = oneSided(length)
	}
	return length, err
}

func dftLength(c *op.Call, size dim.Dim, real bool) (dim.Dim, error) {
	if !c.Has(1) {
		if real {
			return dim.Mul(dim.Int(2), dim.Sub(size, dim.Int(1))), nil
		}
		return size, nil
	}
	length, err := scalarInput(c, 1, "dft_length")
	if n, ok := length.Int(); ok && n < 1 {
		return length, c.Errorf(op.CodeValue, "dft_length is %d", n)
	}
	return length, err
}

// scalarInput is the integer in an input that must be a scalar, or a vector of
// one element.
func scalarInput(c *op.Call, slot int, what string) (dim.Dim, error) {
	if s := c.Shape(slot); s.Ranked() && s.Rank() != 0 && !isOne(s) {
		return dim.Unknown(), c.Errorf(op.CodeRank, "%s %s is not a scalar", what, s)
	}
	if v, ok := c.Dims(slot); ok && len(v) == 1 {
		return v[0], nil
	}
	return dim.Unknown(), nil
}

// oneSided is how many frequencies of a real signal differ.
func oneSided(length dim.Dim) dim.Dim {
	return dim.Add(dim.FloorDiv(length, dim.Int(2)), dim.Int(1))
}

// stft: signal B x L x 1 or 2, frame_step, window, frame_length; the output is
// B x frames x bins x 2 with frames = floor((L - frame_length)/frame_step) + 1
// and bins = frame_length or, one-sided, floor(frame_length/2) + 1.
func stft(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.RankOnly(4))
	if x.Ranked() && x.Rank() != 3 {
		return c.Errorf(op.CodeRank, "signal %s is not batch x length x parts", x)
	}
	if n, ok := x.At(2).Int(); ok && n != 1 && n != 2 {
		return c.Errorf(op.CodeShape, "signal %s has %d parts: 1 is real and 2 are complex", x, n)
	}
	step, err := scalarInput(c, 1, "frame_step")
	if err != nil {
		return err
	}
	if n, ok := step.Int(); ok && n < 1 {
		return c.Errorf(op.CodeValue, "frame_step is %d", n)
	}
	frame, err := frameLength(c, x.At(1))
	if err != nil {
		return err
	}
	bins := frame
	if c.Flag("onesided", true) {
		if n, ok := x.At(2).Int(); ok && n == 2 {
			return c.Errorf(op.CodeShape, "a one-sided transform needs a real signal, not %s", x)
		}
		bins = oneSided(frame)
	}
	frames := dim.Add(dim.FloorDiv(dim.Sub(x.At(1), frame), step), dim.Int(1))
	if n, ok := frames.Int(); ok && n < 0 {
		return c.Errorf(op.CodeShape, "frames of %s are longer than the signal %s", frame, x)
	}
	c.Set(0, c.DType(0), tensor.MakeShape(x.At(0), frames, bins, dim.Int(2)))
	if !frame.IsKnown() || !step.IsKnown() {
		c.Unknown(0, "the values of frame_step or frame_length are unknown")
	}
	return nil
}

// frameLength is the input frame_length, else the length of the window, else
// that of the signal.
func frameLength(c *op.Call, signal dim.Dim) (dim.Dim, error) {
	window := c.Shape(2)
	if window.Ranked() && window.Rank() != 1 {
		return dim.Unknown(), c.Errorf(op.CodeRank, "window %s is not a vector", window)
	}
	if !c.Has(3) {
		if c.Has(2) {
			return window.At(0), nil
		}
		return signal, nil
	}
	frame, err := scalarInput(c, 3, "frame_length")
	if err != nil {
		return frame, err
	}
	if n, ok := frame.Int(); ok && n < 1 {
		return frame, c.Errorf(op.CodeValue, "frame_length is %d", n)
	}
	return frame, c.MergeSize("frame_length and window", &frame, window.At(0))
}
