package liveness_test

import (
	"fmt"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/compute"
	"onnxmem/report/memory/internal/ort"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// deep is a chain of residual blocks with n nodes.
func deep(t testing.TB, n int) (*shapeinfer.Result, shapeinfer.Options) {
	t.Helper()
	b := modeltest.New(17).Input("v0", onnxgraph.Float, "batch", 64)
	last := "v0"
	for i := 1; i < n; i += 3 {
		a, c, d := fmt.Sprintf("a%d", i), fmt.Sprintf("c%d", i), fmt.Sprintf("d%d", i)
		b.Node("Relu", []string{last}, []string{a}).Node("Sigmoid", []string{a}, []string{c}).Node("Add", []string{c, last}, []string{d})
		last = d
	}
	opts := shapeinfer.Options{Dims: map[string]int64{"batch": 8}}
	r, err := shapeinfer.Infer(b.Output(last).Model(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	return r, opts
}

func BenchmarkHundredThousandNodes(b *testing.B) {
	r, opts := deep(b, 100_000)
	p := liveness.NewProgram(r, liveness.Options{})
	b.Run("program", func(b *testing.B) {
		for b.Loop() {
			liveness.NewProgram(r, liveness.Options{})
		}
	})
	b.Run("weights", func(b *testing.B) {
		for b.Loop() {
			weights.Collect(r.Program, weights.Options{})
		}
	})
	b.Run("peak", func(b *testing.B) {
		for b.Loop() {
			p.Peak()
		}
	})
	b.Run("arena", func(b *testing.B) {
		for b.Loop() {
			p.PlanArena(0)
		}
	})
	b.Run("order", func(b *testing.B) {
		for b.Loop() {
			p.BestOrder()
		}
	})
	b.Run("work", func(b *testing.B) {
		for b.Loop() {
			compute.Count(p)
		}
	})
	b.Run("ort", func(b *testing.B) {
		for b.Loop() {
			if _, err := ort.CPU(r, opts); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkBERT(b *testing.B) {
	m := corpus.ZooNamed(b, "bert_base_ts14")
	r := runs.Infer(b, runs.Model(b, m.Model), m.Bindings[0])
	opts := shapeinfer.Options{Dims: m.Bindings[0].Dims}
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
			weights.Collect(r.Program, weights.Options{})
			p := liveness.NewProgram(r, liveness.Options{})
			p.Peak()
			p.Sum()
			p.PlanArena(0)
			p.BestOrder()
			compute.Count(p)
		}
	})
	b.Run("ort", func(b *testing.B) {
		for b.Loop() {
			if _, err := ort.CPU(r, opts); err != nil {
				b.Fatal(err)
			}
		}
	})
}
