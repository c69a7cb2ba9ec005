package op

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the recurrent layers of com.microsoft: LSTM with attention
// over a memory, and LSTM with quantised weights
// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
var contribRecurrentOps = []Op{
	{Domain: DomainMicrosoft, Name: "AttnLSTM", Versions: []int{1}, Infer: attnLSTM, MACs: attnLSTMMACs},
	{Domain: DomainMicrosoft, Name: "DynamicQuantizeLSTM", Versions: []int{1}, Infer: quantizedLSTM, MACs: quantizedLSTMMACs},
}

// attnLSTM: R is directions x 4*hidden x hidden.
func attnLSTM(c *Call) error { return c.setRecurrence(c.Shape(2).At(2)) }

// quantizedLSTM: R is directions x hidden x 4*hidden.
func quantizedLSTM(c *Call) error { return c.setRecurrence(c.Shape(2).At(1)) }

// setRecurrence sets the outputs Y, Y_h and Y_c. hidden is what R says of the
// hidden size; input 5 is initial_h.
func (c *Call) setRecurrence(hidden dim.Dim) error {
	c.Set(0, c.DType(0), tensor.RankOnly(4))
	c.Set(1, c.DType(0), tensor.RankOnly(3))
	c.Set(2, c.DType(0), tensor.RankOnly(3))
	for _, slot := range []int{0, 1, 2, 5} {
		if err := c.ranked(slot, "X, W, R or initial_h", 3); err != nil {
			return err
		}
	}
	directions, err := c.directions()
	if err != nil {
		return err
	}
	x, h := c.Shape(0), c.Shape(5)
	r := recurrence{steps: x.At(0), batch: x.At(1), hidden: hidden, directions: dim.Int(directions)}
	if n := c.Int("hidden_size", 0); n > 0 {
		if err := c.agree("hidden_size and R", &r.hidden, dim.Int(n)); err != nil {
			return err
		}
	}
	for _, fact := range []struct {
		what  string
		into  *dim.Dim
		other dim.Dim
	}{
		{"directions and W", &r.directions, c.Shape(1).At(0)},
		{"directions and R", &r.directions, c.Shape(2).At(0)},
		{"batch size and sequence_lens", &r.batch, c.Shape(4).At(0)},
		{"directions and initial_h", &r.directions, h.At(0)},
		{"batch size and initial_h", &r.batch, h.At(1)},
		{"hidden size and initial_h", &r.hidden, h.At(2)},
	} {
		if err := c.agree(fact.what, fact.into, fact.other); err != nil {
			return err
		}
	}
	y, last := r.outputs()
	c.Set(0, c.DType(0), y)
	c.Set(1, c.DType(0), last)
	c.Set(2, c.DType(0), last)
	return nil
}

// quantizedLSTMMACs: every step of every batch entry multiplies all weights of
// W and R.
func quantizedLSTMMACs(c *Call) dim.Dim {
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
func attnLSTMMACs(c *Call) dim.Dim {
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
