package control

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file follows the state that a loop carries from iteration to iteration.

// A carried is the state of a loop: what holds of it at the beginning of every
// iteration. Symbols that stand for a dim that changes from iteration to
// iteration are valid inside the body only.
type carried struct {
	c      *op.Call
	states []tensor.Fact
	inner  map[string]bool // names of the symbols made for the body
	rounds int
}

func carry(c *op.Call, states []tensor.Fact) *carried {
	return &carried{c: c, states: states, inner: map[string]bool{}}
}

// fixpointLimit is after how many rounds a state that still changes loses its
// shape. Each round fixes the dims of at least one state, so that few bodies
// need that many.
const fixpointLimit = 6

// widen joins the state with what an iteration makes of it. It reports whether
// the state changed, so that the body must be inferred again. This ends, since
// states only ever lose knowledge.
func (s *carried) widen(next []tensor.Fact) (changed bool, err error) {
	s.rounds++
	for i := range s.states {
		before := s.states[i]
		after, ok := joinFacts(before, next[i], func(axis int, a, b dim.Dim) dim.Dim { return s.innerDim(i, axis, a, b) })
		if !ok {
			return false, s.c.Errorf(op.CodeType, "state %d is %s before an iteration and %s after it", i, before.Type, next[i].Type)
		}
		if after.Type.Elem != nil {
			after.Type = s.steadyElem(after.Type)
		}
		if after.Value != nil {
			after.Value = s.withoutInner(after.Value)
		}
		if sameFact(before, after) {
			continue
		}
		if s.rounds > fixpointLimit {
			after = tensor.Fact{Type: withoutShape(after.Type)}
		}
		s.states[i] = after
		changed = true
	}
	return changed, nil
}

// innerDim is the symbol, inside the body, of a dim of state i that changes
// from a to b.
func (s *carried) innerDim(i, axis int, a, b dim.Dim) dim.Dim {
	if !a.IsKnown() || s.isInner(a) {
		return a
	}
	fresh := s.c.NewSymbol(len(s.c.Outputs)+i, axis, 0, dim.Unknown())
	for _, name := range fresh.Symbols() {
		s.inner[name] = true
	}
	return fresh
}

// isInner reports whether an expression holds a symbol that is another number
// in each iteration.
func (s *carried) isInner(d dim.Dim) bool {
	if !d.HasDataDependent() {
		return false
	}
	if s.c.Engine.DefinedIn("body", d) {
		return true
	}
	return slices.ContainsFunc(d.Symbols(), func(name string) bool { return s.inner[name] })
}

// steadyElem forgets the dims of the elements of a sequence that are other
// numbers in each iteration: earlier elements were made in earlier iterations.
func (s *carried) steadyElem(t tensor.Type) tensor.Type {
	return t.MapInner(func(inner tensor.Type) tensor.Type {
		inner.Shape = inner.Shape.Map(func(_ int, d dim.Dim) dim.Dim {
			if s.isInner(d) {
				return dim.Unknown()
			}
			return d
		})
		return inner
	})
}

// withoutInner forgets the elements that hold a symbol of the body.
func (s *carried) withoutInner(v *tensor.Value) *tensor.Value {
	for i, x := range v.Elems {
		if s.isInner(x.Num) {
			out := &tensor.Value{DType: v.DType, Dims: v.Dims, Elems: slices.Clone(v.Elems)}
			for k := i; k < len(out.Elems); k++ {
				if s.isInner(out.Elems[k].Num) {
					out.Elems[k] = tensor.Scalar{}
				}
			}
			return out
		}
	}
	return v
}

// sameFact reports whether nothing was lost from before to after, which is a
// join with before.
func sameFact(before, after tensor.Fact) bool {
	return sameKnowledge(before.Type, after.Type) && sameElements(before.Value, after.Value) && (before.Items == nil) == (after.Items == nil)
}

// sameKnowledge reports whether two types say the same, unknown dims included.
func sameKnowledge(a, b tensor.Type) bool {
	if a.Kind != b.Kind || a.DType != b.DType || a.Key != b.Key || (a.Elem == nil) != (b.Elem == nil) || a.Shape.Rank() != b.Shape.Rank() {
		return false
	}
	for i, d := range a.Shape.Dims() {
		if e := b.Shape.At(i); d.IsKnown() != e.IsKnown() || d.IsKnown() && !dim.Equal(d, e) {
			return false
		}
	}
	return a.Elem == nil || sameKnowledge(*a.Elem, *b.Elem)
}

func sameElements(a, b *tensor.Value) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	for i, x := range a.Elems {
		if x.IsKnown() != b.Elems[i].IsKnown() {
			return false
		}
	}
	return true
}

// afterLoop is what a value of the body is after the loop, as output o of the
// node with offset more axes in front: symbols of the body become fresh ones.
func (s *carried) afterLoop(o int, offset int, fact tensor.Fact) tensor.Fact {
	if fact.Value != nil {
		fact.Value = s.withoutInner(fact.Value)
	}
	if fact.Type.Elem != nil {
		fact.Type = s.steadyElem(fact.Type)
		return fact
	}
	fact.Type.Shape = fact.Type.Shape.Map(func(i int, d dim.Dim) dim.Dim {
		if !s.isInner(d) {
			return d
		}
		lo, _ := d.Lower()
		upper := d.UpperExpr()
		if s.isInner(upper) {
			upper = dim.Unknown()
		}
		return s.c.NewSymbol(o, i+offset, lo, upper)
	})
	return fact
}

// declaredScalar is a single element as the body declares its input: a scalar,
// or, as older exporters have it, a vector of one.
func declaredScalar(g *onnxgraph.Graph, input int, d onnxgraph.DType, x tensor.Scalar) tensor.Fact {
	v := tensor.ScalarOf(d, x)
	if input < len(g.Inputs) {
		if t := g.Inputs[input].Type; t != nil && t.Shape != nil && len(t.Shape.Dims) == 1 {
			v.Dims = []int64{1}
		}
	}
	fact := tensor.Fact{Type: v.Type(), Value: v}
	if !x.IsKnown() {
		fact.Value = nil
	}
	return fact
}
