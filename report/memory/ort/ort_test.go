package ort_test

import (
	"fmt"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory/ort"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

func estimate(t testing.TB, m *onnxgraph.Model, b corpus.Binding) *ort.Estimate {
	t.Helper()
	opts := runs.Bound(t, b)
	r, err := shapeinfer.Infer(m, opts)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ort.CPU(r, opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// inexact are the recorded runs whose peak is not met to the byte, with the
// reason. All others are.
var inexact = map[string]string{
	"skl_knn#0":                            "its first node is a Scan: the record's zero level holds buffers of it already",
	"skl_knn#1":                            "its first node is a Scan: the record's zero level holds buffers of it already",
	"own_scripted_loop_ts17#0":             "run-time values decide between branches",
	"own_scripted_loop_ts17#1":             "run-time values decide between branches",
	"ssdlite320_mobilenet_v3_large_ts17#0": "",
	"yalue_example_0_dim_output#0":         "a value that only the run knows decides a dim",
}

// TestZooPeaks holds the peak of every recorded run against the runtime's.
func TestZooPeaks(t *testing.T) {
	exact, total := 0, 0
	for _, m := range corpus.Zoo(t) {
		model := runs.Model(t, m.Model)
		for i, b := range m.Bindings {
			label := fmt.Sprintf("%s#%d", m.Name, i)
			e := estimate(t, model, b)
			n, known := e.ActivationBytes.Exact()
			truth := b.ORT.PeakRequested
			total++
			if known && n == truth {
				exact++
				continue
			}
			if _, listed := inexact[label]; !listed {
				t.Errorf("%s: %v, is %d", label, e.ActivationBytes, truth)
				continue
			}
			if len(b.DataDependent) == 0 && (n < truth || float64(n) > 1.03*float64(truth)) {
				t.Errorf("%s: %v, is %d", label, e.ActivationBytes, truth)
			}
			if e.ActivationBytes.Low < truth && !e.ActivationBytes.Open && e.ActivationBytes.High < truth {
				t.Errorf("%s: at most %d, is %d", label, e.ActivationBytes.High, truth)
			}
		}
	}
	t.Logf("%d of %d peaks are exact", exact, total)
}

// otherSteps are the models whose memory is not met after every single kernel.
var otherSteps = map[string]string{
	"own_scripted_loop_ts17":     "run-time values decide between branches",
	"skl_gaussian_process":       "only the first turns of its Scan are followed",
	"skl_knn":                    "only the first turns of its Scan are followed",
	"yalue_example_0_dim_output": "a value that only the run knows decides a dim",
}

// TestZooSteps holds the memory after each executed kernel against the
// runtime's: the order, the kernels that the runtime inserts, and every buffer
// that is handed on.
func TestZooSteps(t *testing.T) {
	steps := corpus.Steps(t)
	for _, m := range corpus.Zoo(t) {
		want := steps[m.Name]
		if want == nil || otherSteps[m.Name] != "" {
			continue
		}
		e := estimate(t, runs.Model(t, m.Model), m.Bindings[0])
		if len(e.Steps) != len(want.Steps) {
			t.Errorf("%s: %d kernels, is %d", m.Name, len(e.Steps), len(want.Steps))
			continue
		}
		for k, s := range want.Steps {
			if got := e.Steps[k]; got.Op != s.Op || got.InUse != s.InUseAfter {
				t.Errorf("%s: kernel %d: %s %d bytes, is %s %s %d bytes", m.Name, k, got.Op, got.InUse, s.Op, s.Node, s.InUseAfter)
				break
			}
		}
	}
}
