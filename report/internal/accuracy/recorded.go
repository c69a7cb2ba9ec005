package accuracy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onnxmem/report/memory/training"
	"onnxmem/testdata/corpus"
)

// This file reads a recorded training run: as options of a simulation, and as
// text.

// dropout is the probability in all of the recorded modules. That of a mask
// does not show in its size.
const dropout = 0.1

// trainingOptions are the options of a recorded run; ok is false for runs that
// options cannot say, or that a record marks as not comparable.
func trainingOptions(r *corpus.TrainingRecord, run corpus.TrainingRun) (opts training.Options, ok bool) {
	opts.ForLoop = !run.Foreach
	optimizer, err := training.ParseOptimizer(run.Optimizer)
	fixed := slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "fixed batch of 1") })
	loss, wrong := training.ParseLoss(cmp.Or(run.Loss, "sum"))
	if err != nil || wrong != nil || r.DeviceSpecific || run.Approximate || fixed && run.Batch != 1 {
		return opts, false
	}
	var known [4]bool
	opts.Precision, known[0] = precisions[run.Precision]
	opts.Attention, known[1] = attentions[run.Attention]
	opts.Checkpoint, known[2] = checkpoints[run.Checkpoint]
	opts.Names.Freeze, known[3] = frozen[run.Frozen]
	opts.Optimizer, opts.Loss = optimizer, loss
	if !opts.Checkpoint.None() || opts.Names.Freeze != nil {
		opts.Dropout = training.DropoutRate(dropout) // all of these modules have it, and the peak is made of little else that is kept
	}
	return opts, known == [4]bool{true, true, true, true}
}

// isDefault reports whether only the optimizer, its implementation and the
// number format differ from the defaults.
func isDefault(o training.Options) bool {
	return o.Precision != training.AMPBF16 && o.Attention == training.AttentionAuto && o.Checkpoint.None() && o.Names.Freeze == nil && o.Loss == training.LossSum
}

// What the records call number formats, ways to run attention, checkpointed
// segments and frozen layers, as options. A layer of a transformer is two
// residual blocks, as is a stage of ResNet-18.
var (
	precisions  = map[string]training.Precision{"": training.FP32, "fp32": training.FP32, "bf16": training.BF16, "amp_bf16": training.AMPBF16}
	attentions  = map[string]training.Attention{"": training.AttentionAuto, "sdpa": training.AttentionAuto, "eager": training.AttentionEager, "repeat_kv": training.AttentionFused}
	checkpoints = map[string]training.Checkpoint{"": {}, "layers": training.CheckpointEvery(2), "stages": training.CheckpointEvery(2)}
	frozen      = map[string][]string{
		"":                                 nil,
		"features":                         {"features.*"},
		"all_but_last_2_layers_and_pooler": {"*embeddings*", "*layer.?.*", "*layer.?/*"},
	}
)

// runText names a run.
func runText(run corpus.TrainingRun) string {
	text := sizeText(run) + ", " + run.Optimizer
	if !run.Foreach {
		text += ", no foreach"
	}
	return fmt.Sprintf("%s%s, step %d", text, changesText(run), run.Step)
}

// wayText names a run by what decides what it keeps for the backward pass: all
// but the optimizer.
func wayText(run corpus.TrainingRun) string { return sizeText(run) + changesText(run) }

func sizeText(run corpus.TrainingRun) string {
	text := fmt.Sprintf("batch %d", run.Batch)
	if run.Seq > 0 {
		text += fmt.Sprintf(", seq %d", run.Seq)
	}
	if p := cmp.Or(run.Precision, "fp32"); p != "fp32" {
		text += ", " + p
	}
	return text
}

// changesText lists what a run does otherwise than the default loop.
func changesText(run corpus.TrainingRun) (text string) {
	switch run.Attention {
	case "eager":
		text += ", eager attention"
	case "repeat_kv":
		text += ", fused attention"
	}
	if run.Loss == "cross_entropy" {
		text += ", cross entropy"
	}
	if run.Checkpoint != "" {
		text += ", " + run.Checkpoint + " checkpointed"
	}
	if run.Frozen != "" {
		text += ", " + strings.ReplaceAll(run.Frozen, "_", " ") + " frozen"
	}
	return text
}
