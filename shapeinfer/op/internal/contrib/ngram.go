package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.microsoft on runs of token ids
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribNGramOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "BifurcationDetector", Versions: []int{1}, Infer: bifurcationDetector},
	{Domain: op.DomainMicrosoft, Name: "NGramHashMapping", Versions: []int{1}, Infer: nGramHashMapping},
	{Domain: op.DomainMicrosoft, Name: "NGramRepeatBlock", Versions: []int{1}, Infer: op.Like(1)},
	{Domain: op.DomainMicrosoft, Name: "SpeculativePrefixCommit", Versions: []int{1}, Infer: speculativePrefixCommit},
	{Domain: op.DomainMicrosoft, Name: "VarlenNGramHashMapping", Versions: []int{1}, Infer: varlenNGramHashMapping},
}

// nGramSizes are the ids that precede a token in its longest n-gram, and the
// hashes of a token: so many heads for each n from 2 on.
func nGramSizes(c *op.Call) (history, hashes dim.Dim, err error) {
	n, heads := c.Int("max_ngram_size", 0), c.Int("n_head_per_ngram", 0)
	if n < 2 || heads < 1 {
		return history, hashes, c.Errorf(op.CodeAttribute, "max_ngram_size is %d, n_head_per_ngram %d", n, heads)
	}
	history = dim.Int(n - 1)
	return history, dim.Mul(history, dim.Int(heads)), nil
}

func nGramHashMapping(c *op.Call) error {
	history, hashes, err := nGramSizes(c)
	if err != nil {
		return err
	}
	if err := c.CheckRank(0, "input_ids", 2); err != nil {
		return err
	}
	ids := c.Shape(0)
	c.Set(0, c.DType(0), tensor.MakeShape(ids.At(0), ids.At(1), hashes))
	c.Set(1, c.DType(0), tensor.MakeShape(ids.At(0), history))
	return nil
}

// varlenNGramHashMapping works on the tokens of several requests one after the
// other; input 3 has their offsets, one more than requests.
func varlenNGramHashMapping(c *op.Call) error {
	history, hashes, err := nGramSizes(c)
	if err != nil {
		return err
	}
	if err := c.CheckRank(0, "input_ids", 1); err != nil {
		return err
	}
	requests := dim.Sub(c.Shape(3).At(0), dim.Int(1))
	if err := c.MergeSize("requests and past_ids", &requests, c.Shape(4).At(0)); err != nil {
		return err
	}
	c.Set(0, c.DType(0), tensor.MakeShape(c.Shape(0).At(0), hashes))
	c.Set(1, c.DType(0), tensor.MakeShape(requests, history))
	c.Set(2, onnxgraph.Int32, tensor.MakeShape(requests, history))
	c.Set(3, c.DType(0), tensor.MakeShape(requests, dim.Int(c.Int("state_update_capacity", 0)), history))
	return nil
}

// bifurcationDetector appends the predicted tokens from some place on to the
// current ones.
func bifurcationDetector(c *op.Call) error {
	current := c.Shape(1).At(0)
	tokens := current
	if c.Has(3) {
		least, _ := current.Int()
		tokens = c.NewSymbol(0, 0, least, dim.Add(current, c.Shape(3).At(0)))
	}
	c.Set(0, c.DType(0), tensor.MakeShape(tokens))
	c.Set(1, c.DType(0), tensor.ScalarShape())
	return nil
}

// speculativePrefixCommit: next_tokens are batch x rows, or rows of one.
func speculativePrefixCommit(c *op.Call) error {
	batch := dim.Unknown()
	if err := c.CheckRank(0, "next_tokens", 1, 2); err != nil {
		return err
	}
	switch s := c.Shape(0); s.Rank() {
	case 1:
		batch = dim.Int(1)
	case 2:
		batch = s.At(0)
	}
	c.Set(0, onnxgraph.Int32, tensor.MakeShape(batch))
	c.SetLike(1, 3)
	c.SetLike(2, 4)
	return nil
}
