package training

import (
	"onnxmem/report/memory"
	"onnxmem/report/memory/tape"
	"onnxmem/shapeinfer"
)

// Simulate computes the memory of training a model whose shapes are all
// known. The error is an *OptionError, or an *UnknownError that says which
// size or operator is in the way.
func Simulate(r *shapeinfer.Result, opts Options) (*Result, error) {
	weights := memory.Stored(r.Program, memory.WeightOptions{BatchNorm: opts.BatchNorm})
	return SimulateWith(r, weights, opts)
}

// SimulateWith is Simulate for a caller that has counted the weights already,
// with Options.BatchNorm and before any selection.
func SimulateWith(r *shapeinfer.Result, weights *memory.Weights, opts Options) (*Result, error) {
	p, err := newPlan(opts)
	if err != nil {
		return nil, err
	}
	selected, _ := weights.Select(r.Program, opts.Names)
	t, err := tape.Record(r, selected, p.tapeOptions())
	if err != nil {
		return nil, err
	}
	return p.run(t)
}

func (p *plan) half() bool {
	return p.precision == "fp16" || p.precision == "bf16" || p.precision == "bf16-master"
}

// stateSize is the size of an element of the optimizer's states, and of what
// it computes with.
func (p *plan) stateSize() int64 {
	if p.half() && p.precision != "bf16-master" {
		return 2
	}
	return 4
}

func (p *plan) tapeOptions() tape.Options {
	return tape.Options{
		Half: p.half(), Autocast: p.precision == "amp-fp16" || p.precision == "amp-bf16",
		Attention: p.attention, InPlace: p.inPlace, Dropout: p.Dropout, AsWritten: p.AsWritten, LoRARank: int64(p.LoRARank),
	}
}
