package liveness_test

import (
	"fmt"
	"math/rand"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/liveness"
	"onnxmem/shapeinfer"
)

// randomModel makes a graph of n nodes over vectors of different lengths, with
// views and results that several nodes read.
func randomModel(t testing.TB, r *rand.Rand, n int) *shapeinfer.Result {
	t.Helper()
	b := modeltest.New(17).Input("v0", onnxgraph.Float, 1+r.Intn(30)).
		Init("flat", []int64{1}, []int64{-1}).Init("zero", []int64{1}, []int64{0}).Init("three", []int64{1}, []int64{3})
	read := make([]bool, n+1)
	for i := 1; i <= n; i++ {
		pick := func() string {
			k := i - 1 - r.Intn(min(i, 4))
			read[k] = true
			return fmt.Sprintf("v%d", k)
		}
		out := []string{fmt.Sprintf("v%d", i)}
		switch r.Intn(6) {
		case 0, 1:
			b.Node("Concat", []string{pick(), pick()}, out, modeltest.Int("axis", 0))
		case 2:
			b.Node("Slice", []string{pick(), "zero", "three"}, out)
		case 3:
			b.Node("Reshape", []string{pick(), "flat"}, out)
		default:
			b.Node("Transpose", []string{pick()}, out)
		}
	}
	for i := 1; i <= n; i++ {
		if !read[i] || r.Intn(8) == 0 {
			b.Output(fmt.Sprintf("v%d", i))
		}
	}
	res, err := shapeinfer.Infer(b.Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.HasErrors() {
		t.Fatal(res.Diagnostics)
	}
	return res
}

func TestRandomGraphs(t *testing.T) {
	for seed := range int64(150) {
		r := rand.New(rand.NewSource(seed))
		p := liveness.NewProgram(randomModel(t, r, 2+r.Intn(40)), liveness.Options{})
		checkOrderOfNumbers(t, fmt.Sprintf("seed %d", seed), p)
	}
}

// TestBestOrderAgainstAllOrders tries every order of small graphs.
func TestBestOrderAgainstAllOrders(t *testing.T) {
	better := 0
	for seed := range int64(400) {
		r := rand.New(rand.NewSource(seed))
		p := liveness.NewProgram(randomModel(t, r, 2+r.Intn(7)), liveness.Options{})
		best := p.BestOrder()
		if !best.Exact {
			t.Errorf("seed %d: not exact", seed)
		}
		if want := leastOfAllOrders(p); best.Peak != want {
			t.Errorf("seed %d: %d, least of all orders is %d", seed, best.Peak, want)
		}
		if best.Peak < best.Original {
			better++
		}
	}
	if better < 20 {
		t.Errorf("only %d of the graphs have a better order: they test nothing", better)
	}
}

// leastOfAllOrders runs through all dependency orders and takes what is alive
// in each from the definition: what was made so far and is read now or later.
func leastOfAllOrders(p *liveness.Program) int64 {
	n := len(p.Steps)
	done := make([]bool, n)
	best := int64(-1)
	var order []int32
	var visit func()
	visit = func() {
		if len(order) == n {
			if peak := peakByDefinition(p, order); best < 0 || peak < best {
				best = peak
			}
			return
		}
		for i := range p.Steps {
			ready := !done[i]
			for _, a := range p.Steps[i].After {
				ready = ready && done[a]
			}
			if !ready {
				continue
			}
			done[i] = true
			order = append(order, int32(i))
			visit()
			order = order[:len(order)-1]
			done[i] = false
		}
	}
	visit()
	return best
}

func peakByDefinition(p *liveness.Program, order []int32) int64 {
	peak := int64(0)
	for at := range order {
		live := map[liveness.StorageID]bool{}
		for before, i := range order {
			for _, id := range p.Steps[i].Writes {
				if before <= at && neededFrom(p, order[at:], id) {
					live[id] = true
				}
			}
		}
		now := int64(0)
		for id := range live {
			if p.Storages[id].Kind == liveness.Activation {
				now += p.Storages[id].Size.Low
			}
		}
		peak = max(peak, now)
	}
	return peak
}

// neededFrom says whether one of the steps from now on reads or writes a
// storage, or the graph returns it.
func neededFrom(p *liveness.Program, rest []int32, id liveness.StorageID) bool {
	if p.Storages[id].Output {
		return true
	}
	for _, i := range rest {
		for _, ids := range [][]liveness.StorageID{p.Steps[i].Reads, p.Steps[i].Writes} {
			for _, x := range ids {
				if x == id {
					return true
				}
			}
		}
	}
	return false
}
