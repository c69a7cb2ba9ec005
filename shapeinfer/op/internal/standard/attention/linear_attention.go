package attention

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds LinearAttention, whose state does not grow with the
// sequence.
//
// LinearAttention: https://onnx.ai/onnx/operators/onnx__LinearAttention.html
// 27: query B x T x Hq*dk, key B x T x Hkv*dk, value B x T x Hkv*dv; the output
// is B x T x Hq*dv, the state B x Hkv x dk x dv.
var linearAttentionOps = []op.Op{
	{Name: "LinearAttention", Versions: []int{27}, Infer: linearAttention, MACs: linearAttentionMACs},
}

// Slots of LinearAttention.
const (
	LinearPast  = 3
	linearDecay = 4
	linearBeta  = 5
)

func linearAttention(c *op.Call) error {
	c.Set(0, c.DType(0), tensor.RankOnly(3))
	stateType := c.DtypeOr(LinearPast, c.DType(0))
	c.Set(1, stateType, tensor.RankOnly(4))
	h, err := linearHeads(c)
	if err != nil {
		return err
	}
	c.Set(0, c.DType(0), tensor.MakeShape(h.Batch, h.Queries, dim.Mul(h.QueryHeads, h.ValueSize)))
	c.Set(1, stateType, tensor.MakeShape(h.Batch, h.KeyHeads, h.HeadSize, h.ValueSize))
	return linearGates(c, h)
}

// linearHeads reads and compares the sizes; queries and keys are both T.
func linearHeads(c *op.Call) (*Heads, error) {
	for i, rank := range []int{3, 3, 3, 4, 3, 3} {
		if s := c.Shape(i); s.Ranked() && s.Rank() != rank {
			return nil, c.Errorf(op.CodeRank, "input %d has shape %s, not rank %d", i, s, rank)
		}
	}
	queryHeads, keyHeads := c.Int("q_num_heads", 0), c.Int("kv_num_heads", 0)
	if queryHeads < 1 || keyHeads < 1 || queryHeads%keyHeads != 0 {
		return nil, c.Errorf(op.CodeAttribute, "q_num_heads %d must be a positive multiple of kv_num_heads %d", queryHeads, keyHeads)
	}
	h := &Heads{Packed: true, QueryHeads: dim.Int(queryHeads), KeyHeads: dim.Int(keyHeads)}
	q, k, v, past := c.Shape(0), c.Shape(1), c.Shape(2), c.Shape(LinearPast)
	headSize, err := c.DivideEvenly("last axis of query by q_num_heads", q.At(2), h.QueryHeads)
	if err != nil {
		return nil, err
	}
	keySize, err := c.DivideEvenly("last axis of key by kv_num_heads", k.At(2), h.KeyHeads)
	if err != nil {
		return nil, err
	}
	valueSize, err := c.DivideEvenly("last axis of value by kv_num_heads", v.At(2), h.KeyHeads)
	if err != nil {
		return nil, err
	}
	h.Batch, h.Queries, h.HeadSize, h.ValueSize = q.At(0), q.At(1), headSize, valueSize
	for _, fact := range []struct {
		what  string
		into  *dim.Dim
		other dim.Dim
	}{
		{"key size of query and key", &h.HeadSize, keySize},
		{"batch size of query and key", &h.Batch, k.At(0)},
		{"batch size of query and value", &h.Batch, v.At(0)},
		{"length of query and key", &h.Queries, k.At(1)},
		{"length of query and value", &h.Queries, v.At(1)},
		{"batch size and past_state", &h.Batch, past.At(0)},
		{"heads and past_state", &h.KeyHeads, past.At(1)},
		{"key size and past_state", &h.HeadSize, past.At(2)},
		{"value size and past_state", &h.ValueSize, past.At(3)},
	} {
		if err := c.MergeSize(fact.what, fact.into, fact.other); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// linearGates checks decay and beta: which of both update_rule needs, and
// their last axes, Hkv*dk or Hkv, and Hkv or 1.
func linearGates(c *op.Call, h *Heads) error {
	gated, delta, ok := LinearRule(c.Str("update_rule", "gated_delta"))
	if !ok {
		return c.Errorf(op.CodeAttribute, "update_rule %q is not one of linear, gated, delta, gated_delta", c.Str("update_rule", ""))
	}
	if gated != c.Has(linearDecay) {
		return c.Errorf(op.CodeArity, "decay is for the update rules gated and gated_delta, which need it")
	}
	if delta != c.Has(linearBeta) {
		return c.Errorf(op.CodeArity, "beta is for the update rules delta and gated_delta, which need it")
	}
	if err := linearGate(c, h, "decay", linearDecay, dim.Mul(h.KeyHeads, h.HeadSize), h.KeyHeads); err != nil {
		return err
	}
	return linearGate(c, h, "beta", linearBeta, h.KeyHeads, dim.Int(1))
}

func linearGate(c *op.Call, h *Heads, what string, slot int, one, other dim.Dim) error {
	s := c.Shape(slot)
	if err := c.SameSize("batch size and "+what, h.Batch, s.At(0)); err != nil {
		return err
	}
	if err := c.SameSize("length and "+what, h.Queries, s.At(1)); err != nil {
		return err
	}
	if _, ok := op.MergeDims(s.At(2), one); ok {
		return nil
	}
	if _, ok := op.MergeDims(s.At(2), other); ok {
		return nil
	}
	return c.Errorf(op.CodeShape, "the last axis of %s is %s, neither %s nor %s", what, s.At(2), one, other)
}

func LinearRule(name string) (gated, delta, ok bool) {
	switch name {
	case "linear":
		return false, false, true
	case "gated":
		return true, false, true
	case "delta":
		return false, true, true
	case "gated_delta":
		return true, true, true
	}
	return false, false, false
}

// linearAttentionMACs counts, a token: the outer product of key and value for
// every key head, the query's product with the state for every query head, and
// with the delta rules the key's product with the state.
func linearAttentionMACs(c *op.Call) dim.Dim {
	h, err := linearHeads(c)
	if err != nil {
		return dim.Unknown()
	}
	products := dim.Add(h.KeyHeads, h.QueryHeads)
	if _, delta, _ := LinearRule(c.Str("update_rule", "gated_delta")); delta {
		products = dim.Add(products, h.KeyHeads)
	}
	return dim.Product(h.Batch, h.Queries, products, h.HeadSize, h.ValueSize)
}
