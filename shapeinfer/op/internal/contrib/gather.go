package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/movement"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the look-ups of com.microsoft
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribGatherOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "GatherBlockQuantized", Versions: []int{1}, Infer: gatherBlockQuantized, QuantizedWeights: true},
	{Domain: op.DomainMicrosoft, Name: "GatherND", Versions: []int{1}, Infer: movement.GatherND, Effect: op.Moves, Roles: op.ParametersAt(0)},
	{Domain: op.DomainMicrosoft, Name: "GatherPacked", Versions: []int{1}, Infer: gatherPacked, Effect: op.Moves},
	{Domain: op.DomainMicrosoft, Name: "TorchEmbedding", Versions: []int{1}, Infer: torchEmbedding, Effect: op.Moves, Roles: op.ParametersAt(0)},
	{Domain: op.DomainMicrosoft, Name: "WordConvEmbedding", Versions: []int{1}, Infer: wordConvEmbedding, MACs: wordConvEmbeddingMACs},
}

// gatherBlockQuantized gathers and dequantises to the type of scales. UINT8
// packs 8/bits values on the last axis.
func gatherBlockQuantized(c *op.Call) error {
	data, indices, d := c.Shape(0), c.Shape(1), c.DType(2)
	c.Set(0, d, tensor.Shape{})
	if !data.Ranked() || !indices.Ranked() {
		return nil
	}
	axis, err := c.Axis(c.Int("gather_axis", 0), data.Rank())
	if err != nil {
		return err
	}
	if _, err := c.Axis(c.Int("quantize_axis", 1), data.Rank()); err != nil {
		return err
	}
	if axis != 0 && c.DType(0) == onnxgraph.Uint8 {
		return c.Errorf(op.CodeAttribute, "gather_axis is %d, packed data is gathered on axis 0", axis)
	}
	bits := c.Int("bits", 4)
	if bits != 2 && bits != 4 && bits != 8 {
		return c.Errorf(op.CodeAttribute, "bits is %d, not 2, 4 or 8", bits)
	}
	out := make([]dim.Dim, 0, data.Rank()+indices.Rank())
	out = append(append(append(out, data.Dims()[:axis]...), indices.Dims()...), data.Dims()[axis+1:]...)
	if axis < data.Rank()-1 {
		packed := weightsPerByte(c.DType(0), bits)
		out[len(out)-1] = dim.Mul(out[len(out)-1], dim.Int(packed))
	}
	c.Set(0, d, tensor.MakeShape(out...))
	return nil
}

// embedRows sets output 0 to a row of that width for each index.
func embedRows(c *op.Call, d onnxgraph.DType, indices tensor.Shape, width dim.Dim) {
	c.Set(0, d, tensor.Shape{})
	if indices.Ranked() {
		c.Set(0, d, tensor.MakeShape(append(indices.Clone(), width)...))
	}
}

// gatherPacked: the table is rows x bytes, a row has K values.
func gatherPacked(c *op.Call) error {
	k, err := c.SizeAttr("K")
	if err != nil {
		return err
	}
	embedRows(c, c.DTypeAttr("output_dtype", onnxgraph.Bfloat16), c.Shape(1), k)
	return c.CheckRank(0, "data", 2)
}

func torchEmbedding(c *op.Call) error {
	embedRows(c, c.DType(0), c.Shape(1), c.Shape(0).At(1))
	return c.CheckRank(0, "weight", 2)
}

// wordConvEmbedding makes a vector of each word: the sequence is words x
// characters, W is embedding size x 1 x window x character size.
func wordConvEmbedding(c *op.Call) error {
	c.Set(0, c.DType(1), tensor.RankOnly(2))
	if err := c.CheckRank(0, "Sequence", 2); err != nil {
		return err
	}
	if err := c.CheckRank(1, "W", 4); err != nil {
		return err
	}
	size := c.Shape(1).At(0)
	if n := c.Int("embedding_size", 0); n > 0 {
		if err := c.MergeSize("embedding_size and W", &size, dim.Int(n)); err != nil {
			return err
		}
	}
	c.Set(0, c.DType(1), tensor.MakeShape(c.Shape(0).At(0), size))
	return nil
}

// wordConvEmbeddingMACs: the window takes characters - window + 1 places in
// each word.
func wordConvEmbeddingMACs(c *op.Call) dim.Dim {
	words, w := c.Shape(0), c.Shape(1)
	places := dim.Add(dim.Sub(words.At(1), w.At(2)), dim.Int(1))
	return dim.Product(words.At(0), places, w.Elements())
}
