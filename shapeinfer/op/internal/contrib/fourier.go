package contrib

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the Fourier transforms of com.microsoft. They transform the
// last axis of reals into n/2 + 1 complex numbers, of which the real and the
// imaginary part are a new last axis, and back
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribFourierOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "ComplexMul", Versions: []int{1}, Infer: complexMul},
	{Domain: op.DomainMicrosoft, Name: "ComplexMulConj", Versions: []int{1}, Infer: complexMul},
	{Domain: op.DomainMicrosoft, Name: "Irfft", Versions: []int{1}, Infer: irfft},
	{Domain: op.DomainMicrosoft, Name: "Rfft", Versions: []int{1}, Infer: rfft},
}

// complexMul: the last axis of both operands is the two parts of a number.
func complexMul(c *op.Call) error {
	for i := range 2 {
		if err := complexParts(c, c.Shape(i)); err != nil {
			return err
		}
	}
	return setBroadcast(c, c.DType(0), c.Shape(0), c.Shape(1))
}

// complexParts checks that the last axis of complex numbers has two entries.
func complexParts(c *op.Call, x tensor.Shape) error {
	return c.SameSize("real and imaginary part on the last axis", x.At(-1), dim.Int(2))
}

func rfft(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if !x.Ranked() {
		return nil
	}
	if err := signalAxes(c, x.Rank()); err != nil {
		return err
	}
	out := append(x.Clone(), dim.Int(2))
	out[len(out)-2] = dim.Add(dim.FloorDiv(x.At(-1), dim.Int(2)), dim.Int(1))
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// irfft: m complex numbers are 2*(m - 1) reals.
func irfft(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.Shape{})
	if !x.Ranked() {
		return nil
	}
	if err := signalAxes(c, x.Rank()-1); err != nil {
		return err
	}
	if err := complexParts(c, x); err != nil {
		return err
	}
	out := x.Clone()[:x.Rank()-1]
	out[len(out)-1] = dim.Mul(dim.Sub(x.At(-2), dim.Int(1)), dim.Int(2))
	if n, ok := out[len(out)-1].Int(); ok && n < 1 {
		return c.Errorf(op.CodeShape, "%s holds the transform of no signal", x)
	}
	c.Set(0, c.DType(0), tensor.MakeShape(out...))
	return nil
}

// signalAxes checks that signal_ndim axes are there.
func signalAxes(c *op.Call, have int) error {
	if n := c.Int("signal_ndim", 1); n < 1 || n > int64(have) {
		return c.Errorf(op.CodeAttribute, "signal_ndim is %d, the input has %d axes", n, have)
	}
	return nil
}
