package training

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/report/memory/weights"
)

// RuleOfThumb is the rule of thumb for training: the parameters, one gradient
// and the optimizer's states of each, the other weights, the intermediate
// results twice, once forward and once as gradients, and the inputs:
//
//	trainable x 2 + states + other weights + 2 x activations + inputs
//
// The gradient is one copy, which the backward pass and the optimizer share. The
// states are what the optimizer keeps in tensors: nothing for plain SGD, the
// parameters once with momentum, twice for Adam. activations is [Program.Sum],
// inputs [Program.InputSize]. All sizes are bytes.
func RuleOfThumb(w *weights.Set, activations, inputs memory.Size, optimizer Optimizer) memory.Size {
	states := optimizerTable[optimizer].thumbStates(w)
	parameters := memory.ExactSize(w.TrainableBytes).Times(2).Add(memory.Bounded(states, states, false))
	others := memory.Bounded(w.NonTrainableBytes(), w.NonTrainableBytes(), w.Unsized > 0)
	return parameters.Add(others).Add(activations.Times(2)).Add(inputs)
}

// thumbStates are the optimizer's states of all that trains, in bytes, without
// the counters of 4 bytes that some keep of each parameter.
func (o *optimizer) thumbStates(w *weights.Set) int64 {
	if o.special == nil {
		return memory.MulBytes(w.TrainableBytes, o.states)
	}
	total := int64(0)
	trains := map[*onnxgraph.Tensor]bool{}
	for i := range w.Tensors {
		t := &w.Tensors[i]
		if n, ok := onnxgraph.ElementCount(t.Dims); t.Role != weights.Trainable || !ok || n > maxThumbElements {
			continue
		}
		trains[t.Tensor] = true
		total = memory.AddBytes(total, o.special(t.Dims, int64(t.DType.Bits()/8)))
	}
	for i := range w.Folded {
		if f := &w.Folded[i]; trains[f.Weight] && f.Channels <= maxThumbElements {
			total = memory.AddBytes(total, o.special([]int64{f.Channels}, int64(f.Bias.DType.Bits()/8)))
		}
	}
	return total
}

// maxThumbElements bounds the tensors whose states are counted, so that no
// product of dims and bytes passes 63 bits.
const maxThumbElements = 1 << 58
