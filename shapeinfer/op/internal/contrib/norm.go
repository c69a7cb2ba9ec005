package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/nn"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the normalisations of com.microsoft, and those that ONNX
// Runtime adds to the default domain: LayerNormalization before opset 17 has
// it, and SimplifiedLayerNormalization, which is RMSNormalization
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md,
// onnxruntime/core/graph/contrib_ops/contrib_defs.cc).
var contribNormOps = []op.Op{
	{Name: "LayerNormalization", Versions: []int{1}, Infer: layerNormContrib, Roles: op.ScaleAndShift, Normalizes: true},
	{Name: "SimplifiedLayerNormalization", Versions: []int{1}, Infer: layerNormContrib, Roles: op.ParametersAt(1)},

	{Domain: op.DomainMicrosoft, Name: "BranchwiseRMSNorm", Versions: []int{1}, Infer: op.LikeFirst},
	{Domain: op.DomainMicrosoft, Name: "EmbedLayerNormalization", Versions: []int{1}, Infer: embedLayerNorm, Roles: op.ParametersAt(2, 3, 4, 5, 6)},
	{Domain: op.DomainMicrosoft, Name: "GatedRMSNorm", Versions: []int{1}, Infer: gatedRMSNorm},
	{Domain: op.DomainMicrosoft, Name: "GroupNorm", Versions: []int{1}, Infer: groupNormContrib, Roles: op.ParametersAt(1, 2)},
	{Domain: op.DomainMicrosoft, Name: "QEmbedLayerNormalization", Versions: []int{1}, Infer: quantizedEmbedLayerNorm, QuantizedWeights: true},
	{Domain: op.DomainMicrosoft, Name: "QOrderedLayerNormalization", Versions: []int{1}, Infer: op.LikeFirst},
	{Domain: op.DomainMicrosoft, Name: "RMSNormRotary", Versions: []int{1}, Infer: rmsNormRotary},
	{Domain: op.DomainMicrosoft, Name: "SkipGroupNorm", Versions: []int{1}, Infer: skipGroupNorm},
	{Domain: op.DomainMicrosoft, Name: "SkipLayerNormalization", Versions: []int{1}, Infer: skipLayerNorm, Roles: op.ParametersAt(2, 3, 4)},
	{Domain: op.DomainMicrosoft, Name: "SkipSimplifiedLayerNormalization", Versions: []int{1}, Infer: skipLayerNorm, Roles: op.ParametersAt(2, 3)},
}

// layerNormContrib: the output has the type of scale, input 1.
func layerNormContrib(c *op.Call) error { return nn.LayerNorm(c, c.DType(1)) }

// skipLayerNorm: the outputs are the result, mean and inverse deviation of
// every row, and the sum of input, skip and bias. skip may lack the batch.
func skipLayerNorm(c *op.Call) error {
	x, d := c.Shape(0), c.DType(0)
	c.Set(0, d, x)
	c.Set(3, d, x)
	stats := tensor.Shape{}
	if c.Wants(1) || c.Wants(2) {
		stats = op.WithLastDim(x, dim.Int(1))
	}
	c.Set(1, onnxgraph.Float, stats)
	c.Set(2, onnxgraph.Float, stats)
	if err := c.CheckRank(0, "input", 2, 3); err != nil {
		return err
	}
	if err := c.CheckBroadcast(x, c.Shape(1), "skip"); err != nil {
		return err
	}
	for i := 2; i < len(c.Inputs); i++ {
		if err := c.CheckVector(i, "gamma, beta or bias", x.At(-1)); err != nil {
			return err
		}
	}
	return nil
}

// embedLayerNorm: input_ids are batch x sequence; the output and the sum of
// the embeddings add the hidden size, mask_index is one number a batch entry.
func embedLayerNorm(c *op.Call) error {
	d := c.DType(2)
	c.Set(1, c.DType(0), tensor.RankOnly(1))
	hidden := dim.Unknown()
	for _, slot := range []int{2, 3, 4} {
		if err := c.CheckRank(slot, "embedding", 2); err != nil {
			return err
		}
		if err := c.MergeSize("hidden size of the embeddings", &hidden, c.Shape(slot).At(1)); err != nil {
			return err
		}
	}
	for _, slot := range []int{5, 6} {
		if err := c.CheckVector(slot, "gamma or beta", hidden); err != nil {
			return err
		}
	}
	return embedded(c, d, hidden)
}

// embedded sets the outputs of the embedding of input_ids, input 0.
func embedded(c *op.Call, d onnxgraph.DType, hidden dim.Dim) error {
	ids := c.Shape(0)
	if err := c.CheckRank(0, "input_ids", 2); err != nil {
		return err
	}
	shape := tensor.MakeShape(ids.At(0), ids.At(1), hidden)
	c.Set(0, d, shape)
	c.Set(1, c.DType(0), tensor.MakeShape(ids.At(0)))
	c.Set(2, d, shape)
	return nil
}

// quantizedEmbedLayerNorm: as embedLayerNorm, with quantised tables; the
// result has the type of the scales.
func quantizedEmbedLayerNorm(c *op.Call) error {
	return embedded(c, c.DType(8), c.Shape(2).At(1))
}

// gatedRMSNorm normalises each run of as many elements as scale has.
func gatedRMSNorm(c *op.Call) error {
	shape, err := c.MergeShapes(c.Shape(0), c.Shape(2))
	c.Set(0, c.DType(0), shape)
	if err != nil || !shape.Ranked() {
		return err
	}
	_, err = c.DivideEvenly("last axis by the length of scale", shape.At(-1), c.Shape(1).At(0))
	return err
}

// groupNormContrib: channels_last, N x H x W x C, is the default.
func groupNormContrib(c *op.Call) error {
	c.SetLike(0, 0)
	if err := c.CheckRank(0, "X", 4); err != nil {
		return err
	}
	channels := c.Shape(0).At(1)
	if c.Flag("channels_last", true) {
		channels = c.Shape(0).At(-1)
	}
	groups := c.Int("groups", 1)
	if groups < 1 {
		return c.Errorf(op.CodeAttribute, "groups is %d", groups)
	}
	if _, err := c.DivideEvenly("channels by groups", channels, dim.Int(groups)); err != nil {
		return err
	}
	return nn.PerChannel(c, channels)
}

// skipGroupNorm: output 1 is the sum of X, skip and bias. skip may be N x C.
func skipGroupNorm(c *op.Call) error {
	c.SetLike(1, 0)
	return groupNormContrib(c)
}

// rmsNormRotary: X is B x S x heads x stride, of whose last axis input_width
// elements count, zero for all; the output is B x S x heads*width, or with
// flatten_batch 1 x B*S x heads*width.
func rmsNormRotary(c *op.Call) error {
	x := c.Shape(0)
	d := onnxgraph.Bfloat16
	if c.Flag("output_fp16", false) {
		d = onnxgraph.Float16
	}
	c.Set(0, d, tensor.RankOnly(3))
	c.Set(1, onnxgraph.Float, tensor.RankOnly(4))
	if err := c.CheckRank(0, "X", 4); err != nil {
		return err
	}
	width := x.At(3)
	if n := c.Int("input_width", 0); n > 0 {
		width = dim.Int(n)
	}
	batch, sequence := x.At(0), x.At(1)
	if c.Flag("flatten_batch", false) {
		batch, sequence = dim.Int(1), dim.Mul(batch, sequence)
	}
	c.Set(0, d, tensor.MakeShape(batch, sequence, dim.Mul(x.At(2), width)))
	c.Set(1, onnxgraph.Float, tensor.MakeShape(x.At(0), x.At(1), x.At(2), width))
	return nil
}
