package op

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds Attention of the default domain.
//
// Attention: https://onnx.ai/onnx/operators/onnx__Attention.html
// 23: Q, K, V of rank 3 or 4, mask, cache in and out, the product of Q and K;
// 24: nonpad_kv_seqlen for a cache that is kept outside; 25: left_window_size
// and right_window_size, and forbidden combinations of cache and attributes.
var attentionOps = []Op{
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

// heads are the sizes of scaled dot-product attention: batch x queryHeads x
// queries x headSize against batch x keyHeads x keys x headSize, with values
// of valueSize.
type heads struct {
	batch                dim.Dim
	queryHeads, keyHeads dim.Dim
	queries, keys        dim.Dim
	headSize, valueSize  dim.Dim
	past, total          dim.Dim // keys in the cache before, and after: past + keys
	packed               bool    // rank 3: heads and head size share the last axis
}

func attention(c *Call) error {
	c.setAttention(tensor.Shape{}, tensor.Shape{}, tensor.Shape{}, tensor.Shape{})
	if err := c.attentionRules(); err != nil {
		return err
	}
	h, err := c.attentionHeads()
	if h == nil || err != nil {
		if err == nil {
			c.Unknown(0, "the ranks of Q, K and V are unknown")
		}
		return err
	}
	y := tensor.MakeShape(h.batch, h.queryHeads, h.queries, h.valueSize)
	if h.packed {
		y = tensor.MakeShape(h.batch, h.queries, dim.Mul(h.queryHeads, h.valueSize))
	}
	c.setAttention(y,
		tensor.MakeShape(h.batch, h.keyHeads, h.total, h.headSize),
		tensor.MakeShape(h.batch, h.keyHeads, h.total, h.valueSize),
		tensor.MakeShape(h.batch, h.queryHeads, h.queries, h.total))
	return c.attentionMask(h)
}

func (c *Call) setAttention(y, key, value, product tensor.Shape) {
	q, v := c.DType(attentionQ), c.DType(attentionV)
	c.Set(0, q, y)
	c.Set(attentionPresentKey, q, key)
	c.Set(attentionPresentValue, v, value)
	c.Set(attentionQKProduct, q, product)
}

// attentionRules are those that need no shape.
func (c *Call) attentionRules() error {
	past := c.Has(attentionPastKey)
	if past != c.Has(attentionPastValue) {
		return c.Errorf(CodeArity, "past_key and past_value must be given together")
	}
	if past && c.Has(attentionNonpad) {
		return c.Errorf(CodeArity, "nonpad_kv_seqlen is for a cache outside: past_key can't be given with it")
	}
	if c.Since < 25 {
		return nil
	}
	present := c.Wants(attentionPresentKey)
	if present != c.Wants(attentionPresentValue) {
		return c.Errorf(CodeArity, "present_key and present_value must be asked for together")
	}
	if present && c.Has(attentionNonpad) {
		return c.Errorf(CodeArity, "nonpad_kv_seqlen is for a cache outside: present_key can't be asked for with it")
	}
	for _, name := range []string{"left_window_size", "right_window_size"} {
		if n := c.Int(name, -1); n < -1 {
			return c.Errorf(CodeAttribute, "%s is %d, the least allowed is -1", name, n)
		}
	}
	if c.Shape(attentionQ).Rank() == 4 && (c.HasAttr("q_num_heads") || c.HasAttr("kv_num_heads")) {
		return c.Errorf(CodeAttribute, "q_num_heads and kv_num_heads are for inputs of rank 3")
	}
	return nil
}

// attentionHeads reads the sizes; nil when no rank of Q, K and V is known.
func (c *Call) attentionHeads() (*heads, error) {
	rank := -1
	for _, i := range []int{attentionQ, attentionK, attentionV} {
		s := c.Shape(i)
		switch {
		case !s.Ranked():
		case s.Rank() != 3 && s.Rank() != 4:
			return nil, c.Errorf(CodeRank, "input %d has shape %s, not rank 3 or 4", i, s)
		case rank >= 0 && rank != s.Rank():
			return nil, c.Errorf(CodeRank, "Q, K and V differ in rank: %s, %s, %s", c.Shape(0), c.Shape(1), c.Shape(2))
		default:
			rank = s.Rank()
		}
	}
	if rank < 0 {
		return nil, nil
	}
	h, err := &heads{}, error(nil)
	if rank == 3 {
		h, err = c.packedHeads()
	} else {
		c.separateHeads(h)
	}
	if err != nil {
		return nil, err
	}
	if err := c.isVector(attentionNonpad, "nonpad_kv_seqlen", h.batch); err != nil {
		return nil, err
	}
	return h, c.attentionAgree(h)
}

func (c *Call) separateHeads(h *heads) {
	q, k, v := c.Shape(attentionQ), c.Shape(attentionK), c.Shape(attentionV)
	h.batch, h.queryHeads, h.queries, h.headSize = q.At(0), q.At(1), q.At(2), q.At(3)
	h.keyHeads, h.keys, h.valueSize = k.At(1), k.At(2), v.At(3)
}

// packedHeads reads rank 3, where the attributes say how many heads share the
// last axis.
func (c *Call) packedHeads() (*heads, error) {
	queryHeads, keyHeads := c.Int("q_num_heads", 0), c.Int("kv_num_heads", 0)
	if queryHeads < 1 || keyHeads < 1 {
		return nil, c.Errorf(CodeAttribute, "inputs of rank 3 need q_num_heads and kv_num_heads, not %d and %d", queryHeads, keyHeads)
	}
	q, k, v := c.Shape(attentionQ), c.Shape(attentionK), c.Shape(attentionV)
	h := &heads{
		packed: true, batch: q.At(0), queries: q.At(1), keys: k.At(1),
		queryHeads: dim.Int(queryHeads), keyHeads: dim.Int(keyHeads),
	}
	var err error
	if h.headSize, err = c.divideEvenly("hidden size of Q by q_num_heads", q.At(2), h.queryHeads); err != nil {
		return nil, err
	}
	keySize, err := c.divideEvenly("hidden size of K by kv_num_heads", k.At(2), h.keyHeads)
	if err != nil {
		return nil, err
	}
	if err := c.agree("head size of Q and K", &h.headSize, keySize); err != nil {
		return nil, err
	}
	h.valueSize, err = c.divideEvenly("hidden size of V by kv_num_heads", v.At(2), h.keyHeads)
	return h, err
}

// attentionAgree compares what K, V and the cache say of the same sizes, and
// fills in the cache's length.
func (c *Call) attentionAgree(h *heads) error {
	k, v := c.Shape(attentionK), c.Shape(attentionV)
	keys := 1
	if !h.packed {
		keys = 2
		if err := c.agree("head size of Q and K", &h.headSize, k.At(3)); err != nil {
			return err
		}
		if err := c.agree("heads of K and V", &h.keyHeads, v.At(1)); err != nil {
			return err
		}
	}
	if err := c.agree("length of K and V", &h.keys, v.At(keys)); err != nil {
		return err
	}
	for _, s := range []tensor.Shape{k, v} {
		if err := c.agree("batch size of Q, K and V", &h.batch, s.At(0)); err != nil {
			return err
		}
	}
	if n, ok := h.queryHeads.Int(); ok {
		if m, ok := h.keyHeads.Int(); ok && (m == 0 || n%m != 0) {
			return c.Errorf(CodeShape, "%d heads of K and V do not divide the %d of Q", m, n)
		}
	}
	h.past = dim.Int(0)
	if c.Has(attentionPastKey) {
		if err := c.attentionCache(h); err != nil {
			return err
		}
	}
	h.total = dim.Add(h.past, h.keys)
	return nil
}

// attentionCache reads past_key and past_value, batch x keyHeads x past x size.
func (c *Call) attentionCache(h *heads) error {
	key, value := c.Shape(attentionPastKey), c.Shape(attentionPastValue)
	h.past = dim.Unknown()
	for _, past := range []struct {
		shape tensor.Shape
		size  *dim.Dim
	}{{key, &h.headSize}, {value, &h.valueSize}} {
		if past.shape.Ranked() && past.shape.Rank() != 4 {
			return c.Errorf(CodeRank, "the cache has shape %s, not rank 4", past.shape)
		}
		for axis, size := range []*dim.Dim{&h.batch, &h.keyHeads, &h.past, past.size} {
			if err := c.agree("sizes of the cache", size, past.shape.At(axis)); err != nil {
				return err
			}
		}
	}
	return nil
}

// agree merges what is known of one size into d, and is an error where two
// numbers differ.
func (c *Call) agree(what string, d *dim.Dim, other dim.Dim) error {
	merged, ok := MergeDims(*d, other)
	if !ok {
		return c.Errorf(CodeShape, "%s: %s and %s differ", what, *d, other)
	}
	*d = merged
	return nil
}

// attentionMask checks that attn_mask broadcasts to batch x queryHeads x
// queries x total. Its last axis may be shorter: runtimes and the text since
// 24 fill it up.
func (c *Call) attentionMask(h *heads) error {
	mask := c.Shape(attentionMask)
	if !mask.Ranked() || mask.Rank() == 0 {
		return nil
	}
	if mask.Rank() > 4 {
		return c.Errorf(CodeRank, "attn_mask %s has more than four axes", mask)
	}
	leading := tensor.MakeShape(mask.Dims()[:mask.Rank()-1]...)
	return c.broadcastsTo(tensor.MakeShape(h.batch, h.queryHeads, h.queries), leading, "attn_mask")
}

func attentionMACs(c *Call) dim.Dim {
	h, err := c.attentionHeads()
	if h == nil || err != nil {
		return dim.Unknown()
	}
	return h.macs()
}

// macs counts both products: queries by keys over the head size, and the
// resulting weights by values.
func (h *heads) macs() dim.Dim {
	return dim.Product(h.batch, h.queryHeads, h.queries, h.total, dim.Add(h.headSize, h.valueSize))
}
