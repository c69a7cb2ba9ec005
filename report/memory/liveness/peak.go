package liveness

import (
	"onnxmem/report/memory"
)

// A Peak is the most memory that node outputs take at any time, and when.
type Peak struct {
	Size memory.Size
	// Step is the position of the peak in the order; -1 when there are no
	// steps. It is where the lower limit of the size is reached.
	Step int32
	// Timeline holds, for each step of the order, the bytes of the storages
	// made by nodes that are alive while it runs.
	Timeline []memory.Size
}

// Peak computes what is alive during each step, in the program's own order.
// Weights and inputs are not in it. A node with bodies adds the peak of its
// worst body to what is alive around it.
func (p *Program) Peak() Peak { return p.PeakIn(nil, false) }

// PeakIn is Peak for another dependency order; nil is the program's own. With
// freeInputs an input counts as a storage that lives from before the first
// step to its last reader.
func (p *Program) PeakIn(order []int32, freeInputs bool) Peak {
	peak := Peak{Step: -1}
	if len(p.Steps) == 0 {
		return peak
	}
	peak.Timeline = p.timeline(p.Lifetimes(order), order, freeInputs)
	peak.Step = 0
	for at, s := range peak.Timeline {
		if s.Low > peak.Timeline[peak.Step].Low {
			peak.Step = int32(at)
		}
		peak.Size = peak.Size.Max(s)
	}
	return peak
}

func (p *Program) timeline(lives []Lifetime, order []int32, freeInputs bool) []memory.Size {
	n := len(p.Steps)
	begin, end := make([]memory.Accumulator, n+1), make([]memory.Accumulator, n+1)
	for id := range p.Storages {
		s, l := &p.Storages[id], lives[id]
		counts := s.Kind == Activation || freeInputs && s.Kind == Input
		if !counts || l.Last < l.First {
			continue
		}
		begin[l.First].Add(s.Size)
		end[l.Last+1].Add(s.Size)
	}
	line := make([]memory.Size, n)
	var now memory.Accumulator
	for at := range line {
		now.AddAll(begin[at])
		now.RemoveAll(end[at])
		i := int32(at)
		if order != nil {
			i = order[at]
		}
		line[at] = now.Size().Add(p.inside(i))
	}
	return line
}

// inside is what the bodies of step i add to what is alive around it, its own
// outputs included.
//
// A branch of If makes the node's outputs, so only what it takes beyond them
// adds. A body that loops returns one turn's results while the carried values
// and the collected results of earlier turns, which have the size of the
// node's outputs, are still there: its whole peak adds. Of a cut step nothing
// is known.
func (p *Program) inside(i int32) memory.Size {
	s := &p.Steps[i]
	worst := memory.Size{Open: s.Truncated}
	for _, b := range s.Bodies {
		inner := b.Program.Peak().Size
		if !b.Loops {
			inner = less(inner, p.made(i))
		}
		worst = worst.Max(inner)
	}
	return worst
}

// made is the size of the storages that step i makes.
func (p *Program) made(i int32) memory.Size {
	var total memory.Size
	p.Makes(int(i), func(id StorageID) {
		if p.Storage(id).Kind == Activation {
			total = total.Add(p.Storage(id).Size)
		}
	})
	return total
}

// less is what s takes beyond o; nothing where o is larger.
func less(s memory.Size, o memory.Size) memory.Size {
	return memory.Size{Low: max(s.Low-o.Low, 0), High: max(s.High-o.Low, 0), Open: s.Open}
}
