package render_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
)

// hostile ends a script element where a page lets it, and begins another.
const hostile = `</script><script>alert(1)`

// convolution is a small image model with an open batch, and names that try to
// break out of every format.
func convolution() *modeltest.Builder {
	return modeltest.New(17).Producer("modeltest", "1").
		Input("image", onnxgraph.Float, "batch", 3, 8, 8).
		InitZeros("conv.weight", onnxgraph.Float, 4, 3, 3, 3).
		InitZeros(`conv.bias<img src=x onerror=alert(2)>`, onnxgraph.Float, 4).
		InitZeros("fc.weight", onnxgraph.Float, 4, 10).
		Node("Conv", []string{"image", "conv.weight", `conv.bias<img src=x onerror=alert(2)>`}, []string{hostile},
			modeltest.NodeName(hostile), modeltest.Ints("pads", 1, 1, 1, 1)).
		Node("Relu", []string{hostile}, []string{"a|b"}, modeltest.NodeName("re|lu")).
		Node("GlobalAveragePool", []string{"a|b"}, []string{"=1+1"}, modeltest.NodeName("=HYPERLINK(\"http://x\")")).
		Node("Flatten", []string{"=1+1"}, []string{"flat"}, modeltest.NodeName("line\nbreak \x1b[2J")).
		Node("MatMul", []string{"flat", "fc.weight"}, []string{"scores"}, modeltest.NodeName("fc")).
		Output("scores")
}

// unknown is a model whose sizes depend on run-time values.
func unknown() *modeltest.Builder {
	return modeltest.New(17).Producer("modeltest", "1").
		Input("x", onnxgraph.Float, 4, 4).
		Node("NonZero", []string{"x"}, []string{"where"}, modeltest.NodeName("where")).
		Node("Nonesuch", []string{"where"}, []string{"y"}, modeltest.NodeName("odd"), modeltest.Domain("example.com")).
		Opset("example.com", 1).
		Output("y")
}

func analyze(t *testing.T, b *modeltest.Builder, opts report.Options) *report.Result {
	t.Helper()
	opts.PerNode, opts.Timeline, opts.Top = true, true, 5
	a, err := report.Analyze("models/small.onnx", onnxgraph.Resolve(b.Model(t)), opts)
	if err != nil {
		t.Fatal(err)
	}
	return a.Make()
}
