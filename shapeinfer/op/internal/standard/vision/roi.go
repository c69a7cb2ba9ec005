package vision

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/nn"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the pools over regions of interest: one output image of
// fixed size per region.
//
// MaxRoiPool: https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html
// rois are num_rois x 5; 22: bfloat16.
//
// RoiAlign: https://onnx.ai/onnx/operators/onnx__RoiAlign.html
// rois are num_rois x 4 beside batch_indices; 16:
// coordinate_transformation_mode; 22: bfloat16.
var roiOps = []op.Op{
	{Name: "MaxRoiPool", Versions: []int{1, 22}, Infer: maxRoiPool},
	{Name: "RoiAlign", Versions: []int{10, 16, 22}, Infer: roiAlign},
}

func maxRoiPool(c *op.Call) error {
	size := c.IntList("pooled_shape")
	if err := nn.SpatialInts(c, "pooled_shape", size, 2, 1); err != nil {
		return err
	}
	height, width := dim.Unknown(), dim.Unknown()
	if size != nil {
		height, width = dim.Int(size[0]), dim.Int(size[1])
	}
	return RoiPool(c, 5, dim.Unknown(), height, width)
}

func roiAlign(c *op.Call) error {
	height, width := c.Int("output_height", 1), c.Int("output_width", 1)
	if height < 1 || width < 1 {
		return c.Errorf(op.CodeAttribute, "output size %d x %d", height, width)
	}
	indices := c.Shape(2)
	if indices.Ranked() && indices.Rank() != 1 {
		return c.Errorf(op.CodeRank, "batch_indices of shape %s is not a vector", indices)
	}
	return RoiPool(c, 4, indices.At(0), dim.Int(height), dim.Int(width))
}

// RoiPool sets output 0 to num_rois x C x height x width. rois are num_rois x
// columns; regions is what else is known of num_rois.
func RoiPool(c *op.Call, columns int64, regions, height, width dim.Dim) error {
	x, rois := c.Shape(0), c.Shape(1)
	c.Set(0, c.DType(0), tensor.RankOnly(4))
	if x.Ranked() && x.Rank() != 4 {
		return c.Errorf(op.CodeRank, "input %s is not N x C x H x W", x)
	}
	if rois.Ranked() && rois.Rank() != 2 {
		return c.Errorf(op.CodeRank, "rois %s is not a matrix", rois)
	}
	if err := c.SameSize("columns of rois", rois.At(1), dim.Int(columns)); err != nil {
		return err
	}
	n, ok := op.MergeDims(rois.At(0), regions)
	if !ok {
		return c.Errorf(op.CodeShape, "%s rois but %s batch_indices", rois.At(0), regions)
	}
	c.Set(0, c.DType(0), tensor.MakeShape(n, x.At(1), height, width))
	return nil
}
