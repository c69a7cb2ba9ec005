package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/attention"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the attentions of com.microsoft whose keys and values have
// fewer heads than the queries, with their caches: one that grows, one of
// fixed size, and pages
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribGQAOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "DynamicSparseAttention", Versions: []int{1}, Infer: dynamicSparseAttention, MACs: op.UnknownMACs},
	{Domain: op.DomainMicrosoft, Name: "GroupQueryAttention", Versions: []int{1}, Infer: groupQueryAttention, MACs: groupQueryAttentionMACs},
	{Domain: op.DomainMicrosoft, Name: "PagedAttention", Versions: []int{1}, Infer: pagedAttention, MACs: op.UnknownMACs, Views: viewsOfPages},
	{Domain: op.DomainMicrosoft, Name: "SparseAttention", Versions: []int{1}, Infer: sparseAttention, MACs: op.UnknownMACs},
	{Domain: op.DomainMicrosoft, Name: "SparsePagedAttention", Versions: []int{1},
		Infer: sparsePagedAttention, MACs: op.UnknownMACs, Views: viewsOfPages},
}

// viewsOfPages: the pages of keys and values are written in place.
var viewsOfPages = []op.View{{Output: 1, Input: 3}, {Output: 2, Input: 4}}

// Slots of GroupQueryAttention.
const (
	gqaPastKey, gqaPastValue = 3, 4
	gqaTotal                 = 6
)

// groupHeads reads the sizes of Q, K and V of rank 3; without K and V all
// three are packed in Q.
func groupHeads(c *op.Call) (*attention.Heads, error) {
	n, kv := c.Int("num_heads", 0), c.Int("kv_num_heads", 0)
	if n < 1 || kv < 1 || n%kv != 0 {
		return nil, c.Errorf(op.CodeAttribute, "num_heads %d must be a multiple of kv_num_heads %d", n, kv)
	}
	for i := range 3 {
		if err := c.CheckRank(i, "query, key or value", 3); err != nil {
			return nil, err
		}
	}
	q := c.Shape(0)
	if !c.Has(1) {
		h := &attention.Heads{Packed: true, Batch: q.At(0), Queries: q.At(1), Keys: q.At(1), QueryHeads: dim.Int(n), KeyHeads: dim.Int(kv)}
		var err error
		h.HeadSize, err = c.DivideEvenly("packed hidden size by all heads", q.At(2), dim.Add(dim.Int(n), dim.Mul(dim.Int(2), dim.Int(kv))))
		h.ValueSize = h.HeadSize
		return h, err
	}
	h, err := attention.PackedHeads(c, "hidden size by num_heads", n, kv)
	if err != nil {
		return nil, err
	}
	if !h.ValueSize.IsKnown() {
		h.ValueSize = h.HeadSize
	}
	return h, c.MergeSize("length of K and V", &h.Keys, c.Shape(2).At(1))
}

// groupQueryAttention: the caches present are as long as the longer of the
// caches past and total_sequence_length, or stay as they are with a sliding
// window.
func groupQueryAttention(c *op.Call) error {
	d := c.DType(0)
	cacheType := c.DtypeOr(gqaPastKey, d)
	c.Set(0, d, tensor.RankOnly(3))
	c.Set(1, cacheType, tensor.RankOnly(4))
	c.Set(2, cacheType, tensor.RankOnly(4))
	c.Set(3, d, tensor.RankOnly(4))
	h, err := groupHeads(c)
	if err != nil {
		return err
	}
	c.Set(0, d, tensor.MakeShape(h.Batch, h.Queries, dim.Mul(h.QueryHeads, h.ValueSize)))
	past := c.Shape(gqaPastKey)
	if err := c.CheckRank(gqaPastKey, "past_key", 4); err != nil {
		return err
	}
	length, total := groupLengths(c, h)
	batch, keySize, valueSize := h.Batch, h.HeadSize, h.ValueSize
	if c.Has(gqaPastKey) {
		if keySize, err = cacheSize(c, "head size and past_key", gqaPastKey, h.HeadSize); err != nil {
			return err
		}
		if valueSize, err = cacheSize(c, "head size and past_value", gqaPastValue, h.ValueSize); err != nil {
			return err
		}
		if err := c.MergeSize("batch size and past_key", &batch, past.At(0)); err != nil {
			return err
		}
		if err := c.MergeInputSize("kv_num_heads and past_key", &h.KeyHeads, gqaPastKey, 1); err != nil {
			return err
		}
	}
	c.Set(1, cacheType, tensor.MakeShape(batch, h.KeyHeads, length, keySize))
	c.Set(2, cacheType, tensor.MakeShape(batch, h.KeyHeads, length, valueSize))
	c.Set(3, d, tensor.MakeShape(h.Batch, h.QueryHeads, h.Queries, total))
	return nil
}

// cacheSize is the last dim of a cache: the head size, which ONNX Runtime takes
// alone, unless the cache is quantised, when a byte may pack two channels.
func cacheSize(c *op.Call, what string, slot int, head dim.Dim) (dim.Dim, error) {
	if !c.DType(slot).IsFloat() {
		return c.Shape(slot).At(3), nil
	}
	err := c.MergeInputSize(what, &head, slot, 3)
	return head, err
}

// groupLengths is how long the new caches are, and how many keys there are.
// Without the value of total_sequence_length and without a cache the keys are
// those of K; with a cache they are between it and it with K.
func groupLengths(c *op.Call, h *attention.Heads) (length, total dim.Dim) {
	past := dim.Int(0)
	if c.Has(gqaPastKey) {
		past = c.Shape(gqaPastKey).At(2)
	}
	total = c.Number(gqaTotal)
	switch {
	case c.Flag("sliding_window_cache", false) && c.Has(gqaPastKey):
		return past, total
	case total.IsKnown():
		return dim.Max(past, total), total
	case !c.Has(gqaPastKey):
		return h.Keys, h.Keys
	}
	least, _ := past.Int()
	return c.NewSymbol(1, 2, least, dim.Add(past, h.Keys)), total
}

func groupQueryAttentionMACs(c *op.Call) dim.Dim {
	h, err := groupHeads(c)
	if err != nil {
		return dim.Unknown()
	}
	if _, h.Total = groupLengths(c, h); !h.Total.IsKnown() {
		return dim.Unknown()
	}
	return h.Macs()
}

// sparseAttention writes into caches that keep their size.
func sparseAttention(c *op.Call) error {
	c.Set(0, c.DType(0), tensor.RankOnly(3))
	c.SetLike(1, gqaPastKey)
	c.SetLike(2, gqaPastValue)
	return groupOutput(c, c.DType(0))
}

// groupOutput sets output 0 to batch x queries x all heads of the values.
func groupOutput(c *op.Call, d onnxgraph.DType) error {
	h, err := groupHeads(c)
	if err != nil {
		return err
	}
	c.Set(0, d, tensor.MakeShape(h.Batch, h.Queries, dim.Mul(h.QueryHeads, h.ValueSize)))
	return nil
}

// dynamicSparseAttention writes into caches that keep their size; the status of
// output 3 has no documented shape.
func dynamicSparseAttention(c *op.Call) error {
	d := c.DType(0)
	if c.Flag("output_bf16", false) {
		d = onnxgraph.Bfloat16
	}
	c.Set(0, d, tensor.RankOnly(3))
	c.SetLike(1, gqaPastKey)
	c.SetLike(2, gqaPastValue)
	c.Set(3, onnxgraph.Int32, tensor.Shape{})
	return groupOutput(c, d)
}

// pagedAttention works on tokens x hidden: the query, or all three packed. The
// caches, pages of keys and values, keep their size.
func pagedAttention(c *op.Call) error {
	return paged(c, c.Str("kv_cache_layout", "SEPARATE") == "LATENT")
}

func sparsePagedAttention(c *op.Call) error { return paged(c, false) }

// paged: with latent keys the values are the leading channels of the keys.
func paged(c *op.Call, latent bool) error {
	q := c.Shape(0)
	c.Set(0, c.DType(0), tensor.RankOnly(2))
	c.SetLike(1, 3)
	c.SetLike(2, 4)
	if err := c.CheckRank(0, "query", 2); err != nil {
		return err
	}
	n, kv := c.Int("num_heads", 0), c.Int("kv_num_heads", 0)
	if n < 1 || kv < 1 || n%kv != 0 {
		return c.Errorf(op.CodeAttribute, "num_heads %d must be a multiple of kv_num_heads %d", n, kv)
	}
	all := dim.Int(n)
	if !c.Has(1) && !latent {
		all = dim.Add(all, dim.Mul(dim.Int(2), dim.Int(kv)))
	}
	size, err := c.DivideEvenly("width of the query by its heads", q.At(1), all)
	if err != nil {
		return err
	}
	if v := c.Int("v_head_size", 0); v > 0 && latent {
		size = dim.Int(v)
	}
	c.Set(0, c.DType(0), tensor.MakeShape(q.At(0), dim.Mul(dim.Int(n), size)))
	return nil
}
