package training

import (
	"fmt"

	"onnxmem/report/memory/internal/tape"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
)

// Simulate computes the memory of training a model whose shapes are all
// known, with the weights as [weights.Collect] counts them by default. The error
// is an [*OptionError], or an [*UnknownError] that says which size or operator
// is in the way.
func Simulate(r *shapeinfer.Result, opts Options) (*Result, error) {
	return NewTrainer(r, weights.Collect(r.Program, weights.Options{NoFusion: opts.NoFusion})).Simulate(opts)
}

// A Trainer simulates the training of one model under several options, and
// records a tape only once for all that record the same. It may not be used by
// several goroutines at once.
type Trainer struct {
	result  *shapeinfer.Result
	weights *weights.Set
	tapes   map[tapeKey]recording
}

// A tapeKey holds the options that a tape depends on.
type tapeKey struct {
	options tape.Options
	names   string
}

// A recording is a tape, or why there is none.
type recording struct {
	tape *tape.Tape
	err  error
}

// NewTrainer returns a trainer of a model whose shapes are all known. weights
// are all of the model's: what [Options] freeze is selected by the trainer.
func NewTrainer(r *shapeinfer.Result, weights *weights.Set) *Trainer {
	return &Trainer{r, weights, map[tapeKey]recording{}}
}

// Simulate is [Simulate] for the trainer's model.
func (t *Trainer) Simulate(opts Options) (*Result, error) {
	p, err := newPlan(opts)
	if err != nil {
		return nil, err
	}
	key := tapeKey{p.tapeOptions(), fmt.Sprintf("%q", opts.Names)}
	r, known := t.tapes[key]
	if !known {
		selected, _ := t.weights.Select(t.result.Program, opts.Names)
		r.tape, r.err = tape.Record(t.result, selected, key.options)
		t.tapes[key] = r
	}
	if r.err != nil {
		return nil, r.err
	}
	return p.run(r.tape)
}

func (p *plan) tapeOptions() tape.Options {
	return tape.Options{
		Half: p.Precision.half(), Autocast: p.Precision.autocast(),
		Attention: p.Attention.onTape(), InPlace: p.InPlace.onTape(), Dropout: p.Dropout.onTape(), NoFusion: p.NoFusion, LoRARank: int64(p.LoRARank),
	}
}
