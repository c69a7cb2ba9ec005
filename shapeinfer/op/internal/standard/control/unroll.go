package control

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file unrolls a loop of few iterations where what holds in every iteration
// does not say enough: growing state, sequences that are filled, shapes that
// depend on the iteration number.

// maxUnrolledIterations and maxUnrolledNodes bound the loops that are unrolled.
const (
	maxUnrolledIterations = 64
	maxUnrolledNodes      = 8192
)

// exact reports whether unrolling the loop would tell nothing more.
func (l *loopCall) exact() bool {
	for i, before := range l.initial() {
		if !sameFact(before, l.state.states[i]) {
			return false
		}
	}
	for _, out := range l.outs[1:] {
		inner, ok := out.Type.Tensor()
		if !ok || !inner.Shape.Ranked() {
			return false
		}
		for _, d := range inner.Shape.Dims() {
			if !d.IsKnown() || l.state.isInner(d) {
				return false
			}
		}
	}
	again, ok := continues(l.outs)
	return ok && again
}

// mayUnroll reports whether there are few enough iterations, and how many is known
// but for the condition that the body leaves.
func (l *loopCall) mayUnroll() bool {
	most, ok := l.most().Int()
	return ok && most >= 1 && most <= maxUnrolledIterations && !l.conditional() &&
		int(most)*countNodes(l.body) <= maxUnrolledNodes
}

func countNodes(g *onnxgraph.Graph) int {
	n := len(g.Nodes)
	for _, node := range g.Nodes {
		for _, a := range node.Attributes {
			if a.Graph == nil {
				continue
			}
			nested := countNodes(a.Graph)
			if node.OpType == "Loop" { // which may be unrolled too
				nested *= maxUnrolledIterations
			}
			n = min(n+nested, maxUnrolledNodes+1)
		}
	}
	return n
}

// unroll infers the body once for each iteration and sets the node's outputs. done
// is false where an iteration's condition, or a dim of its state, depends on
// run-time values.
func (l *loopCall) unroll() (done bool, err error) {
	most, _ := l.most().Int()
	states := l.initial()
	scanned := make([][]tensor.Fact, max(len(l.c.Outputs)-l.n, 0))
	largest := largestIteration{}
	for t := int64(0); t < most; t++ {
		largest.see(t, states)
		outs, err := l.iterate(tensor.Int(t), states)
		if err != nil {
			return false, err
		}
		again, known := continues(outs)
		if !known || outs[0].Type.Kind == onnxgraph.KindUnset {
			return false, nil
		}
		for _, out := range outs[1 : 1+l.n] {
			if l.hasInner(out) {
				return false, nil
			}
		}
		states = slices.Clone(outs[1 : 1+l.n])
		for k := range scanned {
			scanned[k] = append(scanned[k], outs[1+l.n+k])
		}
		if !again {
			break
		}
	}
	copy(l.c.Outputs, l.finalStates(states))
	for k, facts := range scanned {
		l.c.Outputs[l.n+k] = l.stackedScan(facts)
	}
	return true, largest.restore(l)
}

// finalStates are the states after the last iteration. A dim that changes from
// iteration to iteration stays a symbol, as the standard's inference has it, but one with an
// upper bound: where the iterations lead.
func (l *loopCall) finalStates(states []tensor.Fact) []tensor.Fact {
	out := slices.Clone(states)
	for o, first := range l.initial() {
		last := states[o].Type.Shape
		if !states[o].Type.IsTensor() || first.Type.Shape.Rank() != last.Rank() || o >= len(l.c.Outputs) {
			continue
		}
		changed := false
		shape := last.Map(func(axis int, d dim.Dim) dim.Dim {
			if dim.Equal(d, first.Type.Shape.At(axis)) {
				return d
			}
			changed = true
			return l.c.NewSymbol(o, axis, 0, d)
		})
		if changed {
			out[o].Type.Shape, out[o].Value = shape, nil
			out[o].Reason = "the size of the loop's state changes from iteration to iteration"
		}
	}
	return out
}

// stackedScan stacks the scan elements of all iterations. It is an error of the run if
// their dims differ, so the first ones count where they are known.
func (l *loopCall) stackedScan(facts []tensor.Fact) tensor.Fact {
	all := facts[0]
	for _, f := range facts[1:] {
		all, _ = joinFacts(all, f, unknownDim)
	}
	all.Type = stacked(all.Type, 0, dim.Int(int64(len(facts))))
	all.Value, all.Items = nil, nil
	dims, n, ok := tensor.Fits(all.Type.DType, all.Type.Shape)
	if !ok {
		return all
	}
	v := &tensor.Value{DType: all.Type.DType, Dims: dims, Elems: make([]tensor.Scalar, 0, n)}
	for _, f := range facts {
		if f.Value == nil {
			return all
		}
		v.Elems = append(v.Elems, f.Value.Elems...)
	}
	if int64(len(v.Elems)) == n {
		all.Value = v
	}
	return all
}

// hasInner reports whether an iteration leaves a state with a symbol that is another
// number in the next iteration, where the body gives it the same name.
func (l *loopCall) hasInner(state tensor.Fact) bool {
	found := false
	look := func(_ int, d dim.Dim) dim.Dim {
		found = found || l.c.Engine.DefinedIn("body", d)
		return d
	}
	inner, _ := state.Type.Tensor()
	inner.Shape.Map(look)
	for _, item := range state.Items {
		item.Shape.Map(look)
	}
	if state.Value != nil {
		for _, x := range state.Value.Elems {
			look(0, x.Num)
		}
	}
	return found
}

// A largestIteration remembers the iteration with the largest state: the body stays
// recorded as in that iteration, since it needs the most memory.
type largestIteration struct {
	iteration, last int64
	bytes           int64
	states          []tensor.Fact
}

func (m *largestIteration) see(iteration int64, states []tensor.Fact) {
	total := int64(0)
	for _, s := range states {
		if n, ok := s.Type.Bytes().Int(); ok {
			total += n
		}
	}
	m.last = iteration
	if m.states == nil || total >= m.bytes {
		m.iteration, m.bytes, m.states = iteration, total, states
	}
}

// restore infers the body as in the largest turn, if that was not the last.
func (m *largestIteration) restore(l *loopCall) error {
	if m.iteration == m.last || l.n == 0 {
		return nil
	}
	_, err := l.iterate(tensor.Int(m.iteration), m.states)
	return err
}
