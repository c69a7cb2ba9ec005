package contrib

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/internal/standard/nn"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the recurrent layers of com.microsoft: LSTM with attention
// over a memory, and LSTM with quantised weights
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribRecurrentOps = []op.Op{
	{Domain: op.DomainMicrosoft, Name: "AttnLSTM", Versions: []int{1}, Infer: attnLSTM, MACs: attnLSTMMACs},
	{Domain: op.DomainMicrosoft, Name: "DynamicQuantizeLSTM", Versions: []int{1}, Infer: quantizedLSTM, MACs: quantizedLSTMMACs, QuantizedWeights: true},
}

// attnLSTM: R is directions x 4*hidden x hidden.
func attnLSTM(c *op.Call) error { return setRecurrence(c, c.Shape(2).At(2)) }

// quantizedLSTM: R is directions x hidden x 4*hidden.
func quantizedLSTM(c *op.Call) error { return setRecurrence(c, c.Shape(2).At(1)) }

// setRecurrence sets the outputs Y, Y_h and Y_c. hidden is what R says of the
// hidden size; input 5 is initial_h.
func setRecurrence(c *op.Call, hidden dim.Dim) error {
	c.Set(0, c.DType(0), tensor.RankOnly(4))
	c.Set(1, c.DType(0), tensor.RankOnly(3))
	c.Set(2, c.DType(0), tensor.RankOnly(3))
	for _, slot := range []int{0, 1, 2, 5} {
		if err := c.CheckRank(slot, "X, W, R or initial_h", 3); err != nil {
			return err
		}
	}
	directions, err := nn.Directions(c)
	if err != nil {
		return err
	}
	x, h := c.Shape(0), c.Shape(5)
	r := nn.Recurrence{Steps: x.At(0), Batch: x.At(1), Hidden: hidden, Directions: dim.Int(directions)}
	if n := c.Int("hidden_size", 0); n > 0 {
		if err := c.MergeSize("hidden_size and R", &r.Hidden, dim.Int(n)); err != nil {
			return err
		}
	}
	for _, fact := range []struct {
		what  string
		into  *dim.Dim
		other dim.Dim
	}{
		{"directions and W", &r.Directions, c.Shape(1).At(0)},
		{"directions and R", &r.Directions, c.Shape(2).At(0)},
		{"batch size and sequence_lens", &r.Batch, c.Shape(4).At(0)},
		{"directions and initial_h", &r.Directions, h.At(0)},
		{"batch size and initial_h", &r.Batch, h.At(1)},
		{"hidden size and initial_h", &r.Hidden, h.At(2)},
	} {
		if err := c.MergeSize(fact.what, fact.into, fact.other); err != nil {
			return err
		}
	}
	y, last := r.Outputs()
	c.Set(0, c.DType(0), y)
	c.Set(1, c.DType(0), last)
	c.Set(2, c.DType(0), last)
	return nil
}

// quantizedLSTMMACs: every step of every batch entry multiplies all weights of
// W and R.
func quantizedLSTMMACs(c *op.Call) dim.Dim {
	x := c.Shape(0)
	weights := dim.Add(c.Shape(1).Elements(), c.Shape(2).Elements())
	return dim.Product(x.At(0), x.At(1), weights)
}

// Slots of AttnLSTM.
const (
	attnQueryWeights  = 8
	attnMemoryWeights = 9
	attnMemory        = 11
	attnLayerWeights  = 13
)

// attnLSTMMACs adds the attention to the cell. For every direction the memory,
// batch x time x width, is projected once; each step projects the hidden state,
// compares it with every entry of the memory, sums the memory up, and passes
// the attention layer where there is one.
func attnLSTMMACs(c *op.Call) dim.Dim {
	x, memory := c.Shape(0), c.Shape(attnMemory)
	entries := dim.Product(c.Shape(1).At(0), x.At(1), memory.At(1))
	step := dim.Add(dim.Product(x.At(1), c.Shape(attnQueryWeights).Elements()),
		dim.Mul(entries, dim.Add(c.Shape(attnQueryWeights).At(2), memory.At(2))))
	if c.Has(attnLayerWeights) {
		step = dim.Add(step, dim.Mul(x.At(1), c.Shape(attnLayerWeights).Elements()))
	}
	once := dim.Product(x.At(1), memory.At(1), c.Shape(attnMemoryWeights).Elements())
	return dim.Sum(quantizedLSTMMACs(c), once, dim.Mul(x.At(0), step))
}
