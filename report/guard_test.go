package report

import (
	"errors"
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/training"
)

// brokenTraining is an analysis whose training runs into a bug.
func brokenTraining(t *testing.T, opts Options) *Analysis {
	t.Helper()
	m := modeltest.New(17).Input("x", onnxgraph.Float, "batch", 8).InitZeros("w", onnxgraph.Float, 8, 8).
		Node("MatMul", []string{"x", "w"}, []string{"y"}).Output("y").Model(t)
	opts.PerNode = true
	a, err := Analyze(m, opts)
	if err != nil {
		t.Fatal(err)
	}
	a.trainer = training.NewTrainer(nil, nil)
	return a
}

// TestBugInOneSection holds that a bug in one section leaves the others as they
// are, and that the report says which section it was and where.
func TestBugInOneSection(t *testing.T) {
	whole := brokenTraining(t, Options{})
	whole.trainer = nil
	want := whole.result(t.Context())
	got := brokenTraining(t, Options{}).result(t.Context())
	if *got.Inference.PeakBytes != *want.Inference.PeakBytes || *got.Weights.Bytes != *want.Weights.Bytes || got.Formula.PeakBytes != want.Formula.PeakBytes || len(got.Nodes) != 1 {
		t.Errorf("other sections differ: %+v, must be %+v", got.Inference, want.Inference)
	}
	if got.Training.PeakBytes != nil || got.Training.SavedBytes != nil || got.Nodes[0].SavedBytes != nil || !strings.HasPrefix(got.Training.Reason.Detail, "internal error in training, please report it: ") {
		t.Errorf("training: %+v", got.Training)
	}
	bugs := got.InternalErrors()
	if len(bugs) != 1 || bugs[0].Severity != "error" || !strings.Contains(bugs[0].Message, ".go:") {
		t.Errorf("diagnostics: %+v", got.Diagnostics)
	}
	if bugs := want.InternalErrors(); len(bugs) != 0 {
		t.Errorf("a report without a bug names %v", bugs)
	}
}

// TestBugsAreLoud holds that a bug panics where somebody asks for it, so that tests and
// fuzzing see it.
func TestBugsAreLoud(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a bug went unseen")
		}
	}()
	brokenTraining(t, Options{PanicOnBug: true}).result(t.Context())
}

// TestGuard holds what is said of a bug.
func TestGuard(t *testing.T) {
	var list []int
	err := Guard("a section", func() { list[len(list)-1]++ })
	var bug *InternalError
	if !errors.As(err, &bug) || bug.Section != "a section" || !strings.Contains(bug.Where, "guard_test.go:") || !strings.Contains(bug.Error(), "index out of range [-1]") {
		t.Errorf("%v", err)
	}
	if err := Guard("a section", func() {}); err != nil {
		t.Errorf("no bug: %v", err)
	}
}
