package contrib

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the operators of com.microsoft that choose which keys a
// sparse attention reads
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
// Their scores are products with all cached keys, of which the contents of
// other inputs tell how many there are.
var contribSparseIndexerOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "PackedSparseAttentionIndexer", Versions: []int{1}, Infer: packedSparseIndexer, MACs: op.UnknownMACs},
	{Domain: op.DomainMicrosoft, Name: "PackedSparseAttentionIndexerMerge", Versions: []int{1}, Infer: packedSparseIndexerMerge},
	{Domain: op.DomainMicrosoft, Name: "SparseAttentionIndexer", Versions: []int{1}, Infer: sparseIndexer, MACs: op.UnknownMACs},
}

// indexerPolicy is the attribute policy_mode: whether tokens (qsa) or
// compressed blocks (csa) are chosen, how many entries a query gets, and how
// many tokens are one block.
func indexerPolicy(c *op.Call) (compressed bool, entries dim.Dim, ratio int64, err error) {
	if ratio = c.Int("compress_ratio", 0); ratio < 1 {
		return false, entries, 0, c.Errorf(op.CodeAttribute, "compress_ratio is %d", ratio)
	}
	switch mode := c.Str("policy_mode", ""); mode {
	case "qsa":
		budget := c.Int("token_budget", 0)
		if budget < 1 || budget%ratio != 0 {
			return false, entries, 0, c.Errorf(op.CodeAttribute, "token_budget %d must be a multiple of compress_ratio %d", budget, ratio)
		}
		return false, dim.Add(dim.Int(budget), dim.Int(ratio-1)), ratio, nil
	case "csa":
		entries, err = c.SizeAttr("index_topk")
		return true, entries, ratio, err
	default:
		return false, entries, 0, c.Errorf(op.CodeAttribute, "policy_mode %q is neither qsa nor csa", mode)
	}
}

// Slots of SparseAttentionIndexer.
const (
	indexerPastKey    = 7
	indexerPastLength = 12
	indexerBuffer     = 13
)

// sparseIndexer: the query is batch x sequence x width, the chosen entries
// batch x sequence x entries, the keys batch x length x size.
func sparseIndexer(c *op.Call) error {
	c.Set(0, onnxgraph.Int32, tensor.RankOnly(3))
	c.Set(1, c.DType(indexerPastKey), tensor.RankOnly(3))
	c.Set(2, c.DType(0), tensor.RankOnly(4))
	if err := c.CheckRank(0, "query", 3); err != nil {
		return err
	}
	if err := c.CheckRank(indexerPastKey, "past_key", 3); err != nil {
		return err
	}
	compressed, entries, ratio, err := indexerPolicy(c)
	if err != nil {
		return err
	}
	q, past := c.Shape(0), c.Shape(indexerPastKey)
	c.Set(0, onnxgraph.Int32, tensor.MakeShape(q.At(0), q.At(1), entries))
	added := q.At(1)
	if compressed {
		buffer := c.Shape(indexerBuffer)
		var kept dim.Dim
		added, kept = closedWindows(buffer.At(2), q.At(1), ratio)
		c.Set(2, c.DType(0), tensor.MakeShape(dim.Int(2), q.At(0), kept, dim.Mul(dim.Int(2), past.At(2))))
	}
	length := dim.Add(past.At(1), added)
	if c.Has(indexerPastLength) {
		length = past.At(1)
	}
	c.Set(1, c.DType(indexerPastKey), tensor.MakeShape(past.At(0), length, past.At(2)))
	return nil
}

// closedWindows is how many windows of ratio tokens become full by so many new
// tokens, and how many tokens stay in the buffer: the last full window, if
// there is one, and what came after it.
func closedWindows(buffered, tokens dim.Dim, ratio int64) (closed, kept dim.Dim) {
	have, ok := buffered.Int()
	if !ok {
		return dim.Unknown(), dim.Unknown()
	}
	open, full := have, have >= ratio
	if full {
		open -= ratio
	}
	all := dim.Add(dim.Int(open), tokens)
	closed, kept = dim.FloorDiv(all, dim.Int(ratio)), dim.Mod(all, dim.Int(ratio))
	n, known := closed.Int()
	switch {
	case full || n > 0:
		return closed, dim.Add(dim.Int(ratio), kept)
	case known:
		return closed, kept
	}
	return closed, dim.Unknown()
}

// packedSparseIndexer works on tokens x width of several requests; all states
// keep their sizes.
func packedSparseIndexer(c *op.Call) error {
	tokens, state := c.Shape(0).At(0), c.Shape(12)
	if err := c.CheckRank(0, "query", 2); err != nil {
		return err
	}
	_, entries, _, err := indexerPolicy(c)
	if err != nil {
		return err
	}
	if n := c.Int("max_output_entries", 0); n > 0 {
		entries = dim.Int(n)
	}
	c.Set(0, onnxgraph.Int32, tensor.MakeShape(tokens, entries))
	c.Set(1, onnxgraph.Int32, tensor.MakeShape(tokens))
	for o, slot := range []int{12, 13, 14, 15} {
		c.SetLike(2+o, slot)
	}
	capacity := dim.Int(c.Int("state_update_capacity", 0))
	c.Set(6, c.DType(0), tensor.MakeShape(state.At(0), capacity, state.At(2)))
	c.Set(7, onnxgraph.Int32, tensor.MakeShape(tokens))
	c.Set(8, onnxgraph.Int32, tensor.MakeShape(state.At(0)))
	return nil
}

// packedSparseIndexerMerge gives each of the rows in base_row_indices
// max_output_entries.
func packedSparseIndexerMerge(c *op.Call) error {
	width, err := c.SizeAttr("max_output_entries")
	if err != nil {
		return err
	}
	rows := c.Shape(2).At(0)
	c.Set(0, onnxgraph.Int32, tensor.MakeShape(rows, width))
	c.Set(1, onnxgraph.Int32, tensor.MakeShape(rows))
	c.Set(2, onnxgraph.Int32, tensor.MakeShape(rows))
	return nil
}
