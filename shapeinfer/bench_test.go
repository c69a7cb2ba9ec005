package shapeinfer_test

import (
	"fmt"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// BenchmarkZoo infers whole models with nothing bound; names are resolved
// anew each time. ns/node is the time per node of the main graph.
func BenchmarkZoo(b *testing.B) {
	want := map[string]bool{"bert_base_ts14": true, "resnet50_ts13": true, "gpt2_dyn18": true, "vit_b_16_ts17": true, "timm_maxvit_tiny_tf_224_ts17": true, "silero_vad_v5": true}
	for _, m := range corpus.Zoo(b) {
		if !want[m.Name] {
			continue
		}
		model := runs.Model(b, m.Model)
		b.Run(m.Name, func(b *testing.B) { benchmark(b, model) })
	}
}

// BenchmarkChain infers chains of elementwise nodes: ten times the nodes must
// take ten times as long.
func BenchmarkChain(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		model := chain(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmark(b, model) })
	}
}

func benchmark(b *testing.B, model *onnxgraph.Model) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := shapeinfer.Infer(model, shapeinfer.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(model.Graph.Nodes)), "ns/node")
}

// chain is a model of n nodes, Add and Relu in turn, over a symbolic batch.
func chain(t testing.TB, n int) *onnxgraph.Model {
	m := modeltest.New(17).Input("x0", onnxgraph.Float, "batch", 64).InitZeros("w", onnxgraph.Float, 64)
	for i := range n {
		in, out := fmt.Sprintf("x%d", i), fmt.Sprintf("x%d", i+1)
		if i%2 == 0 {
			m.Node("Add", []string{in, "w"}, []string{out})
		} else {
			m.Node("Relu", []string{in}, []string{out})
		}
	}
	return m.Output(fmt.Sprintf("x%d", n)).Model(t)
}
