package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer/op"
)

// An Advice is one change to how a model is trained, with the memory that it
// takes then, from a simulation of it. Its Options are the change.
type Advice struct {
	finding.Finding
	Cost string `json:"cost,omitempty"` // what else the change does; render fills it in JSON
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

// A change is something that may be tried: apply returns false where the options
// have it already, or where it would mean nothing.
type change struct {
	code    finding.Code
	options []finding.Option
	same    bool // the model learns the same, step for step
	apply   func(*training.Options) bool
}

// one is a change of one option.
func one(name finding.OptionName, value string) []finding.Option {
	return []finding.Option{{Name: name, Value: value}}
}

// changes lists what can be tried with any model.
func changes() []change {
	return []change{
		{finding.AdviceCheckpointSqrt, one(finding.Checkpoint, "sqrt"), true, func(o *training.Options) bool {
			return replace(&o.Checkpoint, training.CheckpointSqrt(), training.Checkpoint{})
		}},
		{finding.AdviceCheckpointBlocks, one(finding.Checkpoint, "every-1"), true, func(o *training.Options) bool {
			return replace(&o.Checkpoint, training.CheckpointEvery(1), training.Checkpoint{})
		}},
		{finding.AdviceFusedOptimizer, one(finding.Fused, "true"), true, func(o *training.Options) bool {
			had := o.Fused
			o.Fused = true
			return !had && o.Optimizer.HasFused()
		}},
		{finding.AdviceSingleUpdates, one(finding.Foreach, "false"), true, func(o *training.Options) bool {
			had := o.ForLoop
			o.ForLoop = true
			return !had && !o.Fused
		}},
		{finding.AdviceInPlace, one(finding.InPlace, "on"), true, func(o *training.Options) bool {
			return replace(&o.InPlace, training.InPlaceOn, training.InPlaceAuto)
		}},
		{finding.AdviceAutocast, one(finding.Precision, "amp-bf16"), false, func(o *training.Options) bool {
			return replace(&o.Precision, training.AMPBF16, training.FP32)
		}},
		{finding.AdviceBFloat16, one(finding.Precision, "bf16"), false, func(o *training.Options) bool {
			return replace(&o.Precision, training.BF16, training.FP32, training.AMPBF16, training.AMPFP16)
		}},
		{finding.AdviceEightBitStates, one(finding.Optimizer, "adam8bit"), false, func(o *training.Options) bool {
			return replace(&o.Optimizer, training.Adam8bit, training.Adam, training.AdamW)
		}},
		{finding.AdviceFactoredStates, one(finding.Optimizer, "adafactor"), false, func(o *training.Options) bool {
			return replace(&o.Optimizer, training.Adafactor, training.Adam, training.AdamW, training.NAdam, training.RAdam, training.AMSGrad, training.LAMB, training.Sophia, training.Adamax)
		}},
		{finding.AdviceStateless, one(finding.Optimizer, "sgd"), false, func(o *training.Options) bool {
			had := o.Optimizer
			o.Optimizer = training.SGD
			return had != training.SGD
		}},
	}
}

// lowRank makes sense where linear layers hold most of the parameters.
var lowRank = change{finding.AdviceLoRA, one(finding.LoRARank, "8"), false, func(o *training.Options) bool {
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
	if p := liveness.NewProgram(a.Numbers, liveness.Options{}); p.Truncated || len(p.Steps) > maxAdvisedSteps {
		return nil
	}
	stored, _ := a.weights()
	tried := changes()
	if mostlyLinear(stored) {
		tried = append(tried, lowRank)
	}
	if c, ok := a.lastLayer(opts, stored); ok {
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
		advice := Advice{Finding: finding.New(c.code), PeakBytes: bytes, SavesBytes: now - bytes, apply: func(o *training.Options) { c.apply(o) }}
		advice.Options = c.options
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
	seen := map[finding.OptionName]bool{}
	return slices.DeleteFunc(list, func(x Advice) bool {
		if len(x.Options) != 1 {
			return false
		}
		name := x.Options[0].Name
		switch name {
		case finding.Optimizer, finding.Precision:
			return false
		case finding.Fused:
			name = finding.Foreach
		}
		again := seen[name]
		seen[name] = true
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
	all := Advice{Finding: finding.New(finding.AdviceTogether), apply: func(o *training.Options) {
		for _, s := range same {
			s.apply(o)
		}
	}}
	all.apply(&changed)
	for _, s := range same {
		all.Options = append(all.Options, s.Options...)
	}
	bytes, err := measure(a, changed)
	if err != nil || bytes >= same[0].PeakBytes {
		return nil
	}
	all.PeakBytes, all.SavesBytes = bytes, now-bytes
	return []Advice{all}
}

// maxPasses is the number of passes up to which splitting a batch is advised.
const maxPasses = 8

// smallerBatch splits the batch into the fewest equal parts, mostly halves, and
// makes up for it by as many passes a step.
func (a *Analysis) smallerBatch(opts training.Options, now int64, measure measure) []Advice {
	name, n, ok := a.batch()
	parts := smallestDivisor(n)
	if !ok || parts == 0 || needsQuotes(name) {
		return nil
	}
	smaller, err := a.rebound(name, n, n/parts)
	if err != nil {
		return nil
	}
	opts.Accumulate = int(parts) * max(opts.Accumulate, 1)
	bytes, err := measure(smaller, opts)
	if err != nil || now-bytes < now/100 {
		return nil
	}
	advice := Advice{Finding: finding.New(finding.AdviceSmallerBatch), PeakBytes: bytes, SavesBytes: now - bytes}
	advice.Symbol, advice.Size, advice.Count = name, n/parts, int64(opts.Accumulate)
	advice.Options = []finding.Option{
		{Name: finding.Dim, Value: fmt.Sprintf("%s=%d", name, n/parts)},
		{Name: finding.Accumulate, Value: strconv.Itoa(opts.Accumulate)},
	}
	if a.normalizesBatches() {
		advice.Op = batchNormalization
	}
	return []Advice{advice}
}

// smallestDivisor is the smallest number of equal parts of n from two to
// maxPasses; 0 where there is none.
func smallestDivisor(n int64) int64 {
	for d := int64(2); d <= min(n, maxPasses); d++ {
		if n%d == 0 {
			return d
		}
	}
	return 0
}

const batchNormalization = "BatchNormalization"

// normalizesBatches reports whether training has a BatchNormalization, folded
// ones included.
func (a *Analysis) normalizesBatches() bool {
	return len(a.stored().Folded) > 0 || slices.ContainsFunc(a.Numbers.Main.Graph.Nodes, func(n *onnxgraph.Node) bool { return n.OpType == batchNormalization })
}

// needsQuotes reports whether a name from the file would mean something else in
// a shell or as a glob. Options of advice are there to be copied.
func needsQuotes(name string) bool {
	return name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_./:-+@", r)
	})
}

// lastLayer freezes all but the last layer that holds a matrix, and what comes
// after it, where that leaves less than half of the parameters.
func (a *Analysis) lastLayer(opts training.Options, stored *weights.Set) (change, bool) {
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
		c := change{code: finding.AdviceLastLayer, apply: func(o *training.Options) bool {
			o.Names.Trainable = names
			return true
		}}
		for _, name := range names {
			c.options = append(c.options, finding.Option{Name: finding.Trainable, Value: name})
		}
		return c, true
	}
	return change{}, false
}
