package shapeinfer

import (
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file puts dims in place of symbols in what inference found.

// A substitution replaces symbols in everything that a result holds. Scopes
// that several calls share stay shared.
type substitution struct {
	means  map[string]dim.Dim
	scopes map[*Scope]*Scope
}

func (b *substitution) scope(s *Scope) *Scope {
	if s == nil {
		return nil
	}
	if done := b.scopes[s]; done != nil {
		return done
	}
	out := &Scope{Graph: s.Graph, Facts: make([]tensor.Fact, len(s.Facts)), Nodes: make([]Node, len(s.Nodes))}
	b.scopes[s] = out
	for i := range s.Facts {
		out.Facts[i] = b.fact(s.Facts[i])
	}
	for i, n := range s.Nodes {
		n.MACs = n.MACs.Subst(b.means)
		n.Function = b.scope(n.Function)
		if n.Subgraphs != nil {
			subs := make([]*Scope, len(n.Subgraphs))
			for k, sub := range n.Subgraphs {
				subs[k] = b.scope(sub)
			}
			n.Subgraphs = subs
		}
		out.Nodes[i] = n
	}
	return out
}

func (b *substitution) fact(f tensor.Fact) tensor.Fact {
	f.Type = b.typ(f.Type)
	if f.Value != nil {
		v := *f.Value
		v.Elems = make([]tensor.Scalar, len(f.Value.Elems))
		for i, x := range f.Value.Elems {
			x.Num = x.Num.Subst(b.means)
			v.Elems[i] = x
		}
		f.Value = &v
	}
	if f.Items != nil {
		items := make([]tensor.Type, len(f.Items))
		for i, t := range f.Items {
			items[i] = b.typ(t)
		}
		f.Items = items
	}
	return f
}

func (b *substitution) typ(t tensor.Type) tensor.Type {
	return t.MapInner(func(inner tensor.Type) tensor.Type {
		inner.Shape = inner.Shape.Map(func(_ int, d dim.Dim) dim.Dim { return d.Subst(b.means) })
		return inner
	})
}
