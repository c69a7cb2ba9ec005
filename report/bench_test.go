package report_test

import (
	"fmt"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// BenchmarkReport makes whole reports, training and ONNX Runtime's plan
// included, from a parsed model.
func BenchmarkReport(b *testing.B) {
	for _, m := range corpus.Zoo(b) {
		switch m.Name {
		case "bert_base_ts14":
			opts := report.Options{Infer: shapeinfer.Options{Dims: map[string]int64{"batch": 8, "seq": 128}}}
			benchmarkReport(b, m.Name, runs.Model(b, m.Model), opts)
			opts.Advice = true
			benchmarkReport(b, m.Name+"_advice", runs.Model(b, m.Model), opts)
		case "resnet50_ts13", "timm_maxvit_tiny_tf_224_ts17", "ssdlite320_mobilenet_v3_large_ts17":
			benchmarkReport(b, m.Name, runs.Model(b, m.Model), report.Options{Infer: shapeinfer.Options{Dims: m.Bindings[0].Dims}})
		}
	}
}

// BenchmarkReportChain reports on chains of residual blocks: ten times the
// nodes must take ten times as long.
func BenchmarkReportChain(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		benchmarkReport(b, fmt.Sprint(n), residualChain(b, n), report.Options{Infer: shapeinfer.Options{Dims: map[string]int64{"batch": 8}}})
	}
}

func benchmarkReport(b *testing.B, name string, model *onnxgraph.Model, opts report.Options) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			a, err := report.Analyze(model, opts)
			if err != nil {
				b.Fatal(err)
			}
			resultOf(b, a)
		}
	})
}

// residualChain is a model of n nodes: Gemm, Relu and Add in turn, the last
// over the input of the first, with a weight for each Gemm.
func residualChain(t testing.TB, n int) *onnxgraph.Model {
	m := modeltest.New(17).Input("x0", onnxgraph.Float, "batch", 64)
	last := "x0"
	for i := 0; i+3 <= n; i += 3 {
		w, a, c, d := fmt.Sprintf("w%d", i), fmt.Sprintf("a%d", i), fmt.Sprintf("c%d", i), fmt.Sprintf("d%d", i)
		m.InitExternal(w, onnxgraph.Float, []int64{64, 64}, "w.bin", int64(4*64*64*i), 4*64*64)
		m.Node("MatMul", []string{last, w}, []string{a}).Node("Relu", []string{a}, []string{c}).Node("Add", []string{c, last}, []string{d})
		last = d
	}
	return m.Output(last).Model(t)
}
