package op

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds LinearAttention, whose state does not grow with the
// sequence.
//
// LinearAttention: https://onnx.ai/onnx/operators/onnx__LinearAttention.html
// 27: query B x T x Hq*dk, key B x T x Hkv*dk, value B x T x Hkv*dv; the output
// is B x T x Hq*dv, the state B x Hkv x dk x dv.
var linearAttentionOps = []Op{
	{Name: "LinearAttention", Versions: []int{27}, Infer: linearAttention, MACs: linearAttentionMACs},
}

// Slots of LinearAttention.
const (
	linearPast  = 3
	linearDecay = 4
	linearBeta  = 5
)

func linearAttention(c *Call) error {
	c.Set(0, c.DType(0), tensor.RankOnly(3))
	stateType := c.dtypeOr(linearPast, c.DType(0))
	c.Set(1, stateType, tensor.RankOnly(4))
	h, err := c.linearHeads()
	if err != nil {
		return err
	}
	c.Set(0, c.DType(0), tensor.MakeShape(h.batch, h.queries, dim.Mul(h.queryHeads, h.valueSize)))
	c.Set(1, stateType, tensor.MakeShape(h.batch, h.keyHeads, h.headSize, h.valueSize))
	return c.linearGates(h)
}

// linearHeads reads and compares the sizes; queries and keys are both T.
func (c *Call) linearHeads() (*heads, error) {
	for i, rank := range []int{3, 3, 3, 4, 3, 3} {
		if s := c.Shape(i); s.Ranked() && s.Rank() != rank {
			return nil, c.Errorf(CodeRank, "input %d has shape %s, not rank %d", i, s, rank)
		}
	}
	queryHeads, keyHeads := c.Int("q_num_heads", 0), c.Int("kv_num_heads", 0)
	if queryHeads < 1 || keyHeads < 1 || queryHeads%keyHeads != 0 {
		return nil, c.Errorf(CodeAttribute, "q_num_heads %d must be a positive multiple of kv_num_heads %d", queryHeads, keyHeads)
	}
	h := &heads{packed: true, queryHeads: dim.Int(queryHeads), keyHeads: dim.Int(keyHeads)}
	q, k, v, past := c.Shape(0), c.Shape(1), c.Shape(2), c.Shape(linearPast)
	headSize, err := c.divideEvenly("last axis of query by q_num_heads", q.At(2), h.queryHeads)
	if err != nil {
		return nil, err
	}
	keySize, err := c.divideEvenly("last axis of key by kv_num_heads", k.At(2), h.keyHeads)
	if err != nil {
		return nil, err
	}
	valueSize, err := c.divideEvenly("last axis of value by kv_num_heads", v.At(2), h.keyHeads)
	if err != nil {
		return nil, err
	}
	h.batch, h.queries, h.headSize, h.valueSize = q.At(0), q.At(1), headSize, valueSize
	for _, fact := range []struct {
		what  string
		into  *dim.Dim
		other dim.Dim
	}{
		{"key size of query and key", &h.headSize, keySize},
		{"batch size of query and key", &h.batch, k.At(0)},
		{"batch size of query and value", &h.batch, v.At(0)},
		{"length of query and key", &h.queries, k.At(1)},
		{"length of query and value", &h.queries, v.At(1)},
		{"batch size and past_state", &h.batch, past.At(0)},
		{"heads and past_state", &h.keyHeads, past.At(1)},
		{"key size and past_state", &h.headSize, past.At(2)},
		{"value size and past_state", &h.valueSize, past.At(3)},
	} {
		if err := c.agree(fact.what, fact.into, fact.other); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// linearGates checks decay and beta: which of both update_rule needs, and
// their last axes, Hkv*dk or Hkv, and Hkv or 1.
func (c *Call) linearGates(h *heads) error {
	gated, delta, ok := linearRule(c.Str("update_rule", "gated_delta"))
	if !ok {
		return c.Errorf(CodeAttribute, "update_rule %q is none of linear, gated, delta and gated_delta", c.Str("update_rule", ""))
	}
	if gated != c.Has(linearDecay) {
		return c.Errorf(CodeArity, "decay is for the update rules gated and gated_delta, which need it")
	}
	if delta != c.Has(linearBeta) {
		return c.Errorf(CodeArity, "beta is for the update rules delta and gated_delta, which need it")
	}
	if err := c.linearGate(h, "decay", linearDecay, dim.Mul(h.keyHeads, h.headSize), h.keyHeads); err != nil {
		return err
	}
	return c.linearGate(h, "beta", linearBeta, h.keyHeads, dim.Int(1))
}

func (c *Call) linearGate(h *heads, what string, slot int, one, other dim.Dim) error {
	s := c.Shape(slot)
	if err := c.sameNumber("batch size and "+what, h.batch, s.At(0)); err != nil {
		return err
	}
	if err := c.sameNumber("length and "+what, h.queries, s.At(1)); err != nil {
		return err
	}
	if _, ok := MergeDims(s.At(2), one); ok {
		return nil
	}
	if _, ok := MergeDims(s.At(2), other); ok {
		return nil
	}
	return c.Errorf(CodeShape, "the last axis of %s is %s, neither %s nor %s", what, s.At(2), one, other)
}

func linearRule(name string) (gated, delta, ok bool) {
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
func linearAttentionMACs(c *Call) dim.Dim {
	h, err := c.linearHeads()
	if err != nil {
		return dim.Unknown()
	}
	products := dim.Add(h.keyHeads, h.queryHeads)
	if _, delta, _ := linearRule(c.Str("update_rule", "gated_delta")); delta {
		products = dim.Add(products, h.keyHeads)
	}
	return dim.Product(h.batch, h.queries, products, h.headSize, h.valueSize)
}
