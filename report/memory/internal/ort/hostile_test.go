package ort_test

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/compute"
	"onnxmem/report/memory/internal/ort"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
	"onnxmem/testdata/cost"
)

// TestOddModels runs everything over models that are wrong or grow when they
// are taken apart: no panic, and no work out of proportion.
func TestOddModels(t *testing.T) {
	for _, fixture := range corpus.Audit(t) {
		data, err := os.Open(fixture.Path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := data.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if model, err := onnxgraph.Read(data, info.Size()); err == nil {
			everything(t, fixture.Name, model)
		}
		data.Close()
	}
	for _, c := range corpus.Cases(t) {
		everything(t, c.Name, runs.Model(t, c.Model))
	}
}

func everything(t *testing.T, name string, model *onnxgraph.Model) {
	t.Helper()
	r, err := shapeinfer.Infer(model, shapeinfer.Options{})
	if err != nil {
		return
	}
	plans := cost.Processor(func() {
		weights.Collect(r.Program, weights.Options{})
		p := liveness.NewProgram(r, liveness.Options{})
		p.LiveAt(p.Peak().Step)
		p.PeakLabel(p.Peak().Step)
		p.Sum()
		p.PlanArena(0)
		p.BestOrder()
		compute.Count(p)
	})
	runtime := cost.Processor(func() {
		if _, err := ort.CPU(r, shapeinfer.Options{}); err != nil && !errors.Is(err, ort.ErrNoGraph) && !errors.Is(err, ort.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	})
	if plans+runtime > 2*time.Second {
		t.Errorf("%s: plans take %v of the processor, the runtime's %v", name, plans, runtime)
	}
}

// TestOddCasts: chains of Casts of which one makes nothing, reads itself, or is
// read twice by one node, and which the runtime would take out.
func TestOddCasts(t *testing.T) {
	to := func(d onnxgraph.DType) modeltest.NodeOption { return modeltest.Int("to", int64(d)) }
	for name, m := range map[string]*modeltest.Builder{
		"makes nothing": modeltest.New(17).Input("x", onnxgraph.Float, 2).
			Node("Cast", []string{"x"}, []string{"a"}, to(onnxgraph.Double)).Node("Cast", []string{"a"}, nil, to(onnxgraph.Float)).Node("Cast", []string{"a"}, []string{"b"}, to(onnxgraph.Float)).Output("b"),
		"reads itself": modeltest.New(17).Input("x", onnxgraph.Float, 2).
			Node("Cast", []string{"y"}, []string{"y"}, to(onnxgraph.Float)).Output("y"),
		"circle": modeltest.New(17).Input("x", onnxgraph.Float, 2).
			Node("Cast", []string{"y"}, []string{"x2"}, to(onnxgraph.Float)).Node("Cast", []string{"x2"}, []string{"y"}, to(onnxgraph.Float)).Output("y"),
		"read twice": modeltest.New(17).Input("x", onnxgraph.Float, 2).
			Node("Cast", []string{"x"}, []string{"a"}, to(onnxgraph.Double)).Node("Cast", []string{"a", "a"}, []string{"b"}, to(onnxgraph.Float)).Output("b"),
	} {
		everything(t, name, m.Model(t))
	}
}

// TestGrowingFunctions: 18 functions that call each other twice make a quarter
// of a million nodes, more than are followed. What the first passes made of
// them is no answer.
func TestGrowingFunctions(t *testing.T) {
	for _, fixture := range corpus.Audit(t) {
		if fixture.Name != "func_bomb" {
			continue
		}
		data, err := os.ReadFile(fixture.Path)
		if err != nil {
			t.Fatal(err)
		}
		model, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := shapeinfer.Infer(model, shapeinfer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if e, err := ort.CPU(r, shapeinfer.Options{}); !errors.Is(err, ort.ErrTooLarge) {
			t.Errorf("estimate %+v, error %v: must be too large", e, err)
		}
		return
	}
	t.Fatal("no func_bomb among the fixtures")
}
