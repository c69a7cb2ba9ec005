package training_test

import (
	"bytes"
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory/training"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/testdata/corpus"
)

// A comparison is an estimate next to its truth.
type comparison struct {
	label           string
	estimate, truth int64
	reason          string
}

func (c comparison) err() float64 { return float64(c.estimate)/float64(c.truth) - 1 }

// figures are the comparisons of a set of runs.
type figures struct{ saved, peak []comparison }

func readModel(data []byte) (*onnxgraph.Model, error) {
	return onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
}

// inferredFor infers an export at the shapes of a run.
func inferredFor(t testing.TB, m *onnxgraph.Model, rec *corpus.TrainingRecord, run corpus.TrainingRun) (*shapeinfer.Result, error) {
	t.Helper()
	opts := shapeinfer.Options{Dims: rec.ONNXDims, InputShapes: map[string][]dim.Dim{}}
	for name, in := range rec.Input {
		var dims []dim.Dim
		for _, d := range in.Shape {
			switch {
			case d.IsNumber():
				dims = append(dims, dim.Int(d.Number()))
			case d.Expr() == "batch":
				dims = append(dims, dim.Int(run.Batch))
			case d.Expr() == "seq":
				dims = append(dims, dim.Int(run.Seq))
			}
		}
		opts.InputShapes[name] = dims
	}
	return shapeinfer.Infer(m, opts)
}

// optionsOf maps a recorded run to options; ok is false for what an export
// cannot be asked for.
func optionsOf(rec *corpus.TrainingRecord, run corpus.TrainingRun) (opts training.Options, ok bool) {
	opts = training.Options{Optimizer: run.Optimizer, Foreach: run.Foreach, Loss: run.Loss}
	switch run.Precision {
	case "", "fp32":
	case "bf16":
		opts.Precision = "bf16"
	case "amp_bf16":
		opts.Precision = "amp-bf16"
	default:
		return opts, false
	}
	switch run.Attention {
	case "eager":
		opts.Attention = "eager"
	case "repeat_kv":
		opts.Attention = "fused"
	}
	return opts, true
}

// exportsOf are the module's exports.
func exportsOf(rec *corpus.TrainingRecord) []string { return rec.ONNX }

// variantsOf are those that a tool changed afterwards.
func variantsOf(rec *corpus.TrainingRecord) []string { return rec.Variants }

// compareRuns estimates the chosen runs of all records.
func compareRuns(t *testing.T, exports func(*corpus.TrainingRecord) []string, choose func(rec *corpus.TrainingRecord, run corpus.TrainingRun, opts *training.Options) bool) figures {
	t.Helper()
	zoo := map[string]*corpus.ZooModel{}
	for _, m := range corpus.Zoo(t) {
		zoo[m.Name] = m
	}
	var f figures
	for _, rec := range corpus.Training(t) {
		fixed := strings.Contains(strings.Join(rec.Notes, " "), "fixed batch of 1")
		for _, name := range exports(rec) {
			if zoo[name] == nil {
				continue
			}
			model, err := readModel(zoo[name].Bytes(t))
			if err != nil {
				t.Fatal(err)
			}
			inferred := map[string]*shapeinfer.Result{}
			seen := map[string]bool{}
			for _, run := range rec.Runs {
				opts, ok := optionsOf(rec, run)
				if !ok || fixed && run.Batch != 1 || !choose(rec, run, &opts) {
					continue
				}
				key := fmt.Sprintf("%d/%d", run.Batch, run.Seq)
				if inferred[key] == nil {
					if inferred[key], err = inferredFor(t, model, rec, run); err != nil {
						t.Fatal(err)
					}
				}
				label := fmt.Sprintf("%s x%d %s foreach=%v %s %s %s %s %s step %d", name, run.Batch, run.Optimizer, run.Foreach, run.Precision, run.Checkpoint, run.Frozen, run.Attention, run.Loss, run.Step)
				c := comparison{label: label, truth: run.PeakBytes}
				res, err := training.Simulate(inferred[key], opts)
				if err != nil {
					c.reason = err.Error()
					f.peak = append(f.peak, c)
					continue
				}
				c.estimate = res.PeakBytes
				if run.Step == 1 {
					c.estimate = res.FirstStepPeakBytes
				}
				f.peak = append(f.peak, c)
				key = fmt.Sprintf("%d/%d/%s/%s/%s/%s/%s", run.Batch, run.Seq, run.Precision, run.Checkpoint, run.Frozen, run.Attention, run.Loss)
				if run.Saved != nil && !seen[key] {
					seen[key] = true
					s := comparison{label: name + " " + key, estimate: res.SavedBytes, truth: run.Saved.TotalBytes - run.Saved.ByOp["NativeDropoutBackward0"]}
					if opts.Dropout > 0 {
						s.estimate, s.truth = res.SavedWithDropoutBytes, run.Saved.TotalBytes
					}
					f.saved = append(f.saved, s)
				}
			}
		}
	}
	return f
}

// check holds a list against bounds on its median, its 90% quantile, its
// maximum and its under-estimates.
func check(t *testing.T, what string, list []comparison, median, ninety, most, under float64) {
	t.Helper()
	if len(list) == 0 {
		t.Fatalf("%s: nothing was compared", what)
	}
	var errs []float64
	for _, c := range list {
		if c.reason != "" {
			t.Errorf("%s: %s: %s", what, c.label, c.reason)
			continue
		}
		e := c.err()
		errs = append(errs, math.Abs(e))
		if math.Abs(e) > most || e < -under {
			t.Errorf("%s: %s: %d, is %d: %+.2f%%", what, c.label, c.estimate, c.truth, 100*e)
		} else if testing.Verbose() && math.Abs(e) > median {
			t.Logf("%s: %s: %d, is %d: %+.2f%%", what, c.label, c.estimate, c.truth, 100*e)
		}
	}
	if len(errs) == 0 {
		return
	}
	sort.Float64s(errs)
	t.Logf("%s: %d of %d estimated, median %.3f%%, 90%% within %.2f%%, most %.2f%%", what, len(errs), len(list), 100*errs[len(errs)/2], 100*errs[len(errs)*9/10], 100*errs[len(errs)-1])
	if m := errs[len(errs)/2]; m > median {
		t.Errorf("%s: median error %.2f%%, may be %.2f%%", what, 100*m, 100*median)
	}
	if q := errs[len(errs)*9/10]; q > ninety {
		t.Errorf("%s: 90%% within %.2f%%, may be %.2f%%", what, 100*q, 100*ninety)
	}
}

// TestTrainingRecords compares plain runs, 32 bits and bfloat16, with what
// PyTorch's memory tracker recorded.
func TestTrainingRecords(t *testing.T) {
	f := compareRuns(t, exportsOf, func(rec *corpus.TrainingRecord, run corpus.TrainingRun, opts *training.Options) bool {
		return !run.Approximate && run.Checkpoint == "" && run.Frozen == "" && (run.Loss == "" || run.Loss == "sum") &&
			(run.Attention == "" || run.Attention == "sdpa") && !rec.DeviceSpecific && run.Precision != "amp_bf16"
	})
	check(t, "saved", f.saved, .01, .03, .10, .05)
	check(t, "peak", f.peak, .01, .04, .10, .05)
}

// TestLossAndAttention compares the runs with cross entropy, with attention
// written out, with repeated keys, and under autocast.
func TestLossAndAttention(t *testing.T) {
	f := compareRuns(t, exportsOf, func(rec *corpus.TrainingRecord, run corpus.TrainingRun, opts *training.Options) bool {
		return !run.Approximate && !rec.DeviceSpecific && run.Checkpoint == "" && run.Frozen == "" &&
			(run.Loss == "cross_entropy" || run.Attention == "eager" || run.Attention == "repeat_kv" || run.Precision == "amp_bf16")
	})
	check(t, "saved", f.saved, .01, .03, .10, .05)
	check(t, "peak", f.peak, .01, .04, .10, .05)
}

// TestCheckpoints compares the runs that recompute: the layers of a
// transformer are two residual blocks each, a stage of ResNet-18 too.
func TestCheckpoints(t *testing.T) {
	f := compareRuns(t, exportsOf, func(rec *corpus.TrainingRecord, run corpus.TrainingRun, opts *training.Options) bool {
		opts.Checkpoint = "every-2"
		opts.Dropout = .1
		return !run.Approximate && !rec.DeviceSpecific && run.Checkpoint != ""
	})
	check(t, "saved", f.saved, .01, .03, .10, .05)
	check(t, "peak", f.peak, .01, .04, .10, .05)
}

// TestFrozen compares the runs in which a part of the module does not train.
func TestFrozen(t *testing.T) {
	frozen := map[string][]string{
		"all_but_last_2_layers_and_pooler": {"*embeddings*", "*layer.?.*", "*layer.?/*"},
		"features":                         {"features.*"},
	}
	f := compareRuns(t, exportsOf, func(rec *corpus.TrainingRecord, run corpus.TrainingRun, opts *training.Options) bool {
		if run.Frozen == "" || run.Approximate || rec.DeviceSpecific {
			return false
		}
		opts.Names.Freeze = frozen[run.Frozen]
		opts.Dropout = .1 // both modules have it
		if opts.Names.Freeze == nil {
			t.Fatalf("%s freezes %q", rec.Name, run.Frozen)
		}
		return true
	})
	check(t, "saved", f.saved, .01, .03, .10, .05)
	check(t, "peak", f.peak, .01, .04, .10, .05)
}

// TestDropout compares with the full records, masks included, where the module
// has dropouts of one byte an element. Which ones a network of convolutions
// has is not in the export: those before its classifier are assumed.
func TestDropout(t *testing.T) {
	f := compareRuns(t, exportsOf, func(rec *corpus.TrainingRecord, run corpus.TrainingRun, opts *training.Options) bool {
		opts.Dropout = .1
		return !run.Approximate && !rec.DeviceSpecific && run.Checkpoint == "" && run.Frozen == "" && run.Precision != "amp_bf16" &&
			rec.ForwardOps["aten.native_dropout.default"] > 0
	})
	check(t, "saved", f.saved, .01, .03, .10, .05)
	check(t, "peak", f.peak, .01, .04, .10, .05)
}

// TestVariants compares exports that ONNX Runtime's optimizer or a conversion
// to 16 bits changed: they train as the module does.
func TestVariants(t *testing.T) {
	f := compareRuns(t, variantsOf, func(rec *corpus.TrainingRecord, run corpus.TrainingRun, opts *training.Options) bool {
		return !run.Approximate && run.Checkpoint == "" && run.Frozen == "" && run.Precision != "amp_bf16" && run.Loss == "sum"
	})
	check(t, "saved", f.saved, .01, .03, .10, .05)
	check(t, "peak", f.peak, .01, .04, .10, .05)
}
