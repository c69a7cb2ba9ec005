package attention

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds Attention of the default domain.
//
// Attention: https://onnx.ai/onnx/operators/onnx__Attention.html
// 23: Q, K, V of rank 3 or 4, mask, cache in and out, the product of Q and K;
// 24: nonpad_kv_seqlen for a cache that is kept outside; 25: left_window_size
// and right_window_size, and forbidden combinations of cache and attributes.
var attentionOps = []op.Op{
	{Name: "Attention", Versions: []int{23, 24, 25}, Infer: attention, MACs: attentionMACs},
}

// Slots of Attention.
const (
	attentionQ, attentionK, attentionV      = 0, 1, 2
	attentionMask                           = 3
	attentionPastKey, attentionPastValue    = 4, 5
	attentionNonpad                         = 6
	attentionPresentKey, attentionQKProduct = 1, 3
	attentionPresentValue                   = 2
)

// Heads are the sizes of scaled dot-product attention: batch x queryHeads x
// queries x headSize against batch x keyHeads x keys x headSize, with values
// of valueSize.
type Heads struct {
	Batch                dim.Dim
	QueryHeads, KeyHeads dim.Dim
	Queries, Keys        dim.Dim
	HeadSize, ValueSize  dim.Dim
	Past, Total          dim.Dim // keys in the cache before, and after: past + keys
	Packed               bool    // rank 3: heads and head size share the last axis
}

func attention(c *op.Call) error {
	setAttention(c, tensor.Shape{}, tensor.Shape{}, tensor.Shape{}, tensor.Shape{})
	if err := attentionRules(c); err != nil {
		return err
	}
	h, err := attentionHeads(c)
	if h == nil || err != nil {
		if err == nil {
			c.Unknown(0, "the ranks of Q, K and V are unknown")
		}
		return err
	}
	y := tensor.MakeShape(h.Batch, h.QueryHeads, h.Queries, h.ValueSize)
	if h.Packed {
		y = tensor.MakeShape(h.Batch, h.Queries, dim.Mul(h.QueryHeads, h.ValueSize))
	}
	setAttention(c, y,
		tensor.MakeShape(h.Batch, h.KeyHeads, h.Total, h.HeadSize),
		tensor.MakeShape(h.Batch, h.KeyHeads, h.Total, h.ValueSize),
		tensor.MakeShape(h.Batch, h.QueryHeads, h.Queries, h.Total))
	return checkMask(c, h)
}

func setAttention(c *op.Call, y, key, value, product tensor.Shape) {
	q, v := c.DType(attentionQ), c.DType(attentionV)
	c.Set(0, q, y)
	c.Set(attentionPresentKey, q, key)
	c.Set(attentionPresentValue, v, value)
	c.Set(attentionQKProduct, q, product)
}

// attentionRules are those that need no shape.
func attentionRules(c *op.Call) error {
	past := c.Has(attentionPastKey)
	if past != c.Has(attentionPastValue) {
		return c.Errorf(op.CodeArity, "past_key and past_value must be given together")
	}
	if past && c.Has(attentionNonpad) {
		return c.Errorf(op.CodeArity, "nonpad_kv_seqlen is for a cache outside: past_key can't be given with it")
	}
	if c.Since < 25 {
		return nil
	}
	present := c.Wants(attentionPresentKey)
	if present != c.Wants(attentionPresentValue) {
		return c.Errorf(op.CodeArity, "present_key and present_value must be requested together")
	}
	if present && c.Has(attentionNonpad) {
		return c.Errorf(op.CodeArity, "nonpad_kv_seqlen is for a cache outside: present_key can't be requested with it")
	}
	for _, name := range []string{"left_window_size", "right_window_size"} {
		if n := c.Int(name, -1); n < -1 {
			return c.Errorf(op.CodeAttribute, "%s is %d, the least allowed is -1", name, n)
		}
	}
	if c.Shape(attentionQ).Rank() == 4 && (c.HasAttr("q_num_heads") || c.HasAttr("kv_num_heads")) {
		return c.Errorf(op.CodeAttribute, "q_num_heads and kv_num_heads are for inputs of rank 3")
	}
	return nil
}

// attentionHeads reads the sizes; nil when no rank of Q, K and V is known.
func attentionHeads(c *op.Call) (*Heads, error) {
	rank := -1
	for _, i := range []int{attentionQ, attentionK, attentionV} {
		s := c.Shape(i)
		switch {
		case !s.Ranked():
		case s.Rank() != 3 && s.Rank() != 4:
			return nil, c.Errorf(op.CodeRank, "input %d has shape %s, not rank 3 or 4", i, s)
		case rank >= 0 && rank != s.Rank():
			return nil, c.Errorf(op.CodeRank, "Q, K and V differ in rank: %s, %s, %s", c.Shape(0), c.Shape(1), c.Shape(2))
		default:
			rank = s.Rank()
		}
	}
	if rank < 0 {
		return nil, nil
	}
	h, err := &Heads{}, error(nil)
	if rank == 3 {
		h, err = packedHeads(c)
	} else {
		separateHeads(c, h)
	}
	if err != nil {
		return nil, err
	}
	if err := c.CheckVector(attentionNonpad, "nonpad_kv_seqlen", h.Batch); err != nil {
		return nil, err
	}
	return h, attentionAgree(c, h)
}

func separateHeads(c *op.Call, h *Heads) {
	q, k, v := c.Shape(attentionQ), c.Shape(attentionK), c.Shape(attentionV)
	h.Batch, h.QueryHeads, h.Queries, h.HeadSize = q.At(0), q.At(1), q.At(2), q.At(3)
	h.KeyHeads, h.Keys, h.ValueSize = k.At(1), k.At(2), v.At(3)
}

// packedHeads reads rank 3, where the attributes say how many heads share the
// last axis.
func packedHeads(c *op.Call) (*Heads, error) {
	queryHeads, keyHeads := c.Int("q_num_heads", 0), c.Int("kv_num_heads", 0)
	if queryHeads < 1 || keyHeads < 1 {
		return nil, c.Errorf(op.CodeAttribute, "inputs of rank 3 need q_num_heads and kv_num_heads, not %d and %d", queryHeads, keyHeads)
	}
	return PackedHeads(c, "hidden size of Q by q_num_heads", queryHeads, keyHeads)
}

// PackedHeads reads Q, K and V in inputs 0, 1 and 2 of rank 3, whose last axis
// holds all heads one behind the other. what names the division of Q's.
func PackedHeads(c *op.Call, what string, queryHeads, keyHeads int64) (*Heads, error) {
	q, k, v := c.Shape(0), c.Shape(1), c.Shape(2)
	h := &Heads{
		Packed: true, Batch: q.At(0), Queries: q.At(1), Keys: k.At(1),
		QueryHeads: dim.Int(queryHeads), KeyHeads: dim.Int(keyHeads),
	}
	var err error
	if h.HeadSize, err = c.DivideEvenly(what, q.At(2), h.QueryHeads); err != nil {
		return nil, err
	}
	keySize, err := c.DivideEvenly("hidden size of K by kv_num_heads", k.At(2), h.KeyHeads)
	if err != nil {
		return nil, err
	}
	if err := c.MergeSize("head size of Q and K", &h.HeadSize, keySize); err != nil {
		return nil, err
	}
	h.ValueSize, err = c.DivideEvenly("hidden size of V by kv_num_heads", v.At(2), h.KeyHeads)
	return h, err
}

// attentionAgree compares what K, V and the cache say of the same sizes, and
// fills in the cache's length.
func attentionAgree(c *op.Call, h *Heads) error {
	k, v := c.Shape(attentionK), c.Shape(attentionV)
	keys := 1
	if !h.Packed {
		keys = 2
		if err := c.MergeSize("head size of Q and K", &h.HeadSize, k.At(3)); err != nil {
			return err
		}
		if err := c.MergeSize("heads of K and V", &h.KeyHeads, v.At(1)); err != nil {
			return err
		}
	}
	if err := c.MergeSize("length of K and V", &h.Keys, v.At(keys)); err != nil {
		return err
	}
	for _, s := range []tensor.Shape{k, v} {
		if err := c.MergeSize("batch size of Q, K and V", &h.Batch, s.At(0)); err != nil {
			return err
		}
	}
	if n, ok := h.QueryHeads.Int(); ok {
		if m, ok := h.KeyHeads.Int(); ok && (m == 0 || n%m != 0) {
			return c.Errorf(op.CodeShape, "%d heads of K and V do not divide the %d of Q", m, n)
		}
	}
	h.Past = dim.Int(0)
	if c.Has(attentionPastKey) {
		if err := attentionCache(c, h); err != nil {
			return err
		}
	}
	h.Total = dim.Add(h.Past, h.Keys)
	return nil
}

// attentionCache reads past_key and past_value, batch x keyHeads x past x size.
func attentionCache(c *op.Call, h *Heads) error {
	key, value := c.Shape(attentionPastKey), c.Shape(attentionPastValue)
	h.Past = dim.Unknown()
	for _, past := range []struct {
		slot  int
		shape tensor.Shape
		size  *dim.Dim
	}{{attentionPastKey, key, &h.HeadSize}, {attentionPastValue, value, &h.ValueSize}} {
		if past.shape.Ranked() && past.shape.Rank() != 4 {
			return c.Errorf(op.CodeRank, "the cache has shape %s, not rank 4", past.shape)
		}
		for axis, size := range []*dim.Dim{&h.Batch, &h.KeyHeads, &h.Past, past.size} {
			if err := c.MergeInputSize("sizes of the cache", size, past.slot, axis); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkMask checks that attn_mask broadcasts to batch x queryHeads x
// queries x total. Its last axis may be shorter: runtimes and the text since
// 24 fill it up.
func checkMask(c *op.Call, h *Heads) error {
	mask := c.Shape(attentionMask)
	if !mask.Ranked() || mask.Rank() == 0 {
		return nil
	}
	if mask.Rank() > 4 {
		return c.Errorf(op.CodeRank, "attn_mask %s has more than four axes", mask)
	}
	leading := tensor.MakeShape(mask.Dims()[:mask.Rank()-1]...)
	return c.CheckBroadcast(tensor.MakeShape(h.Batch, h.QueryHeads, h.Queries), leading, "attn_mask")
}

func attentionMACs(c *op.Call) dim.Dim {
	h, err := attentionHeads(c)
	if h == nil || err != nil {
		return dim.Unknown()
	}
	return h.Macs()
}

// Macs counts both products: queries by keys over the head size, and the
// resulting weights by values.
func (h *Heads) Macs() dim.Dim {
	return dim.Product(h.Batch, h.QueryHeads, h.Queries, h.Total, dim.Add(h.HeadSize, h.ValueSize))
}
