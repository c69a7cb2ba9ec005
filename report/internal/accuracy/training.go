package accuracy

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/report/memory/training"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
	"onnxmem/testdata/corpus"
)

// Training holds what derivatives keep, and the peak of a training step,
// against PyTorch under its memory tracker, for the modules whose exports are
// in the zoo. saved has one figure for each size of the inputs, without
// dropout masks, which an inference export cannot show. peak has the runs with
// PyTorch's default loop, options those that change what is kept: the loss,
// how attention runs, autocast, checkpoints and frozen layers.
func Training(root string) (saved, peak, options []Figure, err error) {
	records, err := corpus.ReadTraining(root)
	if err != nil {
		return nil, nil, nil, err
	}
	zoo, err := corpus.ReadZoo(root)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, r := range records {
		for _, export := range r.ONNX {
			i := slices.IndexFunc(zoo, func(m *corpus.ZooModel) bool { return m.Name == export })
			if i < 0 {
				return nil, nil, nil, fmt.Errorf("the record of %s names an export %s that the zoo lacks", r.Name, export)
			}
			p, err := program(zoo[i].Model)
			if err != nil {
				return nil, nil, nil, err
			}
			t := &trainer{record: r, export: export, program: p, known: map[size]*shapeinfer.Result{}}
			if err := t.compare(); err != nil {
				return nil, nil, nil, fmt.Errorf("%s: %w", export, err)
			}
			saved, peak, options = append(saved, t.saved...), append(peak, t.peak...), append(options, t.options...)
		}
	}
	return saved, peak, options, nil
}

// A trainer compares the runs of one module with one of its exports.
type trainer struct {
	record  *corpus.TrainingRecord
	export  string
	program *onnxgraph.Program
	known   map[size]*shapeinfer.Result // by the sizes of the inputs

	saved, peak, options []Figure
}

// A size is what the symbolic dims of a record's inputs are in a run.
type size struct{ batch, seq int64 }

func (t *trainer) compare() error {
	type kind struct {
		size
		precision string
	}
	seen := map[kind]bool{}
	for _, run := range t.record.Runs {
		opts, plain, ok := t.trainingOptions(run)
		if !ok {
			continue
		}
		model, err := t.model(size{run.Batch, run.Seq})
		if err != nil {
			return err
		}
		label := runText(run)
		f := Figure{Model: t.export, Run: label, Truth: run.PeakBytes}
		result, err := training.Simulate(model, opts)
		var unknown *training.UnknownError
		switch {
		case errors.As(err, &unknown):
			f.Reason = unknown.Error()
		case err != nil:
			return err
		case run.Step == 1:
			f.Estimate = &result.FirstStepPeakBytes
		default:
			f.Estimate = &result.PeakBytes
		}
		if !plain {
			t.options = append(t.options, f)
			continue
		}
		t.peak = append(t.peak, f)
		k := kind{size{run.Batch, run.Seq}, run.Precision}
		if run.Saved != nil && !seen[k] {
			seen[k] = true
			masks := run.Saved.ByOp["NativeDropoutBackward0"]
			s := Figure{Model: t.export, Run: sizeText(run), Truth: run.Saved.TotalBytes - masks, Reason: f.Reason}
			if result != nil {
				s.Estimate = &result.SavedBytes
			}
			t.saved = append(t.saved, s)
		}
	}
	return nil
}

// trainingOptions are the options of a recorded run. plain says that only the
// optimizer, its implementation and the number format differ from the
// defaults; ok is false for runs that options cannot say, or that a record
// marks as not comparable.
func (t *trainer) trainingOptions(run corpus.TrainingRun) (opts training.Options, plain, ok bool) {
	opts = training.DefaultOptions()
	opts.Optimizer, opts.Foreach = run.Optimizer, run.Foreach
	fixed := slices.ContainsFunc(t.record.Notes, func(n string) bool { return strings.Contains(n, "fixed batch of 1") })
	if t.record.DeviceSpecific || run.Approximate || fixed && run.Batch != 1 {
		return opts, false, false
	}
	var known [4]bool
	opts.Precision, known[0] = precisions[run.Precision]
	opts.Attention, known[1] = attentions[run.Attention]
	opts.Checkpoint, known[2] = checkpoints[run.Checkpoint]
	opts.Names.Freeze, known[3] = frozen[run.Frozen]
	opts.Loss = cmp.Or(run.Loss, "sum")
	plain = opts.Precision != "amp-bf16" && opts.Attention == "auto" && opts.Checkpoint == "none" && opts.Names.Freeze == nil && opts.Loss == "sum"
	if opts.Checkpoint != "none" || opts.Names.Freeze != nil {
		opts.Dropout = 0.1 // all of these modules have it, and the peak is made of little else that is kept
	}
	return opts, plain, known == [4]bool{true, true, true, true}
}

// What the records call number formats, ways to run attention, checkpointed
// segments and frozen layers, as options. A layer of a transformer is two
// residual blocks, as is a stage of ResNet-18.
var (
	precisions  = map[string]string{"": "fp32", "fp32": "fp32", "bf16": "bf16", "amp_bf16": "amp-bf16"}
	attentions  = map[string]string{"": "auto", "sdpa": "auto", "eager": "eager", "repeat_kv": "fused"}
	checkpoints = map[string]string{"": "none", "layers": "every-2", "stages": "every-2"}
	frozen      = map[string][]string{
		"":                                 nil,
		"features":                         {"features.*"},
		"all_but_last_2_layers_and_pooler": {"*embeddings*", "*layer.?.*", "*layer.?/*"},
	}
)

// model infers the export at the sizes of a run.
func (t *trainer) model(s size) (*shapeinfer.Result, error) {
	if r := t.known[s]; r != nil {
		return r, nil
	}
	opts := shapeinfer.Options{Dims: maps.Clone(t.record.ONNXDims), InputShapes: map[string][]dim.Dim{}}
	for name, in := range t.record.Input {
		dims := make([]int64, len(in.Shape))
		for i, d := range in.Shape {
			switch d.Expr() {
			case "batch":
				dims[i] = s.batch
			case "seq":
				dims[i] = s.seq
			case "":
				dims[i] = d.Number()
			default:
				return nil, fmt.Errorf("the record has a dim %s of %s, which no run binds", d, name)
			}
		}
		opts.InputShapes[name] = tensor.IntShape(dims...).Dims()
	}
	a, err := report.Analyze(t.export, t.program, report.Options{Infer: opts})
	if err != nil {
		return nil, err
	}
	t.known[s] = a.Numbers
	return a.Numbers, nil
}

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

func runText(run corpus.TrainingRun) string {
	text := sizeText(run) + ", " + run.Optimizer
	if !run.Foreach {
		text += ", no foreach"
	}
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
	return fmt.Sprintf("%s, step %d", text, run.Step)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
