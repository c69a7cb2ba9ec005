package report_test

import (
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
)

// explanation is what a report says of its peak.
func explanation(t *testing.T, m *modeltest.Builder) string {
	t.Helper()
	return strings.Join(resultOf(t, analyze(t, m, report.Options{})).Inference.Explanation, "\n")
}

// TestExplainTransposedWeight: a table of 1,000 by 64 floats, 256 kB, is
// transposed in every run to be multiplied: x is 1 by 64, the result 1,000
// floats. At the peak, 256 kB + 4 kB; with the table ready, 4 kB.
func TestExplainTransposedWeight(t *testing.T) {
	got := explanation(t, modeltest.New(17).Input("x", onnxgraph.Float, 1, 64).InitZeros("table", onnxgraph.Float, 1000, 64).
		Node("Transpose", []string{"table"}, []string{"turned"}, modeltest.Ints("perm", 1, 0)).
		Node("MatMul", []string{"x", "turned"}, []string{"y"}).Output("y"))
	for _, want := range []string{"256 kB of it is turned, the weight table transposed", "a peak of node outputs of 4.0 kB instead of 260 kB"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

// TestExplainSkip: a of 4,000 bytes waits for five nodes and is then joined
// with what they make; parts and whole are 4,000 + 4,000 + 8,000 bytes.
func TestExplainSkip(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, 1, 1000).Node("Sigmoid", []string{"x"}, []string{"a"})
	last := "a"
	for _, next := range []string{"b", "c", "d", "e", "f"} {
		m.Node("Tanh", []string{last}, []string{next})
		last = next
	}
	got := explanation(t, m.Node("Concat", []string{"a", last}, []string{"y"}, modeltest.Int("axis", 1)).
		Node("ReduceMax", []string{"y"}, []string{"z"}).Output("z"))
	for _, want := range []string{"copies 2 tensors into one of 8.0 kB", "does without the parts, which are 8.0 kB", "4.0 kB of it, a, was made 6 nodes before"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

// TestExplainScores: 8 heads of 100 by 100 scores in floats are 320 kB, twice
// while Softmax runs.
func TestExplainScores(t *testing.T) {
	got := explanation(t, modeltest.New(17).Input("q", onnxgraph.Float, 1, 8, 100, 4).Input("k", onnxgraph.Float, 1, 8, 4, 100).
		Node("MatMul", []string{"q", "k"}, []string{"s"}).Node("Softmax", []string{"s"}, []string{"p"}).
		Node("MatMul", []string{"p", "q"}, []string{"y"}).Output("y"))
	if want := "640 kB of it are attention scores"; !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
	}
}

// TestExplainInPlace: of three Relus in a row, each of 4,000 bytes, two are
// alive at a time; written over each other one is.
func TestExplainInPlace(t *testing.T) {
	got := explanation(t, modeltest.New(17).Input("x", onnxgraph.Float, 1000).Node("Relu", []string{"x"}, []string{"a"}).
		Node("Relu", []string{"a"}, []string{"b"}).Node("Relu", []string{"b"}, []string{"c"}).
		Node("ReduceMax", []string{"c"}, []string{"z"}).Output("z"))
	if want := "has a peak of node outputs of 4.0 kB instead of 8.0 kB"; !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
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
