package training

import (
	"onnxmem/report/memory/internal/tape"
)

// loss adds the loss: the sum of all outputs, in 32 bits, or the cross entropy
// of the first. Outputs and loss live to the end of the step.
func (s *pass) loss() {
	s.now.Activation += lossBytes
	for _, v := range s.t.Outputs {
		x := s.t.Vars.At(v)
		if x.Size < 4 {
			s.forwardPeak.note(s.now, 4*x.Elements(), nil)
		}
	}
	if v, classes := s.classes(); !v.None() {
		x := s.t.Vars.At(v)
		logs, target := 4*x.Elements(), 8*(x.Elements()/classes)
		s.lossSaved = []lossTensor{{"LogSoftmax", logs}, {"NllLoss", target + 4}}
		s.now.Activation += logs + target + 4
	}
	s.forwardPeak.note(s.now, 0, nil)
}

// classes is the output whose cross entropy is the loss, and its number of
// classes: dim 1 of images and plain rows, the last dim of sequences.
func (s *pass) classes() (tape.VarID, int64) {
	if s.plan.Loss != LossCrossEntropy {
		return tape.VarID{}, 0
	}
	for _, v := range s.t.Outputs {
		d := s.t.Vars.At(v).Dims
		k := 1
		if len(d) == 3 {
			k = 2
		}
		if len(d) >= 2 && d[k] > 0 {
			return v, d[k]
		}
	}
	return tape.VarID{}, 0
}

// startBackward gives each output its gradient. That of a sum is one number
// seen as a whole tensor, unless the output has to be made of 16 bits first.
func (s *pass) startBackward() {
	if v, _ := s.classes(); !v.None() {
		s.crossEntropyBackward(v)
		return
	}
	for _, v := range s.t.Outputs {
		x := s.t.Vars.At(v)
		if !x.NeedsGrad || s.grads.Get(v) != nil {
			continue
		}
		t := x.Tensor
		t.Strides = make([]int64, len(t.Dims))
		g := &gradient{tensor: t, view: true}
		if x.Size < 4 {
			g = s.newGradient(tape.Dense(x.Tensor), nil)
		}
		s.grads.Set(v, g)
	}
}

// crossEntropyBackward makes the gradient of the log-probabilities, then that
// of the output.
func (s *pass) crossEntropyBackward(v tape.VarID) {
	x := s.t.Vars.At(v)
	wide := tape.Dense(x.Tensor)
	wide.Size = 4
	of := s.newGradient(wide, nil)
	for _, b := range s.lossSaved[1:] {
		s.now.Activation -= b.bytes
	}
	g := s.newGradient(wide, nil)
	s.release(of)
	s.now.Activation -= s.lossSaved[0].bytes
	if x.Size < 4 {
		narrow := s.newGradient(tape.Dense(x.Tensor), nil)
		s.release(g)
		g = narrow
	}
	if !x.NeedsGrad {
		s.release(g)
		return
	}
	s.grads.Set(v, g)
}
