package nn

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the losses of classifications: scores N x C x d1 ... dk, labels
// N x d1 ... dk, weights C.
//
// NegativeLogLikelihoodLoss:
// https://onnx.ai/onnx/operators/onnx__NegativeLogLikelihoodLoss.html
// 12, 13; 22: bfloat16.
//
// SoftmaxCrossEntropyLoss:
// https://onnx.ai/onnx/operators/onnx__SoftmaxCrossEntropyLoss.html
// 12; 13: bfloat16. The second output has the shape of the scores.
var lossOps = []op.Op{
	{Name: "NegativeLogLikelihoodLoss", Versions: []int{12, 13, 22}, Infer: classificationLoss},
	{Name: "SoftmaxCrossEntropyLoss", Versions: []int{12, 13}, Infer: softmaxCrossEntropyLoss},
}

func softmaxCrossEntropyLoss(c *op.Call) error {
	c.Set(1, c.DType(0), c.Shape(0))
	return classificationLoss(c)
}

func classificationLoss(c *op.Call) error {
	each, err := lossOfEach(c)
	if err != nil {
		return err
	}
	switch reduction := c.Str("reduction", "mean"); reduction {
	case "none":
		c.Set(0, lossDType(c), each)
	case "mean", "sum":
		c.Set(0, lossDType(c), tensor.ScalarShape())
	default:
		return c.Errorf(op.CodeAttribute, "reduction is %q, not none, mean or sum", reduction)
	}
	return nil
}

func lossDType(c *op.Call) onnxgraph.DType {
	if d := c.DType(0); d != onnxgraph.Undefined {
		return d
	}
	return c.DType(2)
}

// lossOfEach is the shape N x d1 ... dk of the losses before they are reduced.
func lossOfEach(c *op.Call) (tensor.Shape, error) {
	scores, labels, weights := c.Shape(0), c.Shape(1), c.Shape(2)
	if !scores.Ranked() {
		return labels, nil
	}
	if scores.Rank() < 2 {
		return labels, c.Errorf(op.CodeRank, "the scores %s have no classes: their rank is below 2", scores)
	}
	if weights.Ranked() {
		if weights.Rank() != 1 {
			return labels, c.Errorf(op.CodeRank, "the weights must be a vector, but have shape %s", weights)
		}
		if _, ok := op.MergeDims(weights.At(0), scores.At(1)); !ok {
			return labels, c.Errorf(op.CodeShape, "%s weights for %s classes", weights.At(0), scores.At(1))
		}
	}
	dims := append(scores.Clone()[:1], scores.Dims()[2:]...)
	each, err := c.MergeShapes(tensor.MakeShape(dims...), labels)
	if err != nil {
		return labels, c.Errorf(op.CodeShape, "labels %s do not fit scores %s", labels, scores)
	}
	return each, nil
}
