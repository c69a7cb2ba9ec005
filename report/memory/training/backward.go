package training

import (
	"onnxmem/report/memory/internal/tape"
)

// A gradient is a tensor of the backward pass. Without a block it is one
// number seen as a whole tensor, which takes no memory.
type gradient struct {
	tensor tape.Tensor
	block  *block
	view   bool // of another tensor, so that nothing is added to it in place
}

// A block is the memory behind gradients.
type block struct {
	bytes int64
	refs  int32
	id    int32
}

// newGradient allocates a gradient.
func (s *pass) newGradient(t tape.Tensor, at *tape.Op) *gradient {
	b := &block{bytes: t.Bytes(), refs: 1, id: int32(s.t.Storages.Len()) + s.blocks}
	s.blocks++
	s.now.Temporary += b.bytes
	s.log = append(s.log, event{b.id, b.bytes})
	s.backwardPeak.note(s.now, 0, at)
	return &gradient{tensor: t, block: b}
}

func (s *pass) release(g *gradient) {
	if g == nil || g.block == nil {
		return
	}
	if g.block.refs--; g.block.refs == 0 {
		s.now.Temporary -= g.block.bytes
		s.log = append(s.log, event{g.block.id, -g.block.bytes})
	}
}

// share is another tensor over the same memory.
func (g *gradient) share(t tape.Tensor, view bool) *gradient {
	if g.block != nil {
		g.block.refs++
	}
	return &gradient{tensor: t, block: g.block, view: view}
}

// backward runs the derivatives in reverse.
func (s *pass) backward() {
	s.backwardPeak.note(s.now, 0, nil)
	s.startBackward()
	for i := len(s.t.Ops) - 1; i >= 0; i-- {
		if k := s.segmentOf[i]; k >= 0 && s.segments[k].last == i {
			s.recompute(&s.segments[k])
		}
		s.derive(i)
		if k := s.segmentOf[i]; k >= 0 && s.segments[k].first == i {
			s.finish(&s.segments[k])
		}
	}
	s.backwardEnd = s.now
}

// derive runs one derivative: its results exist beside the gradients that came
// in; then those go, and what it kept; then the results meet others.
func (s *pass) derive(i int) {
	op := &s.t.Ops[i]
	incoming := s.incoming(op)
	if len(op.Grads) == 0 || incoming == nil {
		s.forget(op)
		for _, g := range incoming {
			s.release(g)
		}
		return
	}
	results := make([]*gradient, len(op.Grads))
	for k := range op.Grads {
		results[k] = s.result(op, &op.Grads[k], incoming)
	}
	s.backwardPeak.note(s.now, op.BackwardScratch, op)
	for k := range op.Grads {
		results[k] = s.reduce(results[k], op.Grads[k].To, op)
	}
	for _, g := range incoming {
		s.release(g)
	}
	s.forget(op)
	for k := range op.Grads {
		s.accumulate(op.Grads[k].To, results[k], op)
	}
}

// incoming takes the gradients of an operator's outputs, nil where it has
// none at all.
func (s *pass) incoming(op *tape.Op) []*gradient {
	var list []*gradient
	for k, v := range op.Out {
		g := s.grads.Get(v)
		if g == nil {
			continue
		}
		if list == nil {
			list = make([]*gradient, len(op.Out))
		}
		list[k] = g
		s.grads.Set(v, nil)
	}
	return list
}

// forget releases what a derivative kept.
func (s *pass) forget(op *tape.Op) {
	for _, id := range op.Saved {
		*s.keep.At(id)--
		s.drop(id)
	}
}

// result is the gradient of one operand, before it is summed to its size.
func (s *pass) result(op *tape.Op, g *tape.Grad, incoming []*gradient) *gradient {
	to := s.t.Vars.At(g.To)
	from := incoming[0]
	if g.From < len(incoming) && incoming[g.From] != nil {
		from = incoming[g.From]
	}
	for _, x := range incoming {
		if from == nil {
			from = x
		}
	}
	switch g.Rule {
	case tape.Pass:
		return from.share(from.tensor, from.view)
	case tape.Full:
		t := tape.Like(from.tensor)
		t.Size = to.Size
		return s.newGradient(t, op)
	case tape.Reshape:
		if t, ok := from.tensor.Reshaped(to.Dims); ok {
			return from.share(t, true)
		}
	case tape.Permute:
		return from.share(from.tensor.Permuted(g.Perm), true)
	case tape.Narrow:
		return from.share(from.tensor.Narrowed(to.Dims), true)
	case tape.Repeat:
		t := to.Tensor
		t.Strides = make([]int64, len(t.Dims))
		return from.share(t, true)
	}
	t := tape.Like(to.Tensor)
	switch {
	case g.Dense:
		t = tape.Dense(to.Tensor)
	case g.Heads:
		t = tape.ByHeads(to.Tensor)
	}
	r := s.newGradient(t, op)
	r.view = g.View
	return r
}

// reduce sums a gradient to the size of its operand, where that was repeated.
func (s *pass) reduce(g *gradient, to tape.VarID, at *tape.Op) *gradient {
	x := s.t.Vars.At(to)
	if tape.SameDims(g.tensor.Dims, x.Dims) || g.tensor.Elements() == x.Elements() {
		return g
	}
	sum := s.newGradient(tape.Dense(x.Tensor), at)
	s.release(g)
	return sum
}

// accumulate adds a gradient to those that came before: in place where nobody
// else holds the first, else into a new tensor.
func (s *pass) accumulate(to tape.VarID, g *gradient, at *tape.Op) {
	old := s.grads.Get(to)
	switch {
	case old == nil:
		s.grads.Set(to, g)
	case old.block != nil && old.block.refs == 1 && !old.view:
		s.release(g)
	default:
		sum := s.newGradient(tape.Like(s.t.Vars.At(to).Tensor), at)
		s.release(old)
		s.release(g)
		s.grads.Set(to, sum)
	}
	if p := s.t.Vars.At(to).Param; !p.None() {
		left := s.uses.At(p)
		if *left--; *left == 0 {
			s.finishGradient(p, to, at)
		}
	}
}

// finishGradient hands the gradient of a parameter to the parameter. One that
// shares its memory is copied.
func (s *pass) finishGradient(p tape.ParamID, v tape.VarID, at *tape.Op) {
	g := s.grads.Get(v)
	s.grads.Set(v, nil)
	s.reached.Set(p, true)
	if g.block == nil || g.block.refs > 1 || g.block.bytes != s.t.Params.At(p).Bytes {
		fresh := s.newGradient(tape.Dense(s.t.Vars.At(v).Tensor), at)
		s.release(g)
		g = fresh
	}
	s.now.Temporary -= g.block.bytes
	if s.plan.Accumulate > 1 {
		s.log = append(s.log, event{g.block.id, -g.block.bytes})
		return // added to the gradient of the passes before
	}
	bytes := g.block.bytes
	if s.plan.Zero > 1 {
		bytes = split(bytes, int64(s.plan.GPUs))
	}
	s.now.Gradient += bytes
}

// holdGradients starts with the gradients of an earlier pass, to which this
// one adds.
func (s *pass) holdGradients() {
	for id, p := range s.t.Params.All() {
		if s.uses.Get(id) > 0 {
			s.held += p.Bytes
		}
	}
	if s.plan.Zero > 1 {
		s.held = split(s.held, int64(s.plan.GPUs))
	}
	s.now.Gradient = s.held
}
