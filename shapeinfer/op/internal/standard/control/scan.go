package control

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// Scan: https://onnx.ai/onnx/operators/onnx__Scan.html
// 8: batched on axis 0, scanned on axis 1, optional lengths first; 9: no
// batch, axes and directions per input and output; 11: negative axes; 16, 19,
// 21, 23, 24, 25: more element types.
var scanOps = []op.Op{
	{Name: "Scan", Versions: []int{8}, Infer: scan8, Effect: op.Moves},
	{Name: "Scan", Versions: []int{9, 11, 16, 19, 21, 23, 24, 25}, Infer: scan9, Effect: op.Moves},
}

// A scanning is a Scan under inference: n states followed by m scanned inputs,
// of which the first is in slot first.
type scanning struct {
	c      *op.Call
	body   *onnxgraph.Graph
	first  int
	n, m   int
	length dim.Dim // of the scanned axis
}

// scanningOf reads what all versions have; inputs begin in the given slot.
func scanningOf(c *op.Call, first int) (*scanning, error) {
	s := &scanning{c: c, body: graph(c, "body"), first: first}
	if s.body == nil {
		return nil, c.Errorf(op.CodeAttribute, "the attribute body is missing")
	}
	m, inputs := c.Int("num_scan_inputs", 0), len(c.Inputs)-first
	if m < 1 || m > int64(inputs) {
		return nil, c.Errorf(op.CodeAttribute, "num_scan_inputs is %d; the node has %d inputs", m, inputs)
	}
	s.m, s.n = int(m), inputs-int(m)
	if s.n > len(c.Outputs) || len(s.body.Outputs) < len(c.Outputs) {
		return nil, c.Errorf(op.CodeSubgraph, "%d states, %d outputs of the body and %d of the node do not fit", s.n, len(s.body.Outputs), len(c.Outputs))
	}
	if n := c.Engine.SubgraphInputs("body"); n != inputs {
		return nil, c.Errorf(op.CodeSubgraph, "the body takes %d inputs; states and scanned inputs are %d", n, inputs)
	}
	for i := first; i < len(c.Inputs); i++ {
		if !c.Has(i) {
			return nil, c.Errorf(op.CodeArity, "state or scanned input %d is left out", i-first)
		}
	}
	for _, name := range []string{"directions", "scan_input_directions", "scan_output_directions"} {
		for _, d := range c.IntList(name) {
			if d != 0 && d != 1 {
				return nil, c.Errorf(op.CodeAttribute, "%s holds %d, which is neither 0, forward, nor 1, backward", name, d)
			}
		}
	}
	return s, nil
}

// input is the type of state or scanned input i.
func (s *scanning) input(i int) tensor.Type { return s.c.Type(s.first + i) }

// merge combines two descriptions of one length.
func (s *scanning) merge(what string, a, b dim.Dim) (dim.Dim, error) {
	d, ok := op.MergeDims(a, b)
	if !ok {
		return d, s.c.Errorf(op.CodeShape, "the inputs' %s differ: %s and %s", what, a, b)
	}
	return d, nil
}

func scan9(c *op.Call) error {
	s, err := scanningOf(c, 0)
	if err != nil {
		return err
	}
	inputs := make([]tensor.Fact, s.n+s.m)
	axes, err := s.axes("scan_input_axes", s.m)
	if err != nil {
		return err
	}
	for i := range inputs {
		inputs[i].Type = s.input(i)
		if i < s.n || !inputs[i].Type.Shape.Ranked() {
			continue
		}
		t := &inputs[i].Type
		axis, err := c.Axis(axes[i-s.n], t.Shape.Rank())
		if err != nil {
			return err
		}
		if s.length, err = s.merge("lengths", s.length, t.Shape.At(axis)); err != nil {
			return err
		}
		t.Shape = withoutAxis(t.Shape, axis)
	}
	outs, err := s.run(inputs)
	if err != nil {
		return err
	}
	outAxes, err := s.axes("scan_output_axes", len(s.body.Outputs)-s.n)
	if err != nil {
		return err
	}
	for o := range c.Outputs {
		t := outs[o].Type
		if o >= s.n && t.Shape.Ranked() {
			axis, err := c.Axis(outAxes[o-s.n], t.Shape.Rank()+1)
			if err != nil {
				return err
			}
			t = stacked(t, axis, s.length)
		}
		c.Outputs[o] = tensor.Fact{Type: t, Reason: outs[o].Reason}
	}
	return nil
}

// axes is a list of axes, all 0 when it is not given.
func (s *scanning) axes(name string, n int) ([]int64, error) {
	if !s.c.HasAttr(name) {
		return make([]int64, n), nil
	}
	axes := s.c.IntList(name)
	if len(axes) != n {
		return nil, s.c.Errorf(op.CodeAttribute, "%s has %d axes, not %d", name, len(axes), n)
	}
	return axes, nil
}

// scan8 has a batch on axis 0 of everything, and scans axis 1.
func scan8(c *op.Call) error {
	s, err := scanningOf(c, 1)
	if err != nil {
		return err
	}
	batch := c.Shape(0).At(0)
	inputs := make([]tensor.Fact, s.n+s.m)
	for i := range inputs {
		t := s.input(i)
		taken := 1
		if i >= s.n {
			taken = 2
		}
		if t.Shape.Ranked() {
			if t.Shape.Rank() < taken {
				return c.Errorf(op.CodeRank, "input %d, %s, has no batch axis, or none to scan", s.first+i, t)
			}
			if batch, err = s.merge("batch sizes", batch, t.Shape.At(0)); err != nil {
				return err
			}
			if taken == 2 {
				if s.length, err = s.merge("lengths", s.length, t.Shape.At(1)); err != nil {
					return err
				}
			}
			t.Shape = tensor.MakeShape(t.Shape.Dims()[taken:]...)
		}
		inputs[i].Type = t
	}
	outs, err := s.run(inputs)
	if err != nil {
		return err
	}
	for o := range c.Outputs {
		t := outs[o].Type
		if o >= s.n {
			t = stacked(t, 0, s.length)
		}
		c.Outputs[o] = tensor.Fact{Type: stacked(t, 0, batch), Reason: outs[o].Reason}
	}
	return nil
}

// run infers the body. The standard demands that a state keeps its shape, so
// what is known of it before and after an iteration adds up.
func (s *scanning) run(inputs []tensor.Fact) ([]tensor.Fact, error) {
	for round := 0; ; round++ {
		outs, err := s.c.Engine.InferSubgraph("body", inputs)
		if err != nil {
			return nil, err
		}
		learned := false
		for i := range s.n {
			t, more, err := s.sameState(i, inputs[i].Type, outs[i].Type)
			if err != nil {
				return nil, err
			}
			inputs[i].Type, outs[i].Type = t, t
			learned = learned || more
		}
		if !learned || round > 0 {
			return outs, nil
		}
	}
}

// sameState adds up what is known of state i before and after an iteration. more
// says that the latter added something.
func (s *scanning) sameState(i int, before, after tensor.Type) (t tensor.Type, more bool, err error) {
	c := s.c
	switch {
	case before.Kind == onnxgraph.KindUnset:
		return after, after.Kind != onnxgraph.KindUnset, nil
	case after.Kind == onnxgraph.KindUnset:
		return before, false, nil
	case !agree(before.DType, after.DType) || before.Kind != after.Kind:
		return before, false, c.Errorf(op.CodeType, "state %d is %s before an iteration and %s after it", i, before, after)
	}
	t = before
	if t.DType == onnxgraph.Undefined {
		t.DType = after.DType
	}
	switch {
	case !after.Shape.Ranked():
		return t, false, nil
	case !before.Shape.Ranked():
		t.Shape = after.Shape
		return t, true, nil
	case before.Shape.Rank() != after.Shape.Rank():
		return t, false, c.Errorf(op.CodeShape, "state %d is %s before an iteration and %s after it; a state must keep its shape", i, before, after)
	}
	dims := before.Shape.Clone()
	for k, d := range dims {
		merged, ok := op.MergeDims(d, after.Shape.At(k))
		if !ok {
			return t, false, c.Errorf(op.CodeShape, "state %d is %s before an iteration and %s after it; a state must keep its shape", i, before, after)
		}
		dims[k], more = merged, more || !d.IsKnown() && merged.IsKnown()
	}
	t.Shape = tensor.MakeShape(dims...)
	return t, more, nil
}

// withoutAxis is a shape without one of its dims.
func withoutAxis(s tensor.Shape, axis int) tensor.Shape {
	dims := make([]dim.Dim, 0, s.Rank()-1)
	dims = append(dims, s.Dims()[:axis]...)
	return tensor.MakeShape(append(dims, s.Dims()[axis+1:]...)...)
}
