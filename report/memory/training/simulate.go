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

// A plan is a checked set of options.
type plan struct {
	Options
	optimizer *optimizer
	precision string
	attention tape.Attention
	inPlace   tape.InPlace
	every     int // blocks per checkpoint; 0 for none, -1 for the root of their number
}

func newPlan(opts Options) (*plan, error) {
	p := &plan{Options: opts}
	var err error
	if p.optimizer, err = findOptimizer(opts.Optimizer); err != nil {
		return nil, err
	}
	if p.precision, err = choice("precision", opts.Precision, Precisions...); err != nil {
		return nil, err
	}
	attention, err := choice("attention", opts.Attention, "auto", "fused", "eager")
	if err != nil {
		return nil, err
	}
	p.attention = map[string]tape.Attention{"auto": tape.AttentionAuto, "fused": tape.AttentionFused, "eager": tape.AttentionEager}[attention]
	inPlace, err := choice("inplace", opts.InPlace, "auto", "on", "off")
	if err != nil {
		return nil, err
	}
	p.inPlace = map[string]tape.InPlace{"auto": tape.InPlaceAuto, "on": tape.InPlaceOn, "off": tape.InPlaceOff}[inPlace]
	if p.Loss, err = choice("loss", opts.Loss, "sum", "cross_entropy"); err != nil {
		return nil, err
	}
	if p.every, err = checkpointing(opts.Checkpoint); err != nil {
		return nil, err
	}
	if opts.Zero < 0 || opts.Zero > 3 {
		return nil, &OptionError{"zero", itoa(opts.Zero), []string{"0", "1", "2", "3"}}
	}
	p.GPUs, p.Accumulate = max(opts.GPUs, 1), max(opts.Accumulate, 1)
	return p, nil
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
		Attention: p.attention, InPlace: p.inPlace, Dropout: p.Dropout, AsWritten: p.AsWritten, LoRARank: int64(max(p.LoRARank, 0)),
	}
}
