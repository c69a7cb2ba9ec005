package op

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the attentions of com.microsoft whose keys and values have
// fewer heads than the queries, with their caches: one that grows, one of
// fixed size, and pages
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribGQAOps = []Op{
	{Domain: DomainMicrosoft, Name: "DynamicSparseAttention", Versions: []int{1}, Infer: dynamicSparseAttention, MACs: unknownMACs},
	{Domain: DomainMicrosoft, Name: "GroupQueryAttention", Versions: []int{1}, Infer: groupQueryAttention, MACs: groupQueryAttentionMACs},
	{Domain: DomainMicrosoft, Name: "PagedAttention", Versions: []int{1}, Infer: pagedAttention, MACs: unknownMACs, Views: viewsOfPages},
	{Domain: DomainMicrosoft, Name: "SparseAttention", Versions: []int{1}, Infer: sparseAttention, MACs: unknownMACs},
	{Domain: DomainMicrosoft, Name: "SparsePagedAttention", Versions: []int{1}, Infer: sparsePagedAttention, MACs: unknownMACs, Views: viewsOfPages},
}

// viewsOfPages: the pages of keys and values are written in place.
var viewsOfPages = []View{{Output: 1, Input: 3}, {Output: 2, Input: 4}}

// Slots of GroupQueryAttention.
const (
	gqaPastKey, gqaPastValue = 3, 4
	gqaTotal                 = 6
)

// groupHeads reads the sizes of Q, K and V of rank 3; without K and V all
// three are packed in Q.
func (c *Call) groupHeads() (*heads, error) {
	n, kv := c.Int("num_heads", 0), c.Int("kv_num_heads", 0)
	if n < 1 || kv < 1 || n%kv != 0 {
		return nil, c.Errorf(CodeAttribute, "num_heads %d must be a multiple of kv_num_heads %d", n, kv)
	}
	for i := range 3 {
		if err := c.ranked(i, "query, key or value", 3); err != nil {
			return nil, err
		}
	}
	q, k, v := c.Shape(0), c.Shape(1), c.Shape(2)
	h := &heads{packed: true, batch: q.At(0), queries: q.At(1), queryHeads: dim.Int(n), keyHeads: dim.Int(kv)}
	var err error
	if !c.Has(1) {
		h.keys = q.At(1)
		h.headSize, err = c.divideEvenly("packed hidden size by all heads", q.At(2), dim.Add(dim.Int(n), dim.Mul(dim.Int(2), dim.Int(kv))))
		h.valueSize = h.headSize
		return h, err
	}
	h.keys = k.At(1)
	if h.headSize, err = c.divideEvenly("hidden size by num_heads", q.At(2), h.queryHeads); err != nil {
		return nil, err
	}
	keySize, err := c.divideEvenly("hidden size of K by kv_num_heads", k.At(2), h.keyHeads)
	if err != nil {
		return nil, err
	}
	if err := c.agree("head size of Q and K", &h.headSize, keySize); err != nil {
		return nil, err
	}
	if h.valueSize, err = c.divideEvenly("hidden size of V by kv_num_heads", v.At(2), h.keyHeads); err != nil {
		return nil, err
	}
	if !h.valueSize.IsKnown() {
		h.valueSize = h.headSize
	}
	return h, c.agree("length of K and V", &h.keys, v.At(1))
}

// groupQueryAttention: the caches present are as long as the longer of the
// caches past and total_sequence_length, or stay as they are with a sliding
// window.
func groupQueryAttention(c *Call) error {
	d := c.DType(0)
	cacheType := c.dtypeOr(gqaPastKey, d)
	c.Set(0, d, tensor.RankOnly(3))
	c.Set(1, cacheType, tensor.RankOnly(4))
	c.Set(2, cacheType, tensor.RankOnly(4))
	c.Set(3, d, tensor.RankOnly(4))
	h, err := c.groupHeads()
	if err != nil {
		return err
	}
	c.Set(0, d, tensor.MakeShape(h.batch, h.queries, dim.Mul(h.queryHeads, h.valueSize)))
	past := c.Shape(gqaPastKey)
	if err := c.ranked(gqaPastKey, "past_key", 4); err != nil {
		return err
	}
	length, total := c.groupLengths(h)
	batch, keySize, valueSize := h.batch, h.headSize, h.valueSize
	if c.Has(gqaPastKey) {
		// A cache of 4 bits packs two channels a byte.
		keySize, valueSize = past.At(3), c.Shape(gqaPastValue).At(3)
		if err := c.agree("batch size and past_key", &batch, past.At(0)); err != nil {
			return err
		}
		if err := c.agree("kv_num_heads and past_key", &h.keyHeads, past.At(1)); err != nil {
			return err
		}
	}
	c.Set(1, cacheType, tensor.MakeShape(batch, h.keyHeads, length, keySize))
	c.Set(2, cacheType, tensor.MakeShape(batch, h.keyHeads, length, valueSize))
	c.Set(3, d, tensor.MakeShape(h.batch, h.queryHeads, h.queries, total))
	return nil
}

// groupLengths is how long the new caches are, and how many keys there are.
// Without the value of total_sequence_length and without a cache the keys are
// those of K; with a cache they are between it and it with K.
func (c *Call) groupLengths(h *heads) (length, total dim.Dim) {
	past := dim.Int(0)
	if c.Has(gqaPastKey) {
		past = c.Shape(gqaPastKey).At(2)
	}
	total = c.number(gqaTotal)
	switch {
	case c.Flag("sliding_window_cache", false) && c.Has(gqaPastKey):
		return past, total
	case total.IsKnown():
		return dim.Max(past, total), total
	case !c.Has(gqaPastKey):
		return h.keys, h.keys
	}
	least, _ := past.Int()
	return c.Fresh(1, 2, least, dim.Add(past, h.keys)), total
}

func groupQueryAttentionMACs(c *Call) dim.Dim {
	h, err := c.groupHeads()
	if err != nil {
		return dim.Unknown()
	}
	if _, h.total = c.groupLengths(h); !h.total.IsKnown() {
		return dim.Unknown()
	}
	return h.macs()
}

// sparseAttention writes into caches that keep their size.
func sparseAttention(c *Call) error {
	c.Set(0, c.DType(0), tensor.RankOnly(3))
	c.setLike(1, gqaPastKey)
	c.setLike(2, gqaPastValue)
	return c.groupOutput(c.DType(0))
}

// groupOutput sets output 0 to batch x queries x all heads of the values.
func (c *Call) groupOutput(d onnxgraph.DType) error {
	h, err := c.groupHeads()
	if err != nil {
		return err
	}
	c.Set(0, d, tensor.MakeShape(h.batch, h.queries, dim.Mul(h.queryHeads, h.valueSize)))
	return nil
}

// dynamicSparseAttention writes into caches that keep their size; the status of
// output 3 has no documented shape.
func dynamicSparseAttention(c *Call) error {
	d := c.DType(0)
	if c.Flag("output_bf16", false) {
		d = onnxgraph.Bfloat16
	}
	c.Set(0, d, tensor.RankOnly(3))
	c.setLike(1, gqaPastKey)
	c.setLike(2, gqaPastValue)
	c.Set(3, onnxgraph.Int32, tensor.Shape{})
	return c.groupOutput(d)
}

// pagedAttention works on tokens x hidden: the query, or all three packed. The
// caches, pages of keys and values, keep their size.
func pagedAttention(c *Call) error {
	return c.paged(c.Str("kv_cache_layout", "SEPARATE") == "LATENT")
}

func sparsePagedAttention(c *Call) error { return c.paged(false) }

// paged: with latent keys the values are the leading channels of the keys.
func (c *Call) paged(latent bool) error {
	q := c.Shape(0)
	c.Set(0, c.DType(0), tensor.RankOnly(2))
	c.setLike(1, 3)
	c.setLike(2, 4)
	if err := c.ranked(0, "query", 2); err != nil {
		return err
	}
	n, kv := c.Int("num_heads", 0), c.Int("kv_num_heads", 0)
	if n < 1 || kv < 1 || n%kv != 0 {
		return c.Errorf(CodeAttribute, "num_heads %d must be a multiple of kv_num_heads %d", n, kv)
	}
	all := dim.Int(n)
	if !c.Has(1) && !latent {
		all = dim.Add(all, dim.Mul(dim.Int(2), dim.Int(kv)))
	}
	size, err := c.divideEvenly("width of the query by its heads", q.At(1), all)
	if err != nil {
		return err
	}
	if v := c.Int("v_head_size", 0); v > 0 && latent {
		size = dim.Int(v)
	}
	c.Set(0, c.DType(0), tensor.MakeShape(q.At(0), dim.Mul(dim.Int(n), size)))
	return nil
}
