package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer/op"
)

// An Advice is one change to how a model is trained, with the memory that it
// takes then, from a simulation of it.
type Advice struct {
	Change string `json:"change"`
	Flags  string `json:"flags"` // of the command line, that show it
	Cost   string `json:"cost"`  // what else the change does
	// PeakBytes and SavesBytes are of what the report or fit measures: the
	// steady state's peak, or what an allocator reserves for it.
	PeakBytes  int64 `json:"peak_bytes"`
	SavesBytes int64 `json:"saves_bytes"`
	// Largest is the size of the symbol that fits with the change, in a fit.
	Largest *int64 `json:"largest,omitempty"`

	apply func(*training.Options)
}

// maxAdvisedSteps is the number of nodes that run, those of called functions
// included, up to which advice is worth its time: each piece is a simulation of
// its own.
const maxAdvisedSteps = 10_000

// A change is something that may be tried: it returns false where the options
// have it already, or where it would mean nothing.
type change struct {
	text, flags, cost string
	same              bool // the model learns the same, step for step
	apply             func(*training.Options) bool
}

// changes lists what can be tried with any model.
func changes() []change {
	return []change{
		{"recompute activations in the backward pass", "--checkpoint sqrt", "about a third more compute", true, func(o *training.Options) bool {
			return replace(&o.Checkpoint, training.CheckpointSqrt(), training.Checkpoint{})
		}},
		{"recompute the activations of each block", "--checkpoint every-1", "about a third more compute", true, func(o *training.Options) bool {
			return replace(&o.Checkpoint, training.CheckpointEvery(1), training.Checkpoint{})
		}},
		{"update all parameters in one kernel", "--fused", "needs a fused implementation of the optimizer", true, func(o *training.Options) bool {
			had := o.Fused
			o.Fused = true
			return !had && o.Optimizer.HasFused()
		}},
		{"update the parameters one by one", "--foreach=false", "a slower step", true, func(o *training.Options) bool {
			had := o.ForLoop
			o.ForLoop = true
			return !had && !o.Fused
		}},
		{"let activations write over their input", "--inplace on", "only where nothing else reads the input", true, func(o *training.Options) bool {
			return replace(&o.InPlace, training.InPlaceOn, training.InPlaceAuto)
		}},
		{"run products in bfloat16", "--precision amp-bf16", "16-bit products; weights and states stay in 32 bits", false, func(o *training.Options) bool {
			return replace(&o.Precision, training.AMPBF16, training.FP32)
		}},
		{"train in bfloat16 throughout", "--precision bf16", "small updates get lost in 8 bits of mantissa", false, func(o *training.Options) bool {
			return replace(&o.Precision, training.BF16, training.FP32, training.AMPBF16, training.AMPFP16)
		}},
		{"keep the optimizer's states in 8 bits", "--optimizer adam8bit", "states are rounded in blocks", false, func(o *training.Options) bool {
			return replace(&o.Optimizer, training.Adam8bit, training.Adam, training.AdamW)
		}},
		{"factor the optimizer's second moments", "--optimizer adafactor", "another optimizer, which may need other rates", false, func(o *training.Options) bool {
			return replace(&o.Optimizer, training.Adafactor, training.Adam, training.AdamW, training.NAdam, training.RAdam, training.AMSGrad, training.LAMB, training.Sophia, training.Adamax)
		}},
		{"take an optimizer without states", "--optimizer sgd", "another optimizer, which may need other rates and more steps", false, func(o *training.Options) bool {
			had := o.Optimizer
			o.Optimizer = training.SGD
			return had != training.SGD
		}},
	}
}

// lowRank makes sense where linear layers hold most of the parameters.
var lowRank = change{"train low-rank factors beside the linear layers", "--lora-rank 8", "the layers themselves stay as they are", false, func(o *training.Options) bool {
	had := o.LoRARank
	o.LoRARank = 8
	return had == 0
}}

func mostlyLinear(w *weights.Set) bool {
	linear := int64(0)
	for i := range w.Tensors {
		t := &w.Tensors[i]
		if t.Role == weights.Trainable && len(t.Dims) == 2 && (slices.Contains(t.Readers, op.ID{Name: "MatMul"}) || slices.Contains(t.Readers, op.ID{Name: "Gemm"})) {
			linear += t.Elements
		}
	}
	return 2*linear > w.Trainable
}

// replace sets an option that has one of its old values.
func replace[T comparable](option *T, value T, old ...T) bool {
	if !slices.Contains(old, *option) {
		return false
	}
	*option = value
	return true
}

// A measure says what training takes under options, in bytes.
type measure func(*Analysis, training.Options) (int64, error)

// adviseTraining tries changes one at a time and lists those that save at
// least a hundredth, the one that saves most first. All that do not change what
// the model learns are tried together, too.
func (a *Analysis) adviseTraining(ctx context.Context, opts training.Options, now int64, measure measure) []Advice {
	if p := liveness.NewProgram(a.Numbers, liveness.Options{}); p.Cut || len(p.Steps) > maxAdvisedSteps {
		return nil
	}
	stored, _ := a.weights()
	tried := changes()
	if mostlyLinear(stored) {
		tried = append(tried, lowRank)
	}
	if c, ok := a.headOnly(opts, stored); ok {
		tried = append(tried, c)
	}
	var list, same []Advice
	for _, c := range tried {
		if ctx.Err() != nil {
			return nil
		}
		changed := opts
		if !c.apply(&changed) {
			continue
		}
		bytes, err := measure(a, changed)
		if err != nil || now-bytes < now/100 {
			continue
		}
		advice := Advice{Change: c.text, Flags: c.flags, Cost: c.cost, PeakBytes: bytes, SavesBytes: now - bytes, apply: func(o *training.Options) { c.apply(o) }}
		list = append(list, advice)
		if c.same {
			same = append(same, advice)
		}
	}
	list = append(list, a.together(opts, now, measure, same)...)
	list = append(list, a.smallerBatch(opts, now, measure)...)
	slices.SortStableFunc(list, func(x, y Advice) int { return cmp.Compare(y.SavesBytes, x.SavesBytes) })
	return withoutTwins(list)
}

// withoutTwins keeps the better one of two changes of the same option where
// they have the same cost: ways of checkpointing, and of updating.
func withoutTwins(list []Advice) []Advice {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(x Advice) bool {
		flag, _, _ := strings.Cut(strings.ReplaceAll(x.Flags, "--fused", "--foreach=false"), " ")
		if strings.Contains(x.Flags, " --") || flag == "--optimizer" || flag == "--precision" {
			return false
		}
		again := seen[flag]
		seen[flag] = true
		return again
	})
}

// together tries the changes that leave what the model learns as it is. Of
// those that exclude each other the better one, which comes first, is taken.
func (a *Analysis) together(opts training.Options, now int64, measure measure, same []Advice) []Advice {
	slices.SortStableFunc(same, func(x, y Advice) int { return cmp.Compare(y.SavesBytes, x.SavesBytes) })
	same = withoutTwins(same)
	if len(same) < 2 {
		return nil
	}
	changed := opts
	var flags []string
	for _, s := range same {
		s.apply(&changed)
		flags = append(flags, s.Flags)
	}
	bytes, err := measure(a, changed)
	if err != nil || bytes >= same[0].PeakBytes {
		return nil
	}
	return []Advice{{
		Change: "all that leaves the training as it is", Flags: strings.Join(flags, " "), Cost: "what each costs", PeakBytes: bytes, SavesBytes: now - bytes,
		apply: func(o *training.Options) {
			for _, s := range same {
				s.apply(o)
			}
		},
	}}
}

// smallerBatch halves the batch, and makes up for it by two passes a step.
func (a *Analysis) smallerBatch(opts training.Options, now int64, measure measure) []Advice {
	name, n, ok := a.batch()
	if !ok || n < 2 || needsQuotes(name) {
		return nil
	}
	half, err := a.rebound(name, n, n/2)
	if err != nil {
		return nil
	}
	opts.Accumulate = 2 * max(opts.Accumulate, 1)
	bytes, err := measure(half, opts)
	if err != nil || now-bytes < now/100 {
		return nil
	}
	return []Advice{{
		Change: fmt.Sprintf("%s = %d, and add up the gradients of %d passes", name, n/2, opts.Accumulate), Flags: fmt.Sprintf("--dim %s=%d --accumulate %d", name, n/2, opts.Accumulate),
		Cost: "the same step in parts; BatchNormalization sees smaller batches", PeakBytes: bytes, SavesBytes: now - bytes,
	}}
}

// needsQuotes reports whether a name from the file would mean something else in
// a shell or as a glob. Flags are there to be copied.
func needsQuotes(name string) bool {
	return name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_./:-+@", r)
	})
}

// headOnly freezes all but the last layer that holds a matrix, and what comes
// after it, where that leaves less than half of the parameters.
func (a *Analysis) headOnly(opts training.Options, stored *weights.Set) (change, bool) {
	if !opts.Names.None() || opts.LoRARank > 0 {
		return change{}, false
	}
	trains := map[string]*weights.Tensor{}
	for i := range stored.Tensors {
		if t := &stored.Tensors[i]; t.Role == weights.Trainable && t.Graph == "" {
			trains[t.Name] = t
		}
	}
	nodes := a.Numbers.Main.Graph.Nodes
	var names []string
	elements := int64(0)
	for i := len(nodes) - 1; i >= 0; i-- {
		matrix := false
		for _, in := range nodes[i].Inputs {
			if t := trains[in]; t != nil && !slices.Contains(names, in) {
				names = append(names, in)
				elements += t.Elements
				matrix = matrix || len(t.Dims) > 1
			}
		}
		if !matrix {
			continue
		}
		if 2*elements > stored.Trainable || slices.ContainsFunc(names, needsQuotes) {
			return change{}, false
		}
		return change{
			text: "train the last layer only", flags: "--trainable " + strings.Join(names, " --trainable "), cost: "the other layers stay as they are",
			apply: func(o *training.Options) bool {
				o.Names.Trainable = names
				return true
			},
		}, true
	}
	return change{}, false
}
