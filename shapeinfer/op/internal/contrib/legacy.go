package contrib

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/movement"
	"onnxmem/shapeinfer/tensor"
)

// This file holds what ONNX Runtime adds to the default domain beside
// normalisations: experimental operators of the first versions, which ONNX
// withdrew by version 10, copies between devices, and TensorRT's plugins
// (onnxruntime/core/graph/contrib_ops/onnx_deprecated_operators.cc and
// contrib_defs.cc).
var contribLegacyOps = []op.Op{
	{Name: "Affine", Versions: []int{1, 10}, Infer: op.LikeFirst, Deprecated: true, Elementwise: true},
	{Name: "Crop", Versions: []int{1, 10}, Infer: crop, Deprecated: true, Effect: op.Moves},
	{Name: "DynamicSlice", Versions: []int{1, 10}, Infer: movement.Slice10, Deprecated: true, Effect: op.Moves},
	{Name: "GRUUnit", Versions: []int{1, 10}, Infer: op.LikeFirst, Deprecated: true},
	{Name: "GivenTensorFill", Versions: []int{1, 10}, Infer: givenTensorFill, Deprecated: true, Effect: op.Moves},
	{Name: "ImageScaler", Versions: []int{1, 10}, Infer: op.LikeFirst, Deprecated: true, Elementwise: true},
	{Name: "MeanVarianceNormalization", Versions: []int{1}, Infer: op.LikeFirst},
	{Name: "ParametricSoftplus", Versions: []int{1, 10}, Infer: op.LikeFirst, Deprecated: true, Elementwise: true},
	{Name: "Scale", Versions: []int{1, 10}, Infer: op.LikeFirst, Deprecated: true, Elementwise: true},
	{Name: "ScaledTanh", Versions: []int{1, 10}, Infer: op.LikeFirst, Deprecated: true, Elementwise: true},
	{Name: "ThresholdedRelu", Versions: []int{1}, Infer: op.LikeFirst, Elementwise: true},

	{Name: "MemcpyFromHost", Versions: []int{1}, Infer: op.LikeFirst, Effect: op.Keeps},
	{Name: "MemcpyToHost", Versions: []int{1}, Infer: op.LikeFirst, Effect: op.Keeps},

	{Name: "DisentangledAttention_TRT", Versions: []int{1}, Infer: op.LikeFirst},
	{Name: "EfficientNMS_TRT", Versions: []int{1}, Infer: efficientNMS},
	{Name: "MultilevelCropAndResize_TRT", Versions: []int{1}, Infer: multilevelCrop},
	{Name: "PyramidROIAlign_TRT", Versions: []int{1}, Infer: multilevelCrop},
}

// crop cuts the borders left, top, right, bottom off N x C x H x W; with scale,
// height and width, it keeps that much from the left top border on.
func crop(c *op.Call) error {
	x, d := c.Shape(0), c.DType(0)
	c.Set(0, d, tensor.RankOnly(4))
	if err := c.CheckRank(0, "input", 4); err != nil {
		return err
	}
	border, scale := c.IntList("border"), c.IntList("scale")
	if border == nil {
		border = make([]int64, 4)
	}
	if len(border) != 4 || len(scale) != 0 && len(scale) != 2 {
		return c.Errorf(op.CodeAttribute, "border has %d numbers, scale %d", len(border), len(scale))
	}
	height := dim.Sub(x.At(2), dim.Add(dim.Int(border[1]), dim.Int(border[3])))
	width := dim.Sub(x.At(3), dim.Add(dim.Int(border[0]), dim.Int(border[2])))
	if len(scale) == 2 {
		height, width = dim.Int(scale[0]), dim.Int(scale[1])
	}
	c.Set(0, d, tensor.MakeShape(x.At(0), x.At(1), height, width))
	return nil
}

// givenTensorFill takes its type from input 0, and its shape from the attribute
// or from input 0 with extra_shape behind it.
func givenTensorFill(c *op.Call) error {
	d := c.DType(0)
	c.Set(0, d, tensor.Shape{})
	if shape := c.IntList("shape"); shape != nil && !c.Has(0) {
		c.Set(0, d, tensor.IntShape(shape...))
		return nil
	}
	extra := op.IntDims(c.IntList("extra_shape"))
	if !c.Flag("input_as_shape", false) {
		if x := c.Shape(0); x.Ranked() {
			c.Set(0, d, tensor.MakeShape(append(x.Clone(), extra...)...))
		}
		return nil
	}
	sizes, n, err := c.Sizes(0, "shape")
	if err != nil || n < 0 {
		return err
	}
	c.Set(0, d, tensor.MakeShape(slices.Concat(sizes, extra)...))
	return nil
}

// efficientNMS: for every image the number of detections, and room for
// max_output_boxes boxes, scores and classes.
func efficientNMS(c *op.Call) error {
	batch, room := c.Shape(0).At(0), dim.Int(c.Int("max_output_boxes", 100))
	c.Set(0, onnxgraph.Int32, tensor.MakeShape(batch, dim.Int(1)))
	c.Set(1, c.DType(0), tensor.MakeShape(batch, room, dim.Int(4)))
	c.Set(2, c.DType(0), tensor.MakeShape(batch, room))
	c.Set(3, onnxgraph.Int32, tensor.MakeShape(batch, room))
	return nil
}

// multilevelCrop: boxes are batch x regions x 4, the output batch x regions x C
// x pooled_size x pooled_size.
func multilevelCrop(c *op.Call) error {
	if err := c.CheckRank(0, "boxes", 3); err != nil {
		return err
	}
	boxes, size := c.Shape(0), dim.Int(c.Int("pooled_size", 7))
	c.Set(0, c.DType(0), tensor.MakeShape(boxes.At(0), boxes.At(1), c.Shape(1).At(1), size, size))
	return nil
}
