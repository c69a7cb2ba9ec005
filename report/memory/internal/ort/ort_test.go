package ort_test

import (
	"fmt"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory/internal/ort"
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

// inexactPeaks are the recorded runs whose peak is not met to the byte.
var inexactPeaks = corpus.Exceptions{
	"skl_knn#0":                            "its first node is a Scan: the record's zero level holds buffers of it already",
	"skl_knn#1":                            "its first node is a Scan: the record's zero level holds buffers of it already",
	"own_scripted_loop_ts17#0":             "run-time values decide between branches, of which the larger counts",
	"own_scripted_loop_ts17#1":             "run-time values decide between branches, of which the larger counts",
	"ssdlite320_mobilenet_v3_large_ts17#0": "how many boxes survive depends on values",
	"yalue_example_0_dim_output#0":         "a value that only the run knows decides a dim",
}

// TestZooPeaks holds the peak of every recorded run against the runtime's.
// Where values decide, the truth must lie between the limits that are given.
func TestZooPeaks(t *testing.T) {
	for _, m := range corpus.Zoo(t) {
		model := runs.Model(t, m.Model)
		for i, b := range m.Bindings {
			name := fmt.Sprintf("%s#%d", m.Name, i)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				got, truth, what := estimate(t, model, b).ActivationBytes, b.ORT.PeakRequested, ""
				n, known := got.Exact()
				if !known || n != truth {
					what = fmt.Sprintf("%v, the record has %d", got, truth)
				}
				inexactPeaks.Check(t, name, what)
				if most := float64(truth) * inexactPeak(b); known && (n < truth || float64(n) > most) || !known && !got.Open && got.High < truth {
					t.Error(what)
				}
			})
		}
	}
}

// inexactPeak is how much of the truth an inexact peak may be: that of skl_knn,
// 2.3% too much, and where values decide, the larger of two branches.
func inexactPeak(b corpus.Binding) float64 {
	if len(b.DataDependent) > 0 {
		return 1.2
	}
	return 1.023
}

// inexactSteps are the models whose memory is not met after every kernel.
var inexactSteps = corpus.Exceptions{
	"own_scripted_loop_ts17":     "run-time values decide between branches",
	"skl_gaussian_process":       "only the first iterations of its Scan are followed",
	"skl_knn":                    "only the first iterations of its Scan are followed",
	"yalue_example_0_dim_output": "a value that only the run knows decides a dim",
}

// TestZooSteps holds the memory after each executed kernel against the
// runtime's: the order, the kernels that the runtime inserts, and every buffer
// that is handed on.
func TestZooSteps(t *testing.T) {
	steps := corpus.Steps(t)
	for _, m := range corpus.Zoo(t) {
		want := steps[m.Name]
		if want == nil {
			continue
		}
		var kernels []corpus.Kernel
		for _, s := range want.Steps {
			kernels = append(kernels, corpus.Kernel{Op: s.Op, InUse: s.InUseAfter})
		}
		inexactSteps.Check(t, m.Name, differs(estimate(t, runs.Model(t, m.Model), m.Bindings[0]).Steps, kernels))
	}
}
