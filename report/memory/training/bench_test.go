package training_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/training"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
)

func BenchmarkBERT(b *testing.B) {
	for _, m := range corpus.Zoo(b) {
		if m.Name != "bert_base_ts14" {
			continue
		}
		model, err := readModel(m.Bytes(b))
		if err != nil {
			b.Fatal(err)
		}
		benchmark(b, model)
	}
}

// BenchmarkChain trains a chain of 100,000 nodes.
func BenchmarkChain(b *testing.B) {
	m := modeltest.New(17).Input("x0", onnxgraph.Float, 1, 8, 4, 4).InitZeros("w", onnxgraph.Float, 8, 8, 1, 1)
	name := "x0"
	for i := range 50_000 {
		conv, relu := name+"c", "x"+itoa(i+1)
		m.Node("Conv", []string{name, "w"}, []string{conv}).Node("Relu", []string{conv}, []string{relu})
		name = relu
	}
	benchmark(b, m.Output(name).Model(b))
}

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + string(rune('0'+i%10))
}

func benchmark(b *testing.B, m *onnxgraph.Model) {
	r, err := shapeinfer.Infer(m, shapeinfer.Options{DefaultDims: 8})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := training.Simulate(r, training.DefaultOptions()); err != nil {
			b.Fatal(err)
		}
	}
}
