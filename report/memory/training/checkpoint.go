package training

import (
	"math"
	"slices"

	"onnxmem/report/finding"
	"onnxmem/report/memory/internal/ref"
	"onnxmem/report/memory/internal/tape"
)

// A segment is a run of operators that keeps only its inputs and runs again in
// the backward pass (Chen et al., Training Deep Nets with Sublinear Memory
// Cost, 2016).
type segment struct {
	first, last int
	inputs      []tape.StorageID
}

// segments cuts the tape where only one activation crosses.
func (p *plan) segments(t *tape.Tape, res *Result) []segment {
	if p.Checkpoint.None() {
		return nil
	}
	starts := nestedBlocks(t)
	n := len(starts) - 1
	if n < 1 {
		res.Notes = append(res.Notes, finding.New(finding.CheckpointNoEffect))
		return nil
	}
	every := p.Checkpoint.every
	if p.Checkpoint.sqrt {
		every = int(math.Round(math.Sqrt(float64(n))))
		every = (n + every - 1) / every
	}
	var list []segment
	sizes, most := &nester{t: t}, int64(0)
	for i := 0; i < n; i += every {
		g := makeSegment(t, starts[i]+1, starts[min(i+every, n)])
		list, most = append(list, g), max(most, sizes.saved(g.first, g.last))
	}
	// What one segment saves is there again while it runs backward.
	if total := sizes.saved(0, len(t.Ops)-1); most > total-total/20 {
		res.Notes = append(res.Notes, finding.New(finding.CheckpointOneBlock))
	}
	return list
}

func makeSegment(t *tape.Tape, first, last int) segment {
	s := segment{first: first, last: last}
	inside := map[tape.StorageID]bool{}
	for i := first; i <= last; i++ {
		for _, id := range t.Ops[i].Made {
			inside[id] = true
		}
	}
	seen := map[tape.StorageID]bool{}
	for i := first; i <= last; i++ {
		for _, v := range t.Ops[i].In {
			id := t.Vars.At(v).Storage
			if !id.None() && t.Storages.At(id).Kind == tape.Made && !inside[id] && !seen[id] {
				seen[id] = true
				s.inputs = append(s.inputs, id)
			}
		}
	}
	return s
}

// leastBlock is the number of operators below which a block is none: an
// operator that shows a tensor in another way and its reader.
const leastBlock = 2

// blocks finds the operators after which one activation crosses and branches:
// where residual blocks start. The last one is where the last block ends, which
// is as far after its merge as the others'. In a graph without branches every
// crossing counts, and branched is false.
func blocks(t *tape.Tape) (starts []int, branched bool) {
	crossings := articulations(t)
	readers := readersOf(t)
	at, offset := 0, 0
	for _, c := range crossings {
		if readers.Get(c.tensor) > 1 && (len(starts) == 0 || c.op-at >= leastBlock) {
			starts = append(starts, c.op)
			at, offset = c.op, c.run
		}
	}
	if len(starts) < 2 {
		starts = starts[:0]
		for _, c := range crossings {
			starts = append(starts, c.op)
		}
		return starts, false
	}
	for _, c := range crossings {
		if c.op-at > leastBlock && c.run == offset {
			return append(starts, c.op), true
		}
	}
	return starts, true
}

// readersOf counts how often each variable is read; the loss reads the outputs.
func readersOf(t *tape.Tape) ref.Table[tape.Var, int] {
	readers := ref.TableOf[tape.Var, int](&t.Vars)
	for i := range t.Ops {
		for _, v := range t.Ops[i].In {
			*readers.At(v)++
		}
	}
	for _, v := range t.Outputs {
		*readers.At(v)++
	}
	return readers
}

// A crossing is an operator after which only one storage that the forward pass
// made is read again, and the last tensor over it. run counts the crossings
// right before it: how far it is behind the merge of two branches.
type crossing struct {
	op     int
	tensor tape.VarID
	run    int
}

// articulations lists the crossings of a tape in order.
func articulations(t *tape.Tape) []crossing {
	until := lastReads(t)
	open := map[tape.StorageID]tape.VarID{}
	ends := make([][]tape.StorageID, len(t.Ops))
	var list []crossing
	for i := range t.Ops {
		for _, v := range t.Ops[i].Out {
			if id := t.Vars.At(v).Storage; open[id] != (tape.VarID{}) {
				open[id] = v // a view, or written over in place
			}
		}
		for _, v := range slices.Concat(t.Ops[i].Out, t.Ops[i].In) {
			x := t.Vars.At(v)
			id := x.Storage
			if id.None() || t.Storages.At(id).Kind != tape.Made || int(until.Get(id)) <= i || !x.NeedsGrad {
				continue
			}
			if _, ok := open[id]; ok {
				continue
			}
			open[id] = v
			ends[until.Get(id)] = append(ends[until.Get(id)], id)
		}
		for _, id := range ends[i] {
			delete(open, id)
		}
		if len(open) == 1 {
			c := crossing{op: i}
			for _, v := range open {
				c.tensor = v
			}
			if k := len(list) - 1; k >= 0 && list[k].op == i-1 {
				c.run = list[k].run + 1
			}
			list = append(list, c)
		}
	}
	return list
}

// lastReads is the last operator that reads each storage.
func lastReads(t *tape.Tape) ref.Table[tape.Storage, int32] {
	until := ref.TableOf[tape.Storage, int32](&t.Storages)
	for i := range t.Ops {
		for _, v := range t.Ops[i].In {
			until.Set(t.Vars.At(v).Storage, int32(i))
		}
	}
	return until
}

// recompute runs the operators of a segment again: what they keep is there
// from now on.
func (s *pass) recompute(g *segment) {
	for i := g.first; i <= g.last; i++ {
		for _, id := range s.t.Ops[i].Saved {
			*s.keep.At(id)++
		}
	}
	for i := g.first; i <= g.last; i++ {
		s.runForward(i, &s.backwardPeak)
		for _, id := range s.free[i] {
			s.drop(id)
		}
	}
	// What is read after the segment was not freed in it: its result.
	for i := g.first; i <= g.last; i++ {
		for _, id := range s.t.Ops[i].Made {
			if s.last.Get(id) > int32(g.last) {
				s.drop(id)
			}
		}
	}
}

// finish releases the inputs of a segment whose derivatives have run.
func (s *pass) finish(g *segment) {
	for _, id := range g.inputs {
		*s.keep.At(id)--
		s.drop(id)
	}
}
