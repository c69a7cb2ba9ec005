package liveness_test

import (
	"fmt"
	"testing"

	"onnxmem/report/memory/liveness"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// TestZooOrderOfNumbers holds each model's numbers against each other: no
// reuse needs the most, then a placed arena, then the peak, then the peak in
// the best order, and no order does with less than its largest node.
func TestZooOrderOfNumbers(t *testing.T) {
	for _, m := range corpus.Zoo(t) {
		model := runs.Model(t, m.Model)
		for i, b := range m.Bindings {
			label := fmt.Sprintf("%s#%d", m.Name, i)
			t.Run(label, func(t *testing.T) {
				t.Parallel()
				checkOrderOfNumbers(t, label, liveness.NewProgram(runs.Infer(t, model, b), liveness.Options{}))
			})
		}
	}
}

func checkOrderOfNumbers(t *testing.T, label string, p *liveness.Program) {
	t.Helper()
	sum, peak, largest := p.Sum(), p.Peak(), p.LargestStep()
	if peak.Size.Low > sum.Low || peak.Size.High > sum.High {
		t.Errorf("%s: peak %v above the sum %v", label, peak.Size, sum)
	}
	if largest.Low > peak.Size.Low || largest.High > peak.Size.High {
		t.Errorf("%s: largest node %v above the peak %v", label, largest, peak.Size)
	}
	if reuse := liveness.NewProgram(p.Result, liveness.Options{InPlace: true}).Peak(); reuse.Size.Low > peak.Size.Low {
		t.Errorf("%s: writing in place raises the peak from %v to %v", label, peak.Size, reuse.Size)
	}
	arenas := p.PlanArena(0)
	checkArena(t, label, arenas.Best)
	checkArena(t, label, arenas.BestFit)
	if arenas.Best.Bytes < arenas.LowerBound || arenas.LowerBound < peak.Size.High || arenas.BestFit.Bytes < arenas.Best.Bytes {
		t.Errorf("%s: peak %d, bound %d, arena %d, best fit %d", label, peak.Size.High, arenas.LowerBound, arenas.Best.Bytes, arenas.BestFit.Bytes)
	}
	best := p.BestOrder()
	if best.Original != peak.Size.Low {
		t.Errorf("%s: own order %d, peak %d", label, best.Original, peak.Size.Low)
	}
	if best.Peak > best.Original || best.Peak < largest.Low {
		t.Errorf("%s: best order %d, own %d, largest node %d", label, best.Peak, best.Original, largest.Low)
	}
	checkOrder(t, label, p, best.Order)
	if again := p.PeakIn(best.Order, false).Size.Low; again != best.Peak {
		t.Errorf("%s: best order has a peak of %d, claims %d", label, again, best.Peak)
	}
}

// checkOrder says whether an order has every step once, after those that make
// what it reads.
func checkOrder(t *testing.T, label string, p *liveness.Program, order []int32) {
	t.Helper()
	if len(order) != len(p.Steps) {
		t.Fatalf("%s: %d steps in the order of %d", label, len(order), len(p.Steps))
	}
	done := make([]bool, len(p.Steps))
	for _, i := range order {
		if done[i] {
			t.Fatalf("%s: step %d is twice in the order", label, i)
		}
		for _, a := range p.Steps[i].After {
			if !done[a] {
				t.Fatalf("%s: step %d runs before step %d, which it reads", label, i, a)
			}
		}
		done[i] = true
	}
}

// checkArena says whether no two blocks that are alive together overlap.
func checkArena(t *testing.T, label string, a liveness.Arena) {
	t.Helper()
	for i, x := range a.Placements {
		if x.Offset < 0 || x.Offset+x.Size > a.Bytes {
			t.Errorf("%s: a block lies outside the arena", label)
		}
		for _, y := range a.Placements[i+1:] {
			together := x.Life.First <= y.Life.Last && y.Life.First <= x.Life.Last
			if together && x.Offset < y.Offset+y.Size && y.Offset < x.Offset+x.Size {
				t.Fatalf("%s: %s: blocks overlap: %+v %+v", label, a.Strategy, x, y)
			}
		}
	}
}
