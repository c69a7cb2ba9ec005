package render_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"onnxmem/report"
	"onnxmem/report/finding"
	"onnxmem/report/render"
	"onnxmem/report/render/internal/rendertest"
	"onnxmem/shapeinfer"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The golden files hold how formats lay out a result, not what is true of a
// model: training and runtime, which other tests hold against records, are
// made up here.
func TestLayout(t *testing.T) {
	models := map[string]*report.Result{
		"convolution": madeUp(rendertest.Analyze(t, rendertest.Convolution(), report.Options{})),
		"unknown":     rendertest.Analyze(t, rendertest.Unknown(), report.Options{}),
	}
	for name, r := range models {
		for _, format := range []string{"table", "csv", "md"} {
			t.Run(name+"/"+format, func(t *testing.T) {
				write, err := render.FindReport(format)
				if err != nil {
					t.Fatal(err)
				}
				var b bytes.Buffer
				if err := write(&b, r, render.Style{Top: 3, PerNode: true, Train: true, Width: 100}); err != nil {
					t.Fatal(err)
				}
				checkGolden(t, name+"."+format, b.Bytes())
			})
		}
	}
}

func TestShapesLayout(t *testing.T) {
	m := rendertest.Convolution().Model(t)
	m.Path = "models/small.onnx"
	r, err := shapeinfer.Infer(m, shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"table", "csv", "md"} {
		write, err := render.FindShapes(format)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := write(&b, report.Shapes(r)); err != nil {
			t.Fatal(err)
		}
		checkGolden(t, "shapes."+format, b.Bytes())
	}
}

func checkGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update writes it anew); got:\n%s", file, got)
	}
}

// madeUp replaces what others compute by round numbers.
func madeUp(r *report.Result) *report.Result {
	n := func(v int64) *int64 { return &v }
	r.Training = &report.Training{
		Optimizer: "adam", Precision: "amp-bf16", RuleOfThumbBytes: n(4000), SavedBytes: n(1000), GradientBytes: n(600), OptimizerBytes: n(1200),
		FirstStepPeakBytes: n(5500), PeakBytes: n(6000), PeakPhase: "backward", PeakNode: "fc",
		AtPeak:        map[string]int64{"parameter": 600, "gradient": 600, "optimizer_states": 1200, "activation": 2600, "temporary": 1000},
		ReservedBytes: n(2 << 20), Notes: []finding.Finding{finding.New(finding.RecurrentApproximated)},
		Timeline: map[string]int64{"initial": 1800, "end_forward": 3400, "after_backward": 2400, "after_step": 1800, "max_forward": 4000, "max_backward": 6000, "max_step": 3600},
	}
	r.Inference.Runtime = &report.Runtime{Name: "some-runtime", Bytes: n(9000), ActivationBytes: n(7000), Measured: true}
	for i := range r.Nodes {
		r.Nodes[i].SavedBytes = n(int64(100 * i))
	}
	return r
}
