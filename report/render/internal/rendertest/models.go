// Package rendertest has the models and results with which the output formats
// are tested, here and in a browser.
package rendertest

import (
	"bytes"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
	"onnxmem/report/memory/runtimes"
	"onnxmem/report/render"
)

// Hostile is a name that ends a script element where a page lets it, and begins another.
const Hostile = `</script><script>alert(1)`

// Convolution is a small image model with an open batch, and names that try to
// break out of every format.
func Convolution() *modeltest.Builder {
	return modeltest.New(17).Producer("modeltest", "1").
		Input("image", onnxgraph.Float, "batch", 3, 8, 8).
		InitZeros("conv.weight", onnxgraph.Float, 4, 3, 3, 3).
		InitZeros(`conv.bias<img src=x onerror=alert(2)>`, onnxgraph.Float, 4).
		InitZeros("fc.weight", onnxgraph.Float, 4, 10).
		Node("Conv", []string{"image", "conv.weight", `conv.bias<img src=x onerror=alert(2)>`}, []string{Hostile},
			modeltest.NodeName(Hostile), modeltest.Ints("pads", 1, 1, 1, 1)).
		Node("Relu", []string{Hostile}, []string{"a|b"}, modeltest.NodeName("re|lu")).
		Node("GlobalAveragePool", []string{"a|b"}, []string{"=1+1"}, modeltest.NodeName("=HYPERLINK(\"http://x\")")).
		Node("Flatten", []string{"=1+1"}, []string{"flat"}, modeltest.NodeName("line\nbreak \x1b[2J")).
		Node("MatMul", []string{"flat", "fc.weight"}, []string{"scores"}, modeltest.NodeName("fc")).
		Output("scores")
}

// Unknown is a model whose sizes depend on run-time values.
func Unknown() *modeltest.Builder {
	return modeltest.New(17).Producer("modeltest", "1").
		Input("x", onnxgraph.Float, 4, 4).
		Node("NonZero", []string{"x"}, []string{"where"}, modeltest.NodeName("where")).
		Node("Nonesuch", []string{"where"}, []string{"y"}, modeltest.NodeName("odd"), modeltest.Domain("example.com")).
		Opset("example.com", 1).
		Output("y")
}

// Analyze reports on a model with all that a page shows.
func Analyze(t testing.TB, b *modeltest.Builder, opts report.Options) *report.Result {
	t.Helper()
	opts.PerNode, opts.Timeline, opts.Runtime = true, true, runtimes.None
	m := b.Model(t)
	m.Path = "models/small.onnx"
	a, err := report.Analyze(m, opts)
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Result(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Written is a report in one of the output formats.
func Written(t testing.TB, format string, r *report.Result) string {
	t.Helper()
	write, err := render.FindReport(format)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := write(&b, r, render.Style{Top: 5, PerNode: true, Width: 100}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
