package report_test

import (
	"slices"
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
	"onnxmem/report/finding"
)

// explanation is the one finding of a code on a model's peak.
func explanation(t *testing.T, m *modeltest.Builder, code finding.Code) finding.Finding {
	t.Helper()
	all := resultOf(t, analyze(t, m, report.Options{})).Inference.Explanation
	i := slices.IndexFunc(all, func(f finding.Finding) bool { return f.Code == code })
	if i < 0 {
		t.Fatalf("no %s: %+v", code, all)
	}
	return all[i]
}

// TestExplainTransposedWeight: a table of 1,000 by 64 floats, 256,000 bytes, is
// transposed in every run to be multiplied: x is 1 by 64, the result 1,000
// floats. At the peak, 256,000 + 4,000 bytes; with the table ready, 4,000.
func TestExplainTransposedWeight(t *testing.T) {
	f := explanation(t, modeltest.New(17).Input("x", onnxgraph.Float, 1, 64).InitZeros("table", onnxgraph.Float, 1000, 64).
		Node("Transpose", []string{"table"}, []string{"transposed"}, modeltest.Ints("perm", 1, 0)).
		Node("MatMul", []string{"x", "transposed"}, []string{"y"}).Output("y"), finding.PeakTransposedWeight)
	if f.Tensor != "transposed" || f.Related != "table" || f.TensorBytes != 256_000 || *f.Peak != (finding.Change{Before: 260_000, After: 4_000}) {
		t.Errorf("%+v, peak %+v", f, f.Peak)
	}
}

// TestExplainSkip: a of 4,000 bytes is held for six nodes and is then
// concatenated with what they compute; inputs and output are 4,000 + 4,000 + 8,000
// bytes.
func TestExplainSkip(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, 1, 1000).Node("Sigmoid", []string{"x"}, []string{"a"})
	last := "a"
	for _, next := range []string{"b", "c", "d", "e", "f"} {
		m.Node("Tanh", []string{last}, []string{next})
		last = next
	}
	m.Node("Concat", []string{"a", last}, []string{"y"}, modeltest.Int("axis", 1)).Node("ReduceMax", []string{"y"}, []string{"z"}).Output("z")
	if f := explanation(t, m, finding.PeakConcat); f.Count != 2 || f.TensorBytes != 8_000 || f.Bytes != 8_000 {
		t.Errorf("%+v", f)
	}
	if f := explanation(t, m, finding.PeakSkipConnection); f.Tensor != "a" || f.TensorBytes != 4_000 || f.Count != 6 {
		t.Errorf("%+v", f)
	}
}

// TestExplainScores: 8 heads of 100 by 100 scores in floats are 320,000 bytes,
// twice while Softmax runs.
func TestExplainScores(t *testing.T) {
	f := explanation(t, modeltest.New(17).Input("q", onnxgraph.Float, 1, 8, 100, 4).Input("k", onnxgraph.Float, 1, 8, 4, 100).
		Node("MatMul", []string{"q", "k"}, []string{"s"}).Node("Softmax", []string{"s"}, []string{"p"}).
		Node("MatMul", []string{"p", "q"}, []string{"y"}).Output("y"), finding.PeakAttentionScores)
	if f.Bytes != 640_000 || f.Detail != "FLOAT[1,8,100,100]" {
		t.Errorf("%+v", f)
	}
}

// TestExplainReuse: of three Relus in a row, each of 4,000 bytes, two are live at
// a time; written over each other one is, beside the maximum of 4 bytes at last.
func TestExplainReuse(t *testing.T) {
	f := explanation(t, modeltest.New(17).Input("x", onnxgraph.Float, 1000).Node("Relu", []string{"x"}, []string{"a"}).
		Node("Relu", []string{"a"}, []string{"b"}).Node("Relu", []string{"b"}, []string{"c"}).
		Node("ReduceMax", []string{"c"}, []string{"z"}).Output("z"), finding.PeakReuseInputs)
	if *f.Peak != (finding.Change{Before: 8_000, After: 4_004}) {
		t.Errorf("%+v", f.Peak)
	}
}

// TestAssumedSizeBreaks: a window of 5 does not fit into the size of 1 that is
// assumed. That is a warning, since the model is right.
func TestAssumedSizeBreaks(t *testing.T) {
	a := analyze(t, modeltest.New(17).Input("x", onnxgraph.Float, 1, 1, "n").InitZeros("w", onnxgraph.Float, 1, 1, 5).
		Node("Conv", []string{"x", "w"}, []string{"y"}).Output("y"), report.Options{})
	r := resultOf(t, a)
	if a.HasErrors() || len(r.Diagnostics) != 1 || r.Diagnostics[0].Severity != "warning" || !strings.Contains(r.Diagnostics[0].Message, "window of 5") {
		t.Errorf("errors %v, diagnostics %+v", a.HasErrors(), r.Diagnostics)
	}
}
