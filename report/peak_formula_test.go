package report_test

import (
	"math/rand/v2"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// TestPeakFormulaHolds compares the formula of the peak with the peak that a
// report at those sizes finds, at random sizes of every dynamic dimension. A
// formula that holds where it was made and not elsewhere is the mistake that it
// looks for.
func TestPeakFormulaHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	checked := 0
	for _, m := range corpus.Zoo(t) {
		model := runs.Model(t, m.Model)
		formula := reportAt(t, model, nil).Formula
		if formula.PeakBytes == "" || len(formula.Symbols) == 0 {
			continue
		}
		peak, err := dim.Parse(formula.PeakBytes)
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		for range 3 {
			sizes := map[string]int64{}
			for name := range formula.Symbols {
				sizes[name] = formula.PeakFrom + []int64{0, 1, 2, 6, 15, 31, 63, 127, 223}[random.IntN(9)]
			}
			r := reportAt(t, model, sizes)
			if r.Inference.PeakBytes == nil || hasErrors(r) {
				continue // the model does not run at these sizes
			}
			checked++
			if n, ok := peak.Eval(sizes); !ok || n != *r.Inference.PeakBytes {
				t.Errorf("%s: at %v the formula gives %d, the report %d: %s", m.Name, sizes, n, *r.Inference.PeakBytes, formula.PeakBytes)
			}
		}
	}
	if checked < 80 {
		t.Errorf("%d sizes were compared, there should be more", checked)
	}
}

func reportAt(t *testing.T, model *onnxgraph.Model, sizes map[string]int64) *report.Result {
	t.Helper()
	a, err := report.Analyze(model, report.Options{Infer: shapeinfer.Options{Dims: sizes}})
	if err != nil {
		t.Fatal(err)
	}
	return resultOf(t, a)
}

func hasErrors(r *report.Result) bool {
	for _, d := range r.Diagnostics {
		if d.Severity == "error" || d.Code == "assumed-size" {
			return true
		}
	}
	return false
}
