package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the attentions of com.microsoft that project their input by
// merged weights, input x (hidden + hidden + v_hidden)
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribAttentionOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "Attention", Versions: []int{1},
		Infer: attentionContrib, MACs: attentionContribMACs, Roles: op.ParametersAt(1, 2)},
	{Domain: op.DomainMicrosoft, Name: "DecoderMaskedSelfAttention", Versions: []int{1}, Infer: attentionContrib, MACs: attentionContribMACs},
	{Domain: op.DomainMicrosoft, Name: "LongformerAttention", Versions: []int{1}, Infer: longformerAttention, MACs: op.UnknownMACs},
	{Domain: op.DomainMicrosoft, Name: "PackedAttention", Versions: []int{1}, Infer: packedAttention, MACs: op.UnknownMACs},
	{Domain: op.DomainMicrosoft, Name: "QAttention", Versions: []int{1}, Infer: qAttention, MACs: qAttentionMACs, QuantizedWeights: true},
	{Domain: op.DomainMicrosoft, Name: "QOrderedAttention", Versions: []int{1}, Infer: qOrderedAttention, MACs: qOrderedAttentionMACs},
	{Domain: op.DomainMicrosoft, Name: "QOrderedLongformerAttention", Versions: []int{1}, Infer: longformerAttention, MACs: op.UnknownMACs},
}

// A projection holds the sizes of an attention with merged weights.
type projection struct {
	hidden, valueHidden dim.Dim // of Q and K, and of V: all heads together
	heads               dim.Dim
	past, total         dim.Dim // keys in the cache before and after
}

// projectionOf reads the sizes. weights and bias are input slots.
func projectionOf(c *op.Call, weights, bias int) (p projection, err error) {
	n := c.Int("num_heads", 0)
	if n < 1 {
		return p, c.Errorf(op.CodeAttribute, "num_heads is %d", n)
	}
	p.heads = dim.Int(n)
	if sizes := c.IntList("qkv_hidden_sizes"); len(sizes) > 0 {
		if len(sizes) != 3 {
			return p, c.Errorf(op.CodeAttribute, "qkv_hidden_sizes has %d numbers, not 3", len(sizes))
		}
		p.hidden, p.valueHidden = dim.Int(sizes[0]), dim.Int(sizes[2])
		return p, nil
	}
	merged := c.Shape(weights).At(1)
	if err := c.MergeSize("columns of the weights and bias", &merged, c.Shape(bias).At(0)); err != nil {
		return p, err
	}
	if p.hidden, err = c.DivideEvenly("columns of the weights", merged, dim.Int(3)); err != nil {
		return p, err
	}
	p.valueHidden = p.hidden
	_, err = c.DivideEvenly("hidden size by num_heads", p.hidden, p.heads)
	return p, err
}

// projectionCache adds the cache in input slot past, 2 x batch x heads x
// length x head size, to which length new keys come.
func projectionCache(c *op.Call, p *projection, past int, length dim.Dim) error {
	p.past = dim.Int(0)
	if c.Has(past) {
		if err := c.CheckRank(past, "past", 5); err != nil {
			return err
		}
		p.past = c.Shape(past).At(3)
	}
	p.total = dim.Add(p.past, length)
	return nil
}

func attentionContrib(c *op.Call) error { return projectAttention(c, c.DType(0), 1, 2, 4) }

func qAttention(c *op.Call) error { return projectAttention(c, c.DType(2), 1, 2, 8) }

// projectAttention sets output 0, batch x sequence x v_hidden, and output 1,
// the cache with the new keys and values. A shared buffer keeps its size.
func projectAttention(c *op.Call, d onnxgraph.DType, weights, bias, past int) error {
	x := c.Shape(0)
	c.Set(0, d, tensor.RankOnly(3))
	c.Set(1, d, tensor.RankOnly(5))
	if err := c.CheckRank(0, "input", 3); err != nil {
		return err
	}
	if err := c.CheckRank(weights, "weights", 2); err != nil {
		return err
	}
	if err := c.SameSize("input size and rows of the weights", x.At(2), c.Shape(weights).At(0)); err != nil {
		return err
	}
	p, err := projectionOf(c, weights, bias)
	if err != nil {
		return err
	}
	if err := projectionCache(c, &p, past, x.At(1)); err != nil {
		return err
	}
	c.Set(0, d, tensor.MakeShape(x.At(0), x.At(1), p.valueHidden))
	length := p.total
	if c.Flag("past_present_share_buffer", false) && c.Has(past) {
		length = p.past
	}
	c.Set(1, d, tensor.MakeShape(dim.Int(2), x.At(0), p.heads, length, dim.Div(p.hidden, p.heads)))
	return nil
}

func attentionContribMACs(c *op.Call) dim.Dim { return projectAttentionMACs(c, 1, 2, 4) }

func qAttentionMACs(c *op.Call) dim.Dim { return projectAttentionMACs(c, 1, 2, 8) }

// projectAttentionMACs counts the projection and both products with the keys,
// of which a shared buffer holds fewer than it has room for.
func projectAttentionMACs(c *op.Call, weights, bias, past int) dim.Dim {
	p, err := projectionOf(c, weights, bias)
	if err != nil {
		return dim.Unknown()
	}
	x := c.Shape(0)
	if projectionCache(c, &p, past, x.At(1)) != nil {
		return dim.Unknown()
	}
	if c.Flag("past_present_share_buffer", false) && c.Has(past) {
		p.total = dim.Add(c.Number(6), x.At(1))
	}
	return dim.Add(dim.Mul(op.LeadingElements(x), c.Shape(weights).Elements()), p.scoreMACs(op.LeadingElements(x)))
}

// scoreMACs counts the products of every query with all keys, and of the
// weights with all values.
func (p *projection) scoreMACs(queries dim.Dim) dim.Dim {
	return dim.Product(queries, p.total, dim.Add(p.hidden, p.valueHidden))
}

// packedAttention works on tokens x input, without padding. How many keys a
// token meets depends on the lengths of the sequences.
func packedAttention(c *op.Call) error {
	c.Set(0, c.DType(0), tensor.RankOnly(2))
	if err := c.CheckRank(0, "input", 2); err != nil {
		return err
	}
	p, err := projectionOf(c, 1, 2)
	if err != nil {
		return err
	}
	c.Set(0, c.DType(0), tensor.MakeShape(c.Shape(0).At(0), p.valueHidden))
	return nil
}

// longformerAttention: the output is like the input. How many tokens attend to
// all others is known only at run time.
func longformerAttention(c *op.Call) error {
	c.SetLike(0, 0)
	return c.CheckRank(0, "input", 3)
}

// qOrderedAttention has a bias of its own for Q, K and V: inputs 11 to 13.
func qOrderedAttention(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, c.DType(0), tensor.RankOnly(3))
	if err := c.CheckRank(0, "input", 3); err != nil {
		return err
	}
	c.Set(0, c.DType(0), tensor.MakeShape(x.At(0), x.At(1), c.Shape(13).At(0)))
	return nil
}

func qOrderedAttentionMACs(c *op.Call) dim.Dim {
	x := c.Shape(0)
	p := projection{hidden: c.Shape(11).At(0), valueHidden: c.Shape(13).At(0), past: dim.Int(0), total: x.At(1)}
	if c.Has(18) {
		p.total = dim.Add(c.Shape(18).At(3), x.At(1))
	}
	weights := dim.Mul(x.At(2), dim.Sum(c.Shape(11).At(0), c.Shape(12).At(0), c.Shape(13).At(0)))
	return dim.Add(dim.Mul(op.LeadingElements(x), weights), p.scoreMACs(op.LeadingElements(x)))
}
