package attention

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/nn"
	"onnxmem/shapeinfer/tensor"
)

// This file holds what decoders do beside attention: positions, caches that
// are written in place, and causal convolutions that carry their last inputs.
//
// RotaryEmbedding: https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html
// 23: the output is like X, of rank 3 or 4.
//
// TensorScatter: https://onnx.ai/onnx/operators/onnx__TensorScatter.html
// 24: the output is like past_cache; update differs from it on the sequence
// axis only.
//
// CausalConvWithState: https://onnx.ai/onnx/operators/onnx__CausalConvWithState.html
// 27: input B x C x L, weight C x 1 x k, state B x C x k-1.
var sequenceCacheOps = []op.Op{
	{Name: "RotaryEmbedding", Versions: []int{23}, Infer: rotaryEmbedding},
	{Name: "TensorScatter", Versions: []int{24}, Infer: tensorScatter, Effect: op.Moves},
	{Name: "CausalConvWithState", Versions: []int{27}, Infer: causalConv, MACs: nn.ConvMACs},
}

func rotaryEmbedding(c *op.Call) error {
	x := c.Shape(0)
	op.LikeFirst(c)
	switch {
	case !x.Ranked() || x.Rank() == 4:
	case x.Rank() != 3:
		return c.Errorf(op.CodeRank, "input %s is not of rank 3 or 4", x)
	default:
		heads := c.Int("num_heads", 0)
		if heads < 1 {
			return c.Errorf(op.CodeAttribute, "an input of rank 3 needs num_heads, not %d", heads)
		}
		if _, err := c.DivideEvenly("hidden size by num_heads", x.At(2), dim.Int(heads)); err != nil {
			return err
		}
	}
	rank := 3
	if c.Has(3) {
		rank = 2
	}
	for i := 1; i < 3; i++ {
		if s := c.Shape(i); s.Ranked() && s.Rank() != rank {
			return c.Errorf(op.CodeRank, "the cache of cosines or sines has shape %s, not rank %d", s, rank)
		}
	}
	if s := c.Shape(3); s.Ranked() && s.Rank() != 2 {
		return c.Errorf(op.CodeRank, "position_ids %s is not batch x sequence", s)
	}
	return rotation(c)
}

// rotation checks the caches against the input, batch x heads x sequence x head
// size or batch x sequence x heads*head size: they hold one number for each
// pair of rotated channels, by position, or else by batch and sequence.
func rotation(c *op.Call) error {
	x := c.Shape(0)
	sequence, size := x.At(2), x.At(3)
	if x.Rank() == 3 {
		sequence, size = x.At(1), dim.Div(x.At(2), dim.Int(c.Int("num_heads", 0)))
	}
	if n := c.Int("rotary_embedding_dim", 0); n > 0 {
		size = dim.Int(n)
	}
	pairs := dim.Unknown()
	if n, ok := size.Int(); ok {
		pairs = dim.Int(n / 2)
	}
	cache := tensor.MakeShape(x.At(0), sequence, pairs)
	if c.Has(3) {
		cache = tensor.MakeShape(dim.Unknown(), pairs)
	}
	if err := c.SameShape("cosines", c.Shape(1), "sines", c.Shape(2)); err != nil {
		return err
	}
	for i, want := range []tensor.Shape{cache, cache, tensor.MakeShape(x.At(0), sequence)} {
		for axis, d := range want.Dims() {
			if err := c.SameSize("the input and what rotates it", d, c.Shape(1+i).At(axis)); err != nil {
				return err
			}
		}
	}
	return nil
}

func tensorScatter(c *op.Call) error {
	cache, update := c.Shape(0), c.Shape(1)
	op.LikeFirst(c)
	if mode := c.Str("mode", "linear"); mode != "linear" && mode != "circular" {
		return c.Errorf(op.CodeAttribute, "mode %q is neither linear nor circular", mode)
	}
	if !cache.Ranked() {
		return nil
	}
	axis, err := c.Axis(c.Int("axis", -2), cache.Rank())
	if err != nil {
		return err
	}
	if axis == 0 {
		return c.Errorf(op.CodeAttribute, "axis 0 is the batch and can't be the sequence")
	}
	if !update.Ranked() {
		return nil
	}
	if update.Rank() != cache.Rank() {
		return c.Errorf(op.CodeRank, "cache %s and update %s differ in rank", cache, update)
	}
	for i := range cache.Dims() {
		if i == axis {
			have, known := update.At(i).Int()
			if room, ok := cache.At(i).Int(); ok && known && have > room {
				return c.Errorf(op.CodeShape, "an update of %d does not fit into a cache of %d", have, room)
			}
			continue
		}
		if err := c.SameSize("cache and update", cache.At(i), update.At(i)); err != nil {
			return err
		}
	}
	return c.CheckVector(2, "write_indices", cache.At(0))
}

func causalConv(c *op.Call) error {
	x, w, past := c.Shape(0), c.Shape(1), c.Shape(3)
	c.Set(0, c.DType(0), tensor.RankOnly(3))
	c.Set(1, c.DType(0), tensor.RankOnly(3))
	switch a := c.Str("activation", "none"); a {
	case "none", "silu", "swish":
	default:
		return c.Errorf(op.CodeAttribute, "activation %q is not one of none, silu, swish", a)
	}
	for _, s := range []tensor.Shape{x, w, past} {
		if s.Ranked() && s.Rank() != 3 {
			return c.Errorf(op.CodeRank, "input, weight and past_state must have rank 3, not shape %s", s)
		}
	}
	batch, channels, state := x.At(0), x.At(1), dim.Sub(w.At(2), dim.Int(1))
	for _, fact := range []struct {
		what  string
		into  *dim.Dim
		other dim.Dim
	}{
		{"channels of input and weight", &channels, w.At(0)},
		{"batch size and past_state", &batch, past.At(0)},
		{"channels and past_state", &channels, past.At(1)},
		{"kernel size less one and past_state", &state, past.At(2)},
	} {
		if err := c.MergeSize(fact.what, fact.into, fact.other); err != nil {
			return err
		}
	}
	if err := c.SameSize("middle axis of weight and 1", w.At(1), dim.Int(1)); err != nil {
		return err
	}
	if k, ok := w.At(2).Int(); ok && k < 1 {
		return c.Errorf(op.CodeShape, "the weight %s has no elements", w)
	}
	c.Set(0, c.DType(0), tensor.MakeShape(batch, channels, x.At(2)))
	c.Set(1, c.DType(0), tensor.MakeShape(batch, channels, state))
	return c.CheckVector(2, "bias", channels)
}
