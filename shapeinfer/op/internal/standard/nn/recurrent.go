package nn

import (
	"fmt"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file holds the recurrent layers.
//
// RNN: https://onnx.ai/onnx/operators/onnx__RNN.html
// GRU: https://onnx.ai/onnx/operators/onnx__GRU.html
// LSTM: https://onnx.ai/onnx/operators/onnx__LSTM.html
// 1: output_sequence tells whether Y is made; the default direction is spelt
// "foward" in RNN and GRU; GRU 3: linear_before_reset; 7: no output_sequence,
// every output is optional; 14: layout, 1 puts the batch first; 22: bfloat16.
var recurrentOps = []op.Op{
	{Name: "RNN", Versions: []int{1, 7, 14, 22}, Infer: rnn, MACs: rnnMACs, Roles: op.ParametersAt(1, 2, 3)},
	{Name: "GRU", Versions: []int{1, 3, 7, 14, 22}, Infer: gru, MACs: gruMACs, Roles: op.ParametersAt(1, 2, 3)},
	{Name: "LSTM", Versions: []int{1, 7, 14, 22}, Infer: lstm, MACs: lstmMACs, Roles: op.ParametersAt(1, 2, 3, 7)},
}

func rnn(c *op.Call) error  { return recurrent(c, 1) }
func gru(c *op.Call) error  { return recurrent(c, 3) }
func lstm(c *op.Call) error { return recurrent(c, 4) }

func rnnMACs(c *op.Call) dim.Dim  { return recurrentMACs(c, 1) }
func gruMACs(c *op.Call) dim.Dim  { return recurrentMACs(c, 3) }
func lstmMACs(c *op.Call) dim.Dim { return recurrentMACs(c, 4) }

// A Recurrence holds the sizes of a recurrent layer.
type Recurrence struct {
	Steps, Batch, input, Hidden dim.Dim
	Directions                  dim.Dim
	batchFirst                  bool // layout 1
}

// recurrent infers a layer of so many gates: inputs X, W, R, B, sequence_lens,
// initial_h, and for LSTM initial_c and P; outputs Y, Y_h, and Y_c.
func recurrent(c *op.Call, gates int64) error {
	c.Set(0, c.DType(0), tensor.RankOnly(4))
	for o := 1; o < 3; o++ {
		c.Set(o, c.DType(0), tensor.RankOnly(3))
	}
	r, err := recurrence(c, gates)
	if err != nil {
		return err
	}
	y, state := r.Outputs()
	c.Set(0, c.DType(0), y)
	c.Set(1, c.DType(0), state)
	c.Set(2, c.DType(0), state)
	return nil
}

// Outputs are the shapes of Y and of the final states: steps x directions x
// batch x hidden and directions x batch x hidden, or with layout 1 batch x
// steps x directions x hidden and batch x directions x hidden.
func (r *Recurrence) Outputs() (y, state tensor.Shape) {
	if r.batchFirst {
		return tensor.MakeShape(r.Batch, r.Steps, r.Directions, r.Hidden),
			tensor.MakeShape(r.Batch, r.Directions, r.Hidden)
	}
	return tensor.MakeShape(r.Steps, r.Directions, r.Batch, r.Hidden),
		tensor.MakeShape(r.Directions, r.Batch, r.Hidden)
}

// recurrence reads the sizes and compares what several inputs say of one.
func recurrence(c *op.Call, gates int64) (*Recurrence, error) {
	for _, want := range []struct{ slot, rank int }{{0, 3}, {1, 3}, {2, 3}, {3, 2}, {4, 1}, {5, 3}, {6, 3}, {7, 2}} {
		if s := c.Shape(want.slot); s.Ranked() && s.Rank() != want.rank {
			return nil, c.Errorf(op.CodeRank, "input %d has shape %s, not rank %d", want.slot, s, want.rank)
		}
	}
	r := &Recurrence{batchFirst: c.Int("layout", 0) == 1}
	directions, err := Directions(c)
	if err != nil {
		return nil, err
	}
	r.Directions = dim.Int(directions)
	x, state := c.Shape(0), c.Shape(5)
	r.Steps, r.Batch, r.input = x.At(0), x.At(1), x.At(2)
	stateDirections, stateBatch := state.At(0), state.At(1)
	if r.batchFirst {
		r.Steps, r.Batch = r.Batch, r.Steps
		stateDirections, stateBatch = stateBatch, stateDirections
	}
	if h := c.Int("hidden_size", 0); h > 0 {
		r.Hidden = dim.Int(h)
	} else if c.HasAttr("hidden_size") {
		return nil, c.Errorf(op.CodeAttribute, "hidden_size is %d", h)
	}
	w, rec := c.Shape(1), c.Shape(2)
	for _, rows := range []dim.Dim{w.At(1), rec.At(1)} {
		if n, ok := rows.Int(); ok && n%gates != 0 {
			return nil, c.Errorf(op.CodeShape, "%d rows of weights are not for %d gates", n, gates)
		}
	}
	gate := func(d dim.Dim) dim.Dim {
		if _, ok := d.Int(); !ok {
			return dim.Unknown() // a symbol says less than its quotient suggests
		}
		return dim.Div(d, dim.Int(gates))
	}
	for _, fact := range []struct {
		what string
		into *dim.Dim
		d    dim.Dim
	}{
		{"hidden_size and R", &r.Hidden, rec.At(2)},
		{"hidden_size and the rows of R", &r.Hidden, gate(rec.At(1))},
		{"hidden_size and the rows of W", &r.Hidden, gate(w.At(1))},
		{"hidden_size and initial_h", &r.Hidden, state.At(2)},
		{"input size and W", &r.input, w.At(2)},
		{"batch size and initial_h", &r.Batch, stateBatch},
		{"batch size and sequence_lens", &r.Batch, c.Shape(4).At(0)},
	} {
		if err := c.MergeSize(fact.what, fact.into, fact.d); err != nil {
			return nil, err
		}
	}
	if err := c.SameSize("the biases, two for each gate's row", c.Shape(3).At(1), dim.Mul(dim.Int(2*gates), r.Hidden)); err != nil {
		return nil, err
	}
	compareDirections(c, directions, w.At(0), rec.At(0), c.Shape(3).At(0), stateDirections)
	return r, nil
}

// compareDirections warns where an input is for another number of directions
// than the attribute, which alone decides the shapes of the outputs.
func compareDirections(c *op.Call, n int64, ds ...dim.Dim) {
	for _, d := range ds {
		if have, ok := d.Int(); ok && have != n {
			c.Engine.Warn(op.CodeShape, fmt.Sprintf("direction stands for %d directions, an input has %d", n, have))
			return
		}
	}
}

// Directions is 2 for bidirectional layers, else 1.
func Directions(c *op.Call) (int64, error) {
	switch d := c.Str("direction", "forward"); d {
	case "bidirectional":
		return 2, nil
	case "forward", "reverse", "foward", "":
		return 1, nil
	default:
		return 0, c.Errorf(op.CodeAttribute, "direction %q is not one of forward, reverse, bidirectional", d)
	}
}

// recurrentMACs: each step multiplies, for every gate of a direction, the
// input by hidden x input weights and the state by hidden x hidden.
func recurrentMACs(c *op.Call, gates int64) dim.Dim {
	r, err := recurrence(c, gates)
	if err != nil {
		return dim.Unknown()
	}
	return dim.Product(r.Steps, r.Batch, r.Directions, dim.Int(gates), r.Hidden, dim.Add(r.input, r.Hidden))
}
