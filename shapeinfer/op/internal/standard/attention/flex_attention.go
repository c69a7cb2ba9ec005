package attention

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds FlexAttention of the preview domain.
//
// FlexAttention: https://onnx.ai/onnx/operators/onnx_aionnxpreview_FlexAttention.html
// 1: Q, K, V of rank 4; the bodies score_mod and prob_mod change the scores
// and the probabilities, batch x heads x queries x keys, and keep their shape.
var flexAttentionOps = []op.Op{
	{Domain: op.DomainPreview, Name: "FlexAttention", Versions: []int{1}, Infer: flexAttention, MACs: flexAttentionMACs},
}

func flexAttention(c *op.Call) error {
	c.Set(0, c.DType(0), tensor.RankOnly(4))
	h, err := flexHeads(c)
	if err != nil {
		return err
	}
	c.Set(0, c.DType(0), tensor.MakeShape(h.Batch, h.QueryHeads, h.Queries, h.ValueSize))
	precision := onnxgraph.Float
	if c.DType(0) == onnxgraph.Double {
		precision = onnxgraph.Double
	}
	scores := tensor.Of(c.DTypeAttr("softmax_precision", precision),
		tensor.MakeShape(h.Batch, h.QueryHeads, h.Queries, h.Keys))
	for _, body := range []string{"score_mod", "prob_mod"} {
		if err := flexBody(c, body, scores); err != nil {
			return err
		}
	}
	return nil
}

func flexHeads(c *op.Call) (*Heads, error) {
	for i := range 3 {
		if s := c.Shape(i); s.Ranked() && s.Rank() != 4 {
			return nil, c.Errorf(op.CodeRank, "input %d has shape %s, not rank 4", i, s)
		}
	}
	h := &Heads{}
	separateHeads(c, h)
	k, v := c.Shape(attentionK), c.Shape(attentionV)
	for _, fact := range []struct {
		what  string
		into  *dim.Dim
		other dim.Dim
	}{
		{"head size of Q and K", &h.HeadSize, k.At(3)},
		{"heads of K and V", &h.KeyHeads, v.At(1)},
		{"length of K and V", &h.Keys, v.At(2)},
		{"batch size of Q and K", &h.Batch, k.At(0)},
		{"batch size of Q and V", &h.Batch, v.At(0)},
	} {
		if err := c.MergeSize(fact.what, fact.into, fact.other); err != nil {
			return nil, err
		}
	}
	if n, ok := h.QueryHeads.Int(); ok {
		if m, ok := h.KeyHeads.Int(); ok && (m == 0 || n%m != 0) {
			return nil, c.Errorf(op.CodeShape, "%d heads of K and V do not divide the %d of Q", m, n)
		}
	}
	h.Total = h.Keys
	return h, nil
}

// flexBody infers a body that must keep the type of its one input.
func flexBody(c *op.Call, attr string, t tensor.Type) error {
	if !c.HasAttr(attr) {
		return nil
	}
	if n := c.Engine.SubgraphInputs(attr); n != 1 {
		return c.Errorf(op.CodeSubgraph, "%s has %d inputs, not 1", attr, n)
	}
	outputs, err := c.Engine.InferSubgraph(attr, []tensor.Fact{{Type: t}})
	if err != nil {
		return err
	}
	if len(outputs) != 1 {
		return c.Errorf(op.CodeSubgraph, "%s has %d outputs, not 1", attr, len(outputs))
	}
	got := outputs[0].Type
	if got.DType != onnxgraph.Undefined && t.DType != onnxgraph.Undefined && got.DType != t.DType {
		return c.Errorf(op.CodeSubgraph, "%s makes %s of %s", attr, got, t)
	}
	if !got.Shape.Ranked() {
		return nil
	}
	if got.Shape.Rank() != t.Shape.Rank() {
		return c.Errorf(op.CodeSubgraph, "%s makes %s of %s", attr, got, t)
	}
	for i, d := range got.Shape.Dims() {
		if _, ok := op.MergeDims(d, t.Shape.At(i)); !ok {
			return c.Errorf(op.CodeSubgraph, "%s makes %s of %s", attr, got, t)
		}
	}
	return nil
}

func flexAttentionMACs(c *op.Call) dim.Dim {
	h, err := flexHeads(c)
	if err != nil {
		return dim.Unknown()
	}
	return h.Macs()
}
