package liveness

import (
	"math"
	"sort"

	"onnxmem/report/memory"
)

// DefaultAlignment is the alignment of placed storages in bytes: a cache line,
// and the widest vector that current CPUs load at once.
const DefaultAlignment = 64

// A Placement is where a storage lies in an arena, and when.
type Placement struct {
	Offset int64 // bytes from the arena's start
	Size   int64 // bytes, as aligned
	Life   Lifetime
}

// An Arena is a plan that gives every storage made by nodes an offset in one
// block of memory, such that storages that are alive together do not overlap.
type Arena struct {
	Strategy   string
	Bytes      int64
	Placements []Placement // by first step
}

// Arenas are the plans of several strategies, and a limit that none can beat.
type Arenas struct {
	Best    Arena // the smallest of all
	BestFit Arena // best fit over lifetimes, in the order of the steps
	// LowerBound is the most bytes, as aligned, that are alive at one time.
	LowerBound int64
	// Exact says that all sizes were known and that an int64 holds the arena's;
	// else those are planned at their upper limit, and those without one left
	// out.
	Exact bool
}

// quadraticLimit bounds the storages for which strategies of quadratic cost
// run.
const quadraticLimit = 4000

// PlanArena places all storages that nodes make, in the program's own order of
// steps. Alignment is in bytes; what is below one means [DefaultAlignment].
func (p *Program) PlanArena(alignment int64) Arenas {
	if alignment < 1 {
		alignment = DefaultAlignment
	}
	blocks, exact := p.blocks(alignment)
	result := Arenas{LowerBound: lowerBound(blocks, len(p.Steps))}
	result.BestFit = bestFit(blocks)
	result.Best = result.BestFit
	result.Exact = exact && result.BestFit.Bytes < math.MaxInt64
	if len(blocks) <= quadraticLimit && result.Best.Bytes > result.LowerBound {
		for _, s := range greedyOrders {
			if result.Best.Bytes == result.LowerBound {
				break
			}
			if a := greedy(s.name, blocks, s.less); a.Bytes < result.Best.Bytes {
				result.Best = a
			}
		}
	}
	return result
}

// blocks lists what has to be placed, by first step.
func (p *Program) blocks(alignment int64) (blocks []Placement, exact bool) {
	lives := p.Lifetimes(nil)
	exact = true
	add := func(s memory.Size, l Lifetime) {
		if _, ok := s.Exact(); !ok {
			exact = false
		}
		if s.High > 0 && l.Last >= l.First {
			size := memory.RoundUp(s.High, alignment)
			blocks = append(blocks, Placement{Size: size, Life: l})
		}
	}
	for id := range p.Storages {
		if s := &p.Storages[id]; s.Kind == Activation && s.Step >= 0 {
			add(s.Size, lives[id])
		}
	}
	for i := range p.Steps {
		if len(p.Steps[i].Bodies) > 0 || p.Steps[i].Truncated {
			add(p.inside(int32(i)), Lifetime{int32(i), int32(i)})
		}
	}
	sort.SliceStable(blocks, func(i, j int) bool { return blocks[i].Life.First < blocks[j].Life.First })
	return blocks, exact
}

func lowerBound(blocks []Placement, steps int) int64 {
	begin, end := make([]int64, steps+1), make([]int64, steps+1)
	for _, b := range blocks {
		begin[b.Life.First] = memory.AddBytes(begin[b.Life.First], b.Size)
		end[b.Life.Last+1] = memory.AddBytes(end[b.Life.Last+1], b.Size)
	}
	now, most := int64(0), int64(0)
	for i := range begin {
		now = memory.AddBytes(now, begin[i]) - end[i]
		most = max(most, now)
	}
	return most
}
