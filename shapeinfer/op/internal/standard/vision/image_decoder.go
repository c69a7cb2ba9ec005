package vision

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds ImageDecoder.
//
// ImageDecoder: https://onnx.ai/onnx/operators/onnx__ImageDecoder.html
// 20: an encoded image becomes H x W x channels of UINT8; 0 x 0 where it can't
// be decoded.
var imageDecoderOps = []op.Op{
	{Name: "ImageDecoder", Versions: []int{20}, Infer: imageDecoder},
}

func imageDecoder(c *op.Call) error {
	channels := int64(3)
	switch format := c.Str("pixel_format", "RGB"); format {
	case "RGB", "BGR":
	case "Grayscale":
		channels = 1
	default:
		return c.Errorf(op.CodeAttribute, "pixel_format %q is not one of RGB, BGR, Grayscale", format)
	}
	if stream := c.Shape(0); stream.Ranked() && stream.Rank() != 1 {
		return c.Errorf(op.CodeRank, "encoded stream %s is not a vector", stream)
	}
	c.Set(0, onnxgraph.Uint8, tensor.MakeShape(
		c.NewSymbol(0, 0, 0, dim.Unknown()), c.NewSymbol(0, 1, 0, dim.Unknown()), dim.Int(channels)))
	return nil
}
