package contrib

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.microsoft that take the padding out of
// a batch of sequences and put it back, and those that bias attention by
// position
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribPaddingOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "GatedRelativePositionBias", Versions: []int{1},
		Infer: gatedRelativePositionBias, MACs: gatedRelativePositionBiasMACs},
	{Domain: op.DomainMicrosoft, Name: "GemmaRotaryEmbedding", Versions: []int{1}, Infer: gemmaRotaryEmbedding},
	{Domain: op.DomainMicrosoft, Name: "MRotaryEmbedding", Versions: []int{1}, Infer: rotaryEmbeddingContrib},
	{Domain: op.DomainMicrosoft, Name: "RelativePositionBias", Versions: []int{1}, Infer: relativePositionBias},
	{Domain: op.DomainMicrosoft, Name: "RemovePadding", Versions: []int{1}, Infer: removePadding, Effect: op.Moves},
	{Domain: op.DomainMicrosoft, Name: "RestorePadding", Versions: []int{1}, Infer: restorePadding, Effect: op.Moves},
	{Domain: op.DomainMicrosoft, Name: "RotaryEmbedding", Versions: []int{1}, Infer: rotaryEmbeddingContrib},
}

// removePadding: batch x sequence x hidden becomes tokens x hidden. The tokens
// of each sequence, input 1, add up to all tokens.
func removePadding(c *op.Call) error {
	x, d := c.Shape(0), c.DType(1)
	if err := c.CheckRank(0, "input", 3); err != nil {
		return err
	}
	tokens, ok := c.SumOfElements(1)
	if !ok {
		tokens = c.NewSymbol(0, 0, 0, dim.Mul(x.At(0), x.At(1)))
	}
	c.Set(0, c.DType(0), tensor.MakeShape(tokens, x.At(2)))
	c.Set(1, d, tensor.MakeShape(x.At(0), x.At(1)))
	c.Set(2, d, tensor.MakeShape(dim.Add(x.At(0), dim.Int(1))))
	c.Set(3, d, tensor.IntShape(1))
	return nil
}

// restorePadding: token_offset is batch x sequence.
func restorePadding(c *op.Call) error {
	x, offset := c.Shape(0), c.Shape(1)
	if err := c.CheckRank(0, "input", 2); err != nil {
		return err
	}
	if err := c.CheckRank(1, "token_offset", 2); err != nil {
		return err
	}
	c.Set(0, c.DType(0), tensor.MakeShape(offset.At(0), offset.At(1), x.At(1)))
	return nil
}

// relativePositionBias: 1 x heads x query_length x key_length; the table is
// buckets x heads.
func relativePositionBias(c *op.Call) error {
	if err := c.CheckRank(0, "bias_table", 2); err != nil {
		return err
	}
	query, key := c.Number(1), c.Number(2)
	if !query.IsKnown() || !key.IsKnown() {
		c.Unknown(0, "the values of query_length and key_length are unknown")
	}
	c.Set(0, c.DType(0), tensor.MakeShape(dim.Int(1), c.Shape(0).At(1), query, key))
	return nil
}

// gatedRelativePositionBias: rel_pos is 1 x heads x sequence x sequence; the
// batch is that of the queries, or of token_offset where these are packed.
func gatedRelativePositionBias(c *op.Call) error {
	q, position := c.Shape(0), c.Shape(2)
	if err := c.CheckRank(0, "query_layer", 2, 3); err != nil {
		return err
	}
	n, err := c.SizeAttr("num_heads")
	if err != nil {
		return err
	}
	batch, sequence := q.At(0), position.At(2)
	if c.Has(6) {
		batch = c.Shape(6).At(0)
		err = c.MergeSize("sequence and token_offset", &sequence, c.Shape(6).At(1))
	} else if q.Rank() == 3 {
		err = c.MergeSize("sequence and query_layer", &sequence, q.At(1))
	}
	c.Set(0, c.DType(0), tensor.MakeShape(batch, n, sequence, sequence))
	return err
}

// gatedRelativePositionBiasMACs: the head of every token is multiplied by the
// gate's weight, head size x D.
func gatedRelativePositionBiasMACs(c *op.Call) dim.Dim {
	return dim.Mul(c.Shape(0).Elements(), c.Shape(3).At(1))
}

// rotaryEmbeddingContrib: batch x sequence x hidden, batch x heads x sequence x
// size, or packed tokens; the output is like the input.
func rotaryEmbeddingContrib(c *op.Call) error {
	c.SetLike(0, 0)
	return c.CheckRank(0, "input", 2, 3, 4)
}

// gemmaRotaryEmbedding rotates q, input 1, and k, input 3.
func gemmaRotaryEmbedding(c *op.Call) error {
	q, err := c.MergeShapes(c.Shape(1), c.Shape(2))
	if err != nil {
		return err
	}
	k, err := c.MergeShapes(c.Shape(3), c.Shape(4))
	c.Set(0, c.DType(1), q)
	c.Set(1, c.DType(3), k)
	return err
}
