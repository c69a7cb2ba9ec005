package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.microsoft that belong to no other
// family
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribOtherOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "CDist", Versions: []int{1}, Infer: cDist},
	{Domain: op.DomainMicrosoft, Name: "DynamicTimeWarping", Versions: []int{1}, Infer: dynamicTimeWarping},
	{Domain: op.DomainMicrosoft, Name: "EPContext", Versions: []int{1}, Infer: compiledElsewhere, MACs: op.UnknownMACs},
	{Domain: op.DomainMicrosoft, Name: "Inverse", Versions: []int{1}, Infer: inverse},
	{Domain: op.DomainMicrosoft, Name: "IsAllFinite", Versions: []int{1}, Infer: isAllFinite},
	{Domain: op.DomainMicrosoft, Name: "MurmurHash3", Versions: []int{1}, Infer: murmurHash3},
	{Domain: op.DomainMicrosoft, Name: "SampleOp", Versions: []int{1}, Infer: op.LikeFirst},
	{Domain: op.DomainMicrosoft, Name: "Snpe", Versions: []int{1}, Infer: compiledElsewhere, MACs: op.UnknownMACs},
	{Domain: op.DomainMicrosoft, Name: "Tokenizer", Versions: []int{1}, Infer: tokenizer},
}

// cDist compares all rows of two matrices.
func cDist(c *op.Call) error {
	for i, what := range []string{"A", "B"} {
		if err := c.CheckRank(i, what, 2); err != nil {
			return err
		}
	}
	c.Set(0, c.DType(0), tensor.MakeShape(c.Shape(0).At(0), c.Shape(1).At(0)))
	return c.SameSize("columns of A and B", c.Shape(0).At(1), c.Shape(1).At(1))
}

// inverse: the last two axes are square matrices.
func inverse(c *op.Call) error {
	x := c.Shape(0)
	c.SetLike(0, 0)
	if !x.Ranked() {
		return nil
	}
	if x.Rank() < 2 {
		return c.Errorf(op.CodeRank, "input %s has no matrix: its rank is below 2", x)
	}
	return c.SameSize("sides of the matrices", x.At(-2), x.At(-1))
}

func isAllFinite(c *op.Call) error {
	c.Set(0, onnxgraph.Bool, tensor.ScalarShape())
	return nil
}

// murmurHash3 gives unsigned hashes, or signed ones when the attribute
// positive is 0.
func murmurHash3(c *op.Call) error {
	d := onnxgraph.Uint32
	if !c.Flag("positive", true) {
		d = onnxgraph.Int32
	}
	c.Set(0, d, c.Shape(0))
	return nil
}

// dynamicTimeWarping finds a path through costs of M x N, or 1 x M x N: 2 x x
// with max(M, N) <= x < M + N.
func dynamicTimeWarping(c *op.Call) error {
	x := c.Shape(0)
	if err := c.CheckRank(0, "input", 2, 3); err != nil {
		return err
	}
	m, n := x.At(-2), x.At(-1)
	a, _ := m.Int()
	b, _ := n.Int()
	steps := c.NewSymbol(0, 1, max(a, b), dim.Sub(dim.Add(m, n), dim.Int(1)))
	c.Set(0, onnxgraph.Int32, tensor.MakeShape(dim.Int(2), steps))
	return nil
}

// tokenizer adds an axis with as many places as the text with the most tokens
// needs. Of no texts there are no tokens, and no axis.
func tokenizer(c *op.Call) error {
	x := c.Shape(0)
	c.Set(0, onnxgraph.String, tensor.Shape{})
	if err := c.CheckRank(0, "X", 1, 2); err != nil {
		return err
	}
	if !x.Ranked() {
		return nil
	}
	if n, ok := x.Elements().Int(); ok && n == 0 {
		c.Set(0, onnxgraph.String, x)
		return nil
	}
	tokens := c.NewSymbol(0, x.Rank(), 0, dim.Unknown())
	c.Set(0, onnxgraph.String, tensor.MakeShape(append(x.Clone(), tokens)...))
	return nil
}

// compiledElsewhere is a part of the graph that was compiled for an
// accelerator; only declarations tell what comes out.
func compiledElsewhere(c *op.Call) error {
	for o := range c.Outputs {
		c.Unknown(o, "the node holds a graph that was compiled for an accelerator")
	}
	return nil
}
