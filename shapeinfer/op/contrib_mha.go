package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the multi-head attentions of com.microsoft that take Q, K
// and V already projected, in one of several layouts
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribMHAOps = []Op{
	{Domain: DomainMicrosoft, Name: "DecoderAttention", Versions: []int{1}, Infer: decoderAttention, MACs: decoderAttentionMACs},
	{Domain: DomainMicrosoft, Name: "DecoderMaskedMultiHeadAttention", Versions: []int{1}, Infer: decoderMaskedMHA, MACs: decoderMaskedMHAMACs},
	{Domain: DomainMicrosoft, Name: "MultiHeadAttention", Versions: []int{1}, Infer: multiHeadAttention, MACs: multiHeadAttentionMACs},
	{Domain: DomainMicrosoft, Name: "PackedMultiHeadAttention", Versions: []int{1}, Infer: packedMHA, MACs: unknownMACs},
}

// The two operators differ in where the cache is.
type mhaSlots struct{ past, pastLength int }

var (
	mhaInputs       = mhaSlots{past: 6, pastLength: 8}
	maskedMHAInputs = mhaSlots{past: 5, pastLength: 7}
)

func multiHeadAttention(c *Call) error {
	return c.multiHead(mhaInputs, c.Has(mhaInputs.past) && c.Has(mhaInputs.pastLength))
}

func decoderMaskedMHA(c *Call) error {
	return c.multiHead(maskedMHAInputs, c.Flag("past_present_share_buffer", false))
}

// multiHead sets output 0, batch x queries x v_hidden, the caches, batch x
// heads x total x head size, and the product of Q and K. shared says that the
// caches are buffers that keep their size.
func (c *Call) multiHead(slots mhaSlots, shared bool) error {
	d := c.DType(0)
	c.Set(0, d, tensor.RankOnly(3))
	c.Set(1, d, tensor.RankOnly(4))
	c.Set(2, d, tensor.RankOnly(4))
	c.Set(3, onnxgraph.Undefined, tensor.RankOnly(4)) // a type of its own, which only a declaration tells
	h, err := c.multiHeads(slots)
	if err != nil {
		return err
	}
	c.Set(0, d, tensor.MakeShape(h.batch, h.queries, dim.Mul(h.queryHeads, h.valueSize)))
	length, total := h.total, h.total
	if shared && c.Has(slots.past) {
		length, total = h.past, dim.Add(c.number(slots.pastLength), h.keys)
	}
	c.Set(1, d, tensor.MakeShape(h.batch, h.queryHeads, length, h.headSize))
	c.Set(2, d, tensor.MakeShape(h.batch, h.queryHeads, length, h.valueSize))
	c.Set(3, onnxgraph.Undefined, tensor.MakeShape(h.batch, h.queryHeads, h.queries, total))
	return nil
}

// multiHeads reads the sizes from whatever layout is used: Q, K and V of rank
// 3; K and V of rank 4 with the heads apart, which is cross attention; K and V
// packed in K, of rank 5; or all three packed in Q, of rank 5, or of rank 3
// where K is left out.
func (c *Call) multiHeads(slots mhaSlots) (*heads, error) {
	n := c.Int("num_heads", 0)
	if n < 1 {
		return nil, c.Errorf(CodeAttribute, "num_heads is %d", n)
	}
	for i, ranks := range [][]int{{3, 5}, {3, 4, 5}, {3, 4}} {
		if err := c.ranked(i, "query, key or value", ranks...); err != nil {
			return nil, err
		}
	}
	q := c.Shape(0)
	h := &heads{batch: q.At(0), queries: q.At(1), queryHeads: dim.Int(n), keyHeads: dim.Int(n)}
	var err error
	switch {
	case q.Rank() == 5:
		h.keys, h.headSize, h.valueSize = q.At(1), q.At(4), q.At(4)
	case !c.Has(1):
		h.keys = q.At(1)
		h.headSize, err = c.divideEvenly("packed hidden size by three times num_heads", q.At(2), dim.Mul(dim.Int(3), dim.Int(n)))
		h.valueSize = h.headSize
	default:
		if h.headSize, err = c.divideEvenly("hidden size by num_heads", q.At(2), h.queryHeads); err == nil {
			err = c.multiHeadKeys(h)
		}
	}
	if err != nil {
		return nil, err
	}
	return h, c.multiHeadCache(h, slots.past)
}

// multiHeadKeys reads the sizes of K and V where they are inputs of their own.
func (c *Call) multiHeadKeys(h *heads) error {
	k, v := c.Shape(1), c.Shape(2)
	switch k.Rank() {
	case 3:
		h.keys = k.At(1)
	case 4:
		h.keys = k.At(2)
	case 5:
		h.keys, h.valueSize = k.At(1), k.At(4)
		return c.agree("heads of K", &h.keyHeads, k.At(2))
	}
	if err := c.agree("batch size of Q and K", &h.batch, k.At(0)); err != nil {
		return err
	}
	switch v.Rank() {
	case 3:
		if err := c.agree("length of K and V", &h.keys, v.At(1)); err != nil {
			return err
		}
		size, err := c.divideEvenly("hidden size of V by num_heads", v.At(2), h.queryHeads)
		h.valueSize = size
		return err
	case 4:
		h.valueSize = v.At(3)
		return c.agree("length of K and V", &h.keys, v.At(2))
	}
	return nil
}

// multiHeadCache adds the cache of keys in an input slot, batch x heads x
// length x head size.
func (c *Call) multiHeadCache(h *heads, past int) error {
	h.past = dim.Int(0)
	if c.Has(past) {
		if err := c.ranked(past, "past_key", 4); err != nil {
			return err
		}
		s := c.Shape(past)
		h.past = s.At(2)
		if err := c.agree("batch size and past_key", &h.batch, s.At(0)); err != nil {
			return err
		}
		if err := c.agree("num_heads and past_key", &h.queryHeads, s.At(1)); err != nil {
			return err
		}
		if err := c.agree("head size and past_key", &h.headSize, s.At(3)); err != nil {
			return err
		}
	}
	h.total = dim.Add(h.past, h.keys)
	return nil
}

func multiHeadAttentionMACs(c *Call) dim.Dim {
	return c.multiHeadMACs(mhaInputs, c.Has(mhaInputs.pastLength))
}

func decoderMaskedMHAMACs(c *Call) dim.Dim {
	return c.multiHeadMACs(maskedMHAInputs, c.Flag("past_present_share_buffer", false))
}

func (c *Call) multiHeadMACs(slots mhaSlots, shared bool) dim.Dim {
	h, err := c.multiHeads(slots)
	if err != nil {
		return dim.Unknown()
	}
	if shared && c.Has(slots.past) {
		h.total = dim.Add(c.number(slots.pastLength), h.keys)
	}
	return h.macs()
}

// packedMHA works on tokens x hidden without padding: Q, K, V of rank 2, or Q
// of rank 4 that holds all three, tokens x heads x 3 x head size.
func packedMHA(c *Call) error {
	q, v := c.Shape(0), c.Shape(2)
	c.Set(0, c.DType(0), tensor.RankOnly(2))
	if err := c.ranked(0, "query", 2, 4); err != nil {
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
func decoderAttention(c *Call) error {
	c.setLike(0, 0)
	for o := 1; o < 3; o++ {
		c.Set(o, c.DType(0), tensor.RankOnly(4))
	}
	if err := c.ranked(0, "query", 3); err != nil {
		return err
	}
	n := c.Int("num_heads", 0)
	if n < 1 {
		return c.Errorf(CodeAttribute, "num_heads is %d", n)
	}
	q := c.Shape(0)
	size, err := c.divideEvenly("hidden size by num_heads", q.At(2), dim.Int(n))
	if err != nil {
		return err
	}
	_, total := c.decoderLengths()
	cache := tensor.MakeShape(q.At(1), dim.Int(n), total, size)
	for o := 1; o < 3; o++ {
		c.Set(o, c.DType(0), cache)
		if !total.IsKnown() {
			c.Unknown(o, "it is decided at run time whether the cache is used")
		}
	}
	return nil
}

// decoderLengths is how many keys are projected, and how many there are with
// the cache. Without a cache they come from the query, or, static, from key;
// with it static keys are all in the cache.
func (c *Call) decoderLengths() (fresh, total dim.Dim) {
	static, knowsStatic := c.truth(decoderStaticKV)
	past, knowsPast := c.truth(decoderUsePast)
	has, knowsCache := c.truth(decoderHasCache)
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
func decoderAttentionMACs(c *Call) dim.Dim {
	fresh, total := c.decoderLengths()
	q := c.Shape(0)
	project := dim.Add(dim.Mul(leading(q), c.Shape(2).Elements()), dim.Product(fresh, q.At(1), c.Shape(3).Elements()))
	return dim.Add(project, dim.Product(leading(q), total, dim.Mul(q.At(2), dim.Int(2))))
}
