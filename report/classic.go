package report

import "onnxmem/report/memory"

// ClassicStates are the copies of the parameters that the optimizers of the
// rule of thumb keep.
var ClassicStates = map[string]int64{"sgd": 0, "momentum": 1, "adam": 2}

// describeClassic fills the rule of thumb for training:
//
//	trainable bytes x (2 + k) + other weights + 2 x activations + inputs
//
// with k optimizer states a parameter. The gradient counts once: it is the
// backward pass's and the optimizer's alike.
func (a *Analysis) describeClassic(r *Result, w *memory.Weights) {
	name := a.opts.Optimizer
	if name == "" {
		name = "adam"
	}
	r.Training = &Training{Optimizer: name, Precision: "fp32"}
	k, ok := ClassicStates[name]
	if !ok || r.Inference.ActivationsBytes == nil || r.Inputs.Bytes == nil {
		return
	}
	n := w.TrainableBytes*(2+k) + w.OtherBytes() + 2**r.Inference.ActivationsBytes + *r.Inputs.Bytes
	r.Training.ClassicBytes = &n
}
