package liveness_test

import (
	"math"
	"strconv"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory"
	"onnxmem/report/memory/compute"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
)

// Functions f0 to f19, of which each calls the next twice: a million steps of
// 400 bytes, far more than are followed. What is followed is a lower limit.
func TestCutCallsAreLowerLimits(t *testing.T) {
	b := modeltest.New(17).Opset("my", 1).Input("x", onnxgraph.Float, 100)
	for i := range 20 {
		body := modeltest.Body().Opset("", 17).Opset("my", 1).Inputs("in")
		op, domain := "f"+strconv.Itoa(i+1), modeltest.Domain("my")
		if i == 19 {
			op, domain = "Relu", modeltest.Domain("")
		}
		b.Function("my", "f"+strconv.Itoa(i), body.Node(op, []string{"in"}, []string{"a"}, domain).Node(op, []string{"a"}, []string{"out"}, domain).Output("out"))
	}
	p := program(t, b.Node("f0", []string{"x"}, []string{"y"}, modeltest.Domain("my")).Output("y"), liveness.Options{})
	if !p.Truncated {
		t.Fatalf("%d steps and nothing cut", len(p.Steps))
	}
	for name, s := range map[string]memory.Size{"peak": p.Peak().Size, "sum": p.Sum()} {
		if _, ok := s.AtMost(); ok || s.Low < 400 {
			t.Errorf("%s: %+v, is at least 400 without an upper limit", name, s)
		}
	}
	if w := compute.Count(p); !w.MACsOpen || !w.BytesOpen {
		t.Errorf("work %+v passes for all of it", w)
	}
	if p.PlanArena(0).Exact {
		t.Error("an arena of what is known passes for all of it")
	}
}

// Three vectors of 2^60 floats, 2^62 bytes each, alive together: 3 x 2^62 is
// more than an int64 holds. In place one of them is left.
func TestSizesThatOverflow(t *testing.T) {
	huge := int64(1) << 60
	b := modeltest.New(17).Input("x", onnxgraph.Float, 1).Init("shape", []int64{1}, []int64{huge})
	for _, name := range []string{"a", "b", "c"} {
		b.Node("Expand", []string{"x", "shape"}, []string{name}, named(name)).Output(name)
	}
	p := program(t, b, liveness.Options{})
	for name, s := range map[string]memory.Size{"peak": p.Peak().Size, "sum": p.Sum()} {
		if n, ok := s.Exact(); ok || s.Low < 4*huge {
			t.Errorf("%s is exactly %d, must be at least %d without an upper limit", name, n, 4*huge)
		}
	}
	arenas, best := p.PlanArena(0), p.BestOrder()
	if arenas.Exact || arenas.Best.Bytes < 0 || best.Exact || best.Peak < 4*huge {
		t.Errorf("arena %d (exact: %v), best order %d (exact: %v)", arenas.Best.Bytes, arenas.Exact, best.Peak, best.Exact)
	}
	checkOrder(t, "overflow", p, best.Order)
	if n := compute.Count(p).Traffic(); n < 0 {
		t.Errorf("traffic of %d bytes", n)
	}
}

// What was added and taken away again leaves no trace, also past 2^63.
func TestTally(t *testing.T) {
	var tally memory.Accumulator
	half, open := memory.ExactSize(math.MaxInt64/2+1), memory.Size{Low: 3, High: 3, Open: true}
	for range 5 {
		tally.Add(half)
	}
	tally.Add(open)
	if s := tally.Size(); s.Low != math.MaxInt64 || !s.Open {
		t.Errorf("%+v, is at least %d", s, int64(math.MaxInt64))
	}
	tally.Remove(open)
	for range 4 {
		tally.Remove(half)
	}
	if s := tally.Size(); s != half {
		t.Errorf("%+v, is %+v", s, half)
	}
}

// A stored tensor whose dims are negative, or multiply past 2^63, has no size.
func TestWeightsWithoutASize(t *testing.T) {
	for _, dims := range [][]int64{{-1, 4}, {1 << 40, 1 << 40}} {
		m := modeltest.New(17).Init("w", []int64{2}, []float32{1, 2}).Input("x", onnxgraph.Float, 2).
			Node("Add", []string{"x", "w"}, []string{"y"}).Output("y").Model(t)
		m.Graph.Initializers[0].Dims = dims
		r, err := shapeinfer.Infer(m, shapeinfer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := weights.Collect(r.Program, weights.Options{})
		if n, ok := w.Size().Exact(); ok || w.Unsized != 1 {
			t.Errorf("%v: exactly %d bytes, %d tensors without a size", dims, n, w.Unsized)
		}
	}
}
