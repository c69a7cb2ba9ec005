package training_test

import (
	"strconv"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/training"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

func BenchmarkBERT(b *testing.B) {
	benchmark(b, runs.Model(b, corpus.ZooNamed(b, "bert_base_ts14").Model))
}

// BenchmarkChain trains a chain of 100,000 nodes.
func BenchmarkChain(b *testing.B) {
	m := modeltest.New(17).Input("x0", onnxgraph.Float, 1, 8, 4, 4).InitZeros("w", onnxgraph.Float, 8, 8, 1, 1)
	name := "x0"
	for i := range 50_000 {
		conv, relu := name+"c", "x"+strconv.Itoa(i+1)
		m.Node("Conv", []string{name, "w"}, []string{conv}).Node("Relu", []string{conv}, []string{relu})
		name = relu
	}
	benchmark(b, m.Output(name).Model(b))
}

func benchmark(b *testing.B, m *onnxgraph.Model) {
	r, err := shapeinfer.Infer(m, shapeinfer.Options{DefaultDims: 8})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := training.Simulate(r, training.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
