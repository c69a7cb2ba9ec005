package accuracy

import (
	"errors"
	"fmt"
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/report/render"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// training holds what derivatives keep, and the peak of a training step,
// against PyTorch under its memory tracker, for the modules whose exports are
// in the zoo. There is one figure of what is kept for each size of the inputs
// and each way to train.
func (c *Comparison) training(zoo []*corpus.ZooModel, records []*corpus.TrainingRecord) error {
	for _, r := range records {
		for i, export := range slices.Concat(r.ONNX, r.Variants) {
			t, err := newTrainer(zoo, r, export)
			if err != nil {
				return err
			}
			rewritten := i >= len(r.ONNX)
			for _, run := range r.Runs {
				if err := c.compareRun(t, run, rewritten); err != nil {
					return fmt.Errorf("%s: %w", export, err)
				}
			}
		}
	}
	return nil
}

// compareRun adds the figures of one recorded run.
func (c *Comparison) compareRun(t *trainer, run corpus.TrainingRun, rewritten bool) error {
	opts, ok := trainingOptions(t.record, run)
	switch {
	case !ok:
		return nil
	case rewritten:
		if run.Checkpoint != "" || run.Frozen != "" {
			return nil // globs name the layers of the module as its own export does
		}
		return t.compare(&c.Rewritten, run, opts)
	}
	group := &c.Options
	if isDefault(opts) {
		group = &c.Default
	}
	if err := t.compare(group, run, opts); err != nil || opts.Dropout.Masks() || run.Precision == "amp_bf16" || t.record.ForwardOps["aten.native_dropout.default"] == 0 {
		return err
	}
	opts.Dropout = training.DropoutRate(dropout)
	return t.compare(&c.Dropout, run, opts)
}

// A trainer compares the runs of one module with one of its exports.
type trainer struct {
	record    *corpus.TrainingRecord
	export    string
	program   *onnxgraph.Program
	at        map[size]*training.Trainer // by the sizes of the inputs
	simulated map[string]*simulation     // by sizes and options: steps share one
	saved     map[string]bool            // by sizes and ways to train: those that have their figure
}

// A size is what the symbolic dims of a record's inputs are in a run.
type size struct{ batch, seq int64 }

type simulation struct {
	result *training.Result // nil where the reason says why
	reason string
}

func newTrainer(zoo []*corpus.ZooModel, r *corpus.TrainingRecord, export string) (*trainer, error) {
	i := slices.IndexFunc(zoo, func(m *corpus.ZooModel) bool { return m.Name == export })
	if i < 0 {
		return nil, fmt.Errorf("the record of %s names an export %s that the zoo lacks", r.Name, export)
	}
	model, err := runs.Read(zoo[i].Model)
	if err != nil {
		return nil, err
	}
	return &trainer{
		record: r, export: export, program: onnxgraph.Resolve(model),
		at: map[size]*training.Trainer{}, simulated: map[string]*simulation{}, saved: map[string]bool{},
	}, nil
}

// compare adds the figures of a run, simulated with options, to steps.
func (t *trainer) compare(steps *Steps, run corpus.TrainingRun, opts training.Options) error {
	s, err := t.simulate(size{run.Batch, run.Seq}, opts)
	if err != nil {
		return err
	}
	peak := Figure{Model: t.export, Run: runText(run), Truth: run.PeakBytes, Reason: s.reason}
	switch {
	case s.result == nil:
	case run.Step == 1:
		peak.Estimate = &s.result.FirstStepPeakBytes
	default:
		peak.Estimate = &s.result.PeakBytes
	}
	steps.Peak = append(steps.Peak, peak)

	way := fmt.Sprintf("%s, dropout %s", wayText(run), opts.Dropout)
	if run.Saved == nil || t.saved[way] {
		return nil
	}
	t.saved[way] = true
	saved := Figure{Model: t.export, Run: wayText(run), Truth: run.Saved.TotalBytes, Reason: s.reason}
	if !opts.Dropout.Masks() {
		saved.Truth -= run.Saved.ByOp["NativeDropoutBackward0"] // the masks
	}
	if s.result != nil {
		saved.Estimate = &s.result.SavedBytes
		if opts.Dropout.Masks() {
			saved.Estimate = &s.result.SavedWithDropoutBytes
		}
	}
	steps.Saved = append(steps.Saved, saved)
	return nil
}

// simulate simulates a step once for all runs that it is the same for.
func (t *trainer) simulate(at size, opts training.Options) (*simulation, error) {
	key := fmt.Sprint(at, opts)
	if s := t.simulated[key]; s != nil {
		return s, nil
	}
	trainer, err := t.trainer(at)
	if err != nil {
		return nil, err
	}
	s := &simulation{}
	s.result, err = trainer.Simulate(opts)
	var unknown *training.UnknownError
	switch {
	case errors.As(err, &unknown):
		s.reason = render.Style{}.Message(unknown.Finding)
	case err != nil:
		return nil, err
	}
	t.simulated[key] = s
	return s, nil
}

// trainer infers the export at the sizes of a run.
func (t *trainer) trainer(at size) (*training.Trainer, error) {
	if known := t.at[at]; known != nil {
		return known, nil
	}
	opts, err := runs.TrainingOptions(t.record, at.batch, at.seq)
	if err != nil {
		return nil, err
	}
	opts.DefaultDims = 1
	inferred, err := shapeinfer.InferProgram(t.program, opts)
	if err != nil {
		return nil, err
	}
	t.at[at] = training.NewTrainer(inferred, weights.Collect(t.program, weights.Options{}))
	return t.at[at], nil
}
