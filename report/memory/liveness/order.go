package liveness

import (
	"math"
)

// A BestOrder is an order of steps that needs little memory.
type BestOrder struct {
	Peak     int64   // bytes of node outputs alive at its peak
	Original int64   // the same for the program's own order
	Order    []int32 // indices of steps
	// Exact says that no order needs less.
	Exact bool
}

// defaultEffort bounds the search of [Program.BestOrder], in steps of partial
// orders that it weighs. It proves the best order of most networks and takes
// some milliseconds.
const defaultEffort = 1_000_000

// BestOrder looks for the order of steps with the least peak. It is never
// worse than the program's own. Sizes that are not known count at their lower
// limit.
//
// The program is cut at the steps that every other one comes before or after;
// what runs between two cuts can be ordered on its own. Each part is searched
// exactly as long as the effort lasts, and else takes the best of several
// heuristics.
func (p *Program) BestOrder() BestOrder { return p.bestOrder(defaultEffort) }

func (p *Program) bestOrder(effort int) BestOrder {
	if p.Sum().Low == math.MaxInt64 {
		return p.ownOrder() // the search adds without watching for overflow
	}
	g := newScheduleGraph(p)
	parts := g.parts()
	best := BestOrder{Exact: true, Order: make([]int32, 0, len(p.Steps))}
	for _, part := range parts {
		best.Original = max(best.Original, part.ownPeak)
	}
	best.Peak, best.Exact = improve(parts, &effort)
	for _, part := range parts {
		best.Order = append(best.Order, part.order...)
	}
	return best
}

// ownOrder is the program's own order in the place of a better one.
func (p *Program) ownOrder() BestOrder {
	peak := p.Peak().Size.Low
	own := BestOrder{Peak: peak, Original: peak, Order: make([]int32, len(p.Steps))}
	for i := range own.Order {
		own.Order[i] = int32(i)
	}
	return own
}

// improve reorders the parts, the one with the highest peak first, until the
// highest peak is one that no order of its part avoids.
func improve(parts []*schedulePart, effort *int) (peak int64, exact bool) {
	for {
		var worst *schedulePart
		for _, part := range parts {
			if worst == nil || part.peak > worst.peak {
				worst = part
			}
		}
		if worst == nil {
			return 0, true
		}
		if worst.settled {
			return worst.peak, worst.exact
		}
		worst.settle(effort)
	}
}
