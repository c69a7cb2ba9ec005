package training

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"onnxmem/report/memory/tape"
)

// A segment is a run of operators that keeps only its inputs and runs again in
// the backward pass (Chen et al., Training Deep Nets with Sublinear Memory
// Cost, 2016).
type segment struct {
	first, last int
	inputs      []tape.StorageID
}

// checkpointing reads the option: none, sqrt, or every-N.
func checkpointing(option string) (every int, err error) {
	switch option {
	case "", "none":
		return 0, nil
	case "sqrt":
		return -1, nil
	}
	if n, ok := strings.CutPrefix(option, "every-"); ok {
		if k, err := strconv.Atoi(n); err == nil && k > 0 {
			return k, nil
		}
	}
	return 0, &OptionError{"checkpoint", option, []string{"none", "sqrt", "every-N"}}
}

// segments cuts the tape where only one activation crosses.
func (p *plan) segments(t *tape.Tape, res *Result) []segment {
	if p.every == 0 {
		return nil
	}
	starts := blocks(t)
	n := len(starts) - 1
	if n < 1 {
		res.Notes = append(res.Notes, "checkpointing changes nothing: no point of the graph is crossed by one activation only")
		return nil
	}
	every := p.every
	if every < 0 {
		every = int(math.Round(math.Sqrt(float64(n))))
		every = (n + every - 1) / every
	}
	var list []segment
	for i := 0; i < n; i += every {
		list = append(list, makeSegment(t, starts[i]+1, starts[min(i+every, n)]))
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
			id := t.Vars[v].Storage
			if id >= 0 && t.Storages[id].Kind == tape.Made && !inside[id] && !seen[id] {
				seen[id] = true
				s.inputs = append(s.inputs, id)
			}
		}
	}
	return s
}

// blocks finds the operators after which one activation crosses and branches:
// where residual blocks start. The last one is where the last block ends. In a
// graph without branches every crossing counts.
func blocks(t *tape.Tape) []int {
	crossings := articulations(t)
	readers := make([]int, len(t.Vars))
	for i := range t.Ops {
		for _, v := range t.Ops[i].In {
			readers[v]++
		}
	}
	for _, v := range t.Outputs {
		readers[v]++
	}
	var starts []int
	offset, run := 0, 0
	for k, c := range crossings {
		if k > 0 && crossings[k-1].op == c.op-1 {
			run++
		} else {
			run = 0
		}
		if readers[c.tensor] > 1 {
			if len(starts) > 0 && crossings[k].op-starts[len(starts)-1] < 2 {
				continue
			}
			starts = append(starts, c.op)
			offset = run
		}
	}
	if len(starts) < 2 {
		starts = starts[:0]
		for _, c := range crossings {
			starts = append(starts, c.op)
		}
		return starts
	}
	// The last block ends as far after its merge as the others do.
	run = 0
	for k, c := range crossings {
		if k > 0 && crossings[k-1].op == c.op-1 {
			run++
		} else {
			run = 0
		}
		if c.op > starts[len(starts)-1] && run == offset && c.op-starts[len(starts)-1] > 2 {
			return append(starts, c.op)
		}
	}
	return starts
}

// A crossing is an operator after which only one storage that the forward pass
// made is read again, and the last tensor over it.
type crossing struct {
	op     int
	tensor tape.VarID
}

func articulations(t *tape.Tape) []crossing {
	last := make([]int32, len(t.Storages))
	for i := range t.Ops {
		for _, v := range t.Ops[i].In {
			if id := t.Vars[v].Storage; id >= 0 {
				last[id] = int32(i)
			}
		}
	}
	open := map[tape.StorageID]tape.VarID{}
	ends := make([][]tape.StorageID, len(t.Ops))
	var list []crossing
	for i := range t.Ops {
		for _, v := range t.Ops[i].Out {
			if _, ok := open[t.Vars[v].Storage]; ok {
				open[t.Vars[v].Storage] = v // a view, or written over in place
			}
		}
		for _, v := range slices.Concat(t.Ops[i].Out, t.Ops[i].In) {
			id := t.Vars[v].Storage
			if id < 0 || t.Storages[id].Kind != tape.Made || int(last[id]) <= i || !t.Vars[v].NeedsGrad {
				continue
			}
			if _, ok := open[id]; ok {
				continue
			}
			open[id] = v
			ends[last[id]] = append(ends[last[id]], id)
		}
		for _, id := range ends[i] {
			delete(open, id)
		}
		if len(open) == 1 {
			for _, v := range open {
				list = append(list, crossing{i, v})
			}
		}
	}
	return list
}

// recompute runs the operators of a segment again: what they keep is there
// from now on.
func (s *pass) recompute(g *segment) {
	for i := g.first; i <= g.last; i++ {
		for _, id := range s.t.Ops[i].Saved {
			s.keep[id]++
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
			if s.last[id] > int32(g.last) {
				s.drop(id)
			}
		}
	}
}

// finish releases the inputs of a segment whose derivatives have run.
func (s *pass) finish(g *segment) {
	for _, id := range g.inputs {
		s.keep[id]--
		s.drop(id)
	}
}
