package training

import (
	"onnxmem/report/memory"
	"onnxmem/report/memory/weights"
)

// RuleOfThumb is the rule of thumb for training with k states per parameter: the
// parameters, one gradient and the states of each, the other weights, the
// intermediate results twice, once forward and once as gradients, and the
// inputs:
//
//	trainable x (2 + k) + other weights + 2 x activations + inputs
//
// The gradient is one copy, which the backward pass and the optimizer share.
// k is 0 for plain SGD, 1 with momentum, 2 for Adam. activations is
// [Program.Sum], inputs [Program.InputSize]. All sizes are bytes.
func RuleOfThumb(w *weights.Set, activations, inputs memory.Size, states int64) memory.Size {
	parameters := memory.ExactSize(w.TrainableBytes).Times(2 + states)
	others := memory.Bounded(w.NonTrainableBytes(), w.NonTrainableBytes(), w.Unsized > 0)
	return parameters.Add(others).Add(activations.Times(2)).Add(inputs)
}

// RuleOfThumbStates is the number of states per parameter that the rule of thumb
// takes for an optimizer; ok is false for those that it does not know.
func RuleOfThumbStates(optimizer string) (k int64, ok bool) {
	switch optimizer {
	case "sgd":
		return 0, true
	case "momentum":
		return 1, true
	case "adam":
		return 2, true
	}
	return 0, false
}
