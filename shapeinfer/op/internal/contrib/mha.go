package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/attention"
	"onnxmem/shapeinfer/op/internal/standard/control"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the multi-head attentions of com.microsoft that take Q, K
// and V already projected, in one of several layouts
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribMHAOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "DecoderAttention", Versions: []int{1}, Infer: decoderAttention, MACs: decoderAttentionMACs},
	{Domain: op.DomainMicrosoft, Name: "DecoderMaskedMultiHeadAttention", Versions: []int{1},
		Infer: decoderMaskedMHA, MACs: decoderMaskedMHAMACs, Roles: op.ParametersAt(10)},
	{Domain: op.DomainMicrosoft, Name: "MultiHeadAttention", Versions: []int{1},
		Infer: multiHeadAttention, MACs: multiHeadAttentionMACs, Roles: op.ParametersAt(0, 1, 2, 3)},
	{Domain: op.DomainMicrosoft, Name: "PackedMultiHeadAttention", Versions: []int{1}, Infer: packedMHA, MACs: op.UnknownMACs},
}

// The two operators differ in where the cache is.
type mhaSlots struct{ past, pastLength int }

var (
	mhaInputs       = mhaSlots{past: 6, pastLength: 8}
	maskedMHAInputs = mhaSlots{past: 5, pastLength: 7}
)

func multiHeadAttention(c *op.Call) error {
	return multiHead(c, mhaInputs, c.Has(mhaInputs.past) && c.Has(mhaInputs.pastLength))
}

func decoderMaskedMHA(c *op.Call) error {
	return multiHead(c, maskedMHAInputs, c.Flag("past_present_share_buffer", false))
}

// multiHead sets output 0, batch x queries x v_hidden, the caches, batch x
// heads x total x head size, and the product of Q and K. shared says that the
// caches are buffers that keep their size.
func multiHead(c *op.Call, slots mhaSlots, shared bool) error {
	d := c.DType(0)
	c.Set(0, d, tensor.RankOnly(3))
	c.Set(1, d, tensor.RankOnly(4))
	c.Set(2, d, tensor.RankOnly(4))
	c.Set(3, onnxgraph.Undefined, tensor.RankOnly(4)) // a type of its own, which only a declaration tells
	h, err := multiHeads(c, slots)
	if err != nil {
		return err
	}
	c.Set(0, d, tensor.MakeShape(h.Batch, h.Queries, dim.Mul(h.QueryHeads, h.ValueSize)))
	length, total := h.Total, h.Total
	if shared && c.Has(slots.past) {
		length, total = h.Past, dim.Add(c.Number(slots.pastLength), h.Keys)
	}
	c.Set(1, d, tensor.MakeShape(h.Batch, h.QueryHeads, length, h.HeadSize))
	c.Set(2, d, tensor.MakeShape(h.Batch, h.QueryHeads, length, h.ValueSize))
	c.Set(3, onnxgraph.Undefined, tensor.MakeShape(h.Batch, h.QueryHeads, h.Queries, total))
	return nil
}

// multiHeads reads the sizes from whatever layout is used: Q, K and V of rank
// 3; K and V of rank 4 with the heads apart, which is cross attention; K and V
// packed in K, of rank 5; or all three packed in Q, of rank 5, or of rank 3
// where K is left out.
func multiHeads(c *op.Call, slots mhaSlots) (*attention.Heads, error) {
	n := c.Int("num_heads", 0)
	if n < 1 {
		return nil, c.Errorf(op.CodeAttribute, "num_heads is %d", n)
	}
	for i, ranks := range [][]int{{3, 5}, {3, 4, 5}, {3, 4}} {
		if err := c.CheckRank(i, "query, key or value", ranks...); err != nil {
			return nil, err
		}
	}
	q := c.Shape(0)
	h := &attention.Heads{Batch: q.At(0), Queries: q.At(1), QueryHeads: dim.Int(n), KeyHeads: dim.Int(n)}
	var err error
	switch {
	case q.Rank() == 5:
		h.Keys, h.HeadSize, h.ValueSize = q.At(1), q.At(4), q.At(4)
	case !c.Has(1):
		h.Keys = q.At(1)
		h.HeadSize, err = c.DivideEvenly("packed hidden size by three times num_heads", q.At(2), dim.Mul(dim.Int(3), dim.Int(n)))
		h.ValueSize = h.HeadSize
	default:
		if h.HeadSize, err = c.DivideEvenly("hidden size by num_heads", q.At(2), h.QueryHeads); err == nil {
			err = multiHeadKeys(c, h)
		}
	}
	if err != nil {
		return nil, err
	}
	return h, multiHeadCache(c, h, slots.past)
}

// multiHeadKeys reads the sizes of K and V where they are inputs of their own.
func multiHeadKeys(c *op.Call, h *attention.Heads) error {
	k, v := c.Shape(1), c.Shape(2)
	switch k.Rank() {
	case 3:
		h.Keys = k.At(1)
	case 4:
		h.Keys = k.At(2)
	case 5:
		h.Keys, h.ValueSize = k.At(1), k.At(4)
		return c.MergeSize("heads of K", &h.KeyHeads, k.At(2))
	}
	if err := c.MergeSize("batch size of Q and K", &h.Batch, k.At(0)); err != nil {
		return err
	}
	switch v.Rank() {
	case 3:
		if err := c.MergeSize("length of K and V", &h.Keys, v.At(1)); err != nil {
			return err
		}
		size, err := c.DivideEvenly("hidden size of V by num_heads", v.At(2), h.QueryHeads)
		h.ValueSize = size
		return err
	case 4:
		h.ValueSize = v.At(3)
		return c.MergeSize("length of K and V", &h.Keys, v.At(2))
	}
	return nil
}

// multiHeadCache adds the cache of keys in an input slot, batch x heads x
// length x head size.
func multiHeadCache(c *op.Call, h *attention.Heads, past int) error {
	h.Past = dim.Int(0)
	if c.Has(past) {
		if err := c.CheckRank(past, "past_key", 4); err != nil {
			return err
		}
		s := c.Shape(past)
		h.Past = s.At(2)
		if err := c.MergeSize("batch size and past_key", &h.Batch, s.At(0)); err != nil {
			return err
		}
		if err := c.MergeInputSize("num_heads and past_key", &h.QueryHeads, past, 1); err != nil {
			return err
		}
		if err := c.MergeInputSize("head size and past_key", &h.HeadSize, past, 3); err != nil {
			return err
		}
		if err := c.MergeInputSize("head size and past_value", &h.ValueSize, past+1, 3); err != nil {
			return err
		}
	}
	h.Total = dim.Add(h.Past, h.Keys)
	return nil
}

func multiHeadAttentionMACs(c *op.Call) dim.Dim {
	return multiHeadMACs(c, mhaInputs, c.Has(mhaInputs.pastLength))
}

func decoderMaskedMHAMACs(c *op.Call) dim.Dim {
	return multiHeadMACs(c, maskedMHAInputs, c.Flag("past_present_share_buffer", false))
}

func multiHeadMACs(c *op.Call, slots mhaSlots, shared bool) dim.Dim {
	h, err := multiHeads(c, slots)
	if err != nil {
		return dim.Unknown()
	}
	if shared && c.Has(slots.past) {
		h.Total = dim.Add(c.Number(slots.pastLength), h.Keys)
	}
	return h.Macs()
}

// packedMHA works on tokens x hidden without padding: Q, K, V of rank 2, or Q
// of rank 4 that holds all three, tokens x heads x 3 x head size.
func packedMHA(c *op.Call) error {
	q, v := c.Shape(0), c.Shape(2)
	c.Set(0, c.DType(0), tensor.RankOnly(2))
	if err := c.CheckRank(0, "query", 2, 4); err != nil {
		return err
	}
	hidden := v.At(1)
	if q.Rank() == 4 {
		hidden = dim.Mul(q.At(1), q.At(3))
	}
	c.Set(0, c.DType(0), tensor.MakeShape(q.At(0), hidden))
	return nil
}

// Slots of DecoderAttention, which puts the sequence before the batch.
const (
	decoderKey      = 1
	decoderKeyCache = 6
	decoderStaticKV = 8
	decoderUsePast  = 9
	decoderHasCache = 10
)

// decoderAttention: query is sequence x batch x hidden and the output like it;
// the new caches are batch x heads x total x head size.
func decoderAttention(c *op.Call) error {
	c.SetLike(0, 0)
	for o := 1; o < 3; o++ {
		c.Set(o, c.DType(0), tensor.RankOnly(4))
	}
	if err := c.CheckRank(0, "query", 3); err != nil {
		return err
	}
	n := c.Int("num_heads", 0)
	if n < 1 {
		return c.Errorf(op.CodeAttribute, "num_heads is %d", n)
	}
	q := c.Shape(0)
	size, err := c.DivideEvenly("hidden size by num_heads", q.At(2), dim.Int(n))
	if err != nil {
		return err
	}
	_, total := decoderLengths(c)
	cache := tensor.MakeShape(q.At(1), dim.Int(n), total, size)
	for o := 1; o < 3; o++ {
		c.Set(o, c.DType(0), cache)
		if !total.IsKnown() {
			c.Unknown(o, "it is known only at run time whether the cache is used")
		}
	}
	return nil
}

// decoderLengths is how many keys are projected, and how many there are with
// the cache. Without a cache they come from the query, or, static, from key;
// with it static keys are all in the cache.
func decoderLengths(c *op.Call) (fresh, total dim.Dim) {
	static, knowsStatic := control.Truth(c, decoderStaticKV)
	past, knowsPast := control.Truth(c, decoderUsePast)
	has, knowsCache := control.Truth(c, decoderHasCache)
	query, cached := c.Shape(0).At(0), c.Shape(decoderKeyCache).At(2)
	if !knowsStatic || !knowsPast || !knowsCache {
		return dim.Unknown(), dim.Unknown()
	}
	switch {
	case past && has && static:
		return dim.Int(0), cached
	case past && has:
		return query, dim.Add(cached, query)
	case static:
		return c.Shape(decoderKey).At(0), c.Shape(decoderKey).At(0)
	}
	return query, query
}

// decoderAttentionMACs counts the projections of the query and of the new keys
// and values, and both products with all keys.
func decoderAttentionMACs(c *op.Call) dim.Dim {
	fresh, total := decoderLengths(c)
	q := c.Shape(0)
	project := dim.Add(dim.Mul(op.LeadingElements(q), c.Shape(2).Elements()), dim.Product(fresh, q.At(1), c.Shape(3).Elements()))
	return dim.Add(project, dim.Product(op.LeadingElements(q), total, dim.Mul(q.At(2), dim.Int(2))))
}
