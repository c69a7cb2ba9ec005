package vision

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// NonMaxSuppression: https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html
// 11: the optional inputs' defaults are spelled out.
var nonMaxSuppressionOps = []op.Op{
	{Name: "NonMaxSuppression", Versions: []int{10, 11}, Infer: nonMaxSuppression},
}

// nonMaxSuppression selects boxes [batch, boxes, 4] by scores [batch, classes,
// boxes]: one triple of batch, class and box each, at most
// max_output_boxes_per_class for each class of each batch.
func nonMaxSuppression(c *op.Call) error {
	boxes, scores := c.Shape(0), c.Shape(1)
	c.Set(0, onnxgraph.Int64, tensor.MakeShape(dim.Unknown(), dim.Int(3)))
	for _, s := range []tensor.Shape{boxes, scores} {
		if s.Ranked() && s.Rank() != 3 {
			return c.Errorf(op.CodeRank, "boxes %s and scores %s must be of rank 3", boxes, scores)
		}
	}
	if n, ok := boxes.At(2).Int(); ok && n != 4 {
		return c.Errorf(op.CodeShape, "boxes %s have %d coordinates each, not 4", boxes, n)
	}
	batch, ok := op.MergeDims(boxes.At(0), scores.At(0))
	count, fits := op.MergeDims(boxes.At(1), scores.At(2))
	if !ok || !fits {
		return c.Errorf(op.CodeShape, "boxes %s and scores %s do not fit", boxes, scores)
	}
	most := count
	switch {
	case !c.Has(2):
		most = dim.Int(0) // the default: nothing is selected
	case c.Number(2).IsKnown():
		most = dim.Max(c.Number(2), dim.Int(0))
		if count.IsKnown() {
			most = dim.Min(most, count)
		}
	}
	upper := tensor.MakeShape(batch, scores.At(1), most).Elements()
	selected := upper
	if !op.IsZeroDim(upper) {
		selected = c.NewSymbol(0, 0, 0, upper)
	}
	c.Set(0, onnxgraph.Int64, tensor.MakeShape(selected, dim.Int(3)))
	return nil
}
