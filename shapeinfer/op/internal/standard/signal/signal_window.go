package signal

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/generate"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the generators of weights for signals.
//
// HannWindow, HammingWindow, BlackmanWindow:
// https://onnx.ai/onnx/operators/onnx__HannWindow.html (17)
//
// MelWeightMatrix: https://onnx.ai/onnx/operators/onnx__MelWeightMatrix.html (17)
var signalWindowOps = []op.Op{
	{Name: "HannWindow", Versions: []int{17}, Infer: signalWindow},
	{Name: "HammingWindow", Versions: []int{17}, Infer: signalWindow},
	{Name: "BlackmanWindow", Versions: []int{17}, Infer: signalWindow},
	{Name: "MelWeightMatrix", Versions: []int{17}, Infer: melWeightMatrix},
}

// signalWindow is a vector as long as its input says.
func signalWindow(c *op.Call) error {
	d, err := c.ElementType("output_datatype", onnxgraph.Float)
	if err != nil {
		return err
	}
	c.Set(0, d, tensor.RankOnly(1))
	size, err := sizeInput(c, 0, "size")
	if err != nil {
		return err
	}
	if op.IsZeroDim(size) {
		return c.Errorf(op.CodeValue, "a window of 0 elements")
	}
	c.Set(0, d, tensor.MakeShape(generate.OrFresh(c, []dim.Dim{size})...))
	return nil
}

// melWeightMatrix has a row per frequency of the one-sided DFT, floor(n/2) + 1
// of a length of n, and a column per band.
func melWeightMatrix(c *op.Call) error {
	d, err := c.ElementType("output_datatype", onnxgraph.Float)
	if err != nil {
		return err
	}
	c.Set(0, d, tensor.RankOnly(2))
	bands, err := sizeInput(c, 0, "num_mel_bins")
	if err != nil {
		return err
	}
	length, err := sizeInput(c, 1, "dft_length")
	if err != nil {
		return err
	}
	rows := dim.Add(dim.FloorDiv(length, dim.Int(2)), dim.Int(1))
	c.Set(0, d, tensor.MakeShape(generate.OrFresh(c, []dim.Dim{rows, bands})...))
	return nil
}

// sizeInput is the size in a scalar input, unknown where that is not known.
func sizeInput(c *op.Call, i int, what string) (dim.Dim, error) {
	if n, ok := c.Shape(i).Elements().Int(); ok && n != 1 {
		return dim.Unknown(), c.Errorf(op.CodeShape, "%s must be a scalar, but has shape %s", what, c.Shape(i))
	}
	size := c.Scalar(i).Num
	if n, ok := size.Int(); ok && n < 0 {
		return size, c.Errorf(op.CodeValue, "%s is %d", what, n)
	}
	return size, nil
}
