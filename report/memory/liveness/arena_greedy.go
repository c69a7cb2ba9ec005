package liveness

import (
	"sort"

	"onnxmem/report/memory"
)

// greedyOrders are the orders in which [greedy] places blocks. Largest first is
// the "greedy by size" of Pisarchyk and Lee, Efficient Memory Management for
// Deep Neural Net Inference, 2020 (arXiv:2001.03288); longest first and
// largest area first win on graphs with long skip connections.
var greedyOrders = []struct {
	name string
	less func(a, b *Placement) bool
}{
	{"greedy by size", func(a, b *Placement) bool {
		if a.Size != b.Size {
			return a.Size > b.Size
		}
		return span(a) > span(b)
	}},
	{"greedy by duration", func(a, b *Placement) bool {
		if span(a) != span(b) {
			return span(a) > span(b)
		}
		return a.Size > b.Size
	}},
	{"greedy by area", func(a, b *Placement) bool {
		return float64(a.Size)*float64(span(a)) > float64(b.Size)*float64(span(b))
	}},
}

func span(b *Placement) int32 { return b.Life.Last - b.Life.First + 1 }

// greedy places blocks in the given order, each into the smallest gap between
// the blocks that are alive with it.
func greedy(name string, blocks []Placement, less func(a, b *Placement) bool) Arena {
	a := Arena{Strategy: name, Placements: append([]Placement(nil), blocks...)}
	order := make([]*Placement, len(blocks))
	for i := range a.Placements {
		order[i] = &a.Placements[i]
	}
	sort.SliceStable(order, func(i, j int) bool { return less(order[i], order[j]) })
	placed := make([]occupied, 0, len(blocks)) // by offset
	for _, b := range order {
		b.Offset = gapFor(b, placed)
		at := sort.Search(len(placed), func(i int) bool { return placed[i].offset > b.Offset })
		placed = append(placed, occupied{})
		copy(placed[at+1:], placed[at:])
		placed[at] = occupied{b.Offset, memory.AddBytes(b.Offset, b.Size), b.Life}
		a.Bytes = max(a.Bytes, placed[at].end)
	}
	return a
}

// An occupied range of the arena, and when it is.
type occupied struct {
	offset, end int64
	life        Lifetime
}

// gapFor finds the offset of the smallest gap that holds b between the placed
// blocks that are alive with it, else the end of them.
func gapFor(b *Placement, placed []occupied) int64 {
	best, bestSize := int64(-1), int64(0)
	end := int64(0)
	for i := range placed {
		x := &placed[i]
		if x.life.Last < b.Life.First || x.life.First > b.Life.Last {
			continue
		}
		if gap := x.offset - end; gap >= b.Size && (best < 0 || gap < bestSize) {
			best, bestSize = end, gap
		}
		end = max(end, x.end)
	}
	if best >= 0 {
		return best
	}
	return end
}
