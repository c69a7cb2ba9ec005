package shapeinfer

import (
	"fmt"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file finds the largest sizes that a file allows: position tables have a
// row for each position, and no run may ask for one more.

// A Limit says that a size is at most a number, in every run that does not
// fail.
type Limit struct {
	Size   dim.Dim // an expression over free symbols
	Max    int64
	Node   string // label of the node that fails beyond
	Reason string
}

// Of is the largest number that the limit leaves to one symbol when all others
// of the size are given; ok is false where it does not limit the symbol. A
// negative number leaves none.
func (l Limit) Of(symbol string, others map[string]int64) (most int64, ok bool) {
	given := map[string]int64{}
	for name, n := range others {
		if name != symbol {
			given[name] = n
		}
	}
	c, ok := l.Size.EvalPartial(given).Polynomial(symbol)
	if !ok || len(c) != 2 {
		return 0, false
	}
	if slope, ok := c[1].Int(); !ok || slope <= 0 {
		return 0, false
	}
	return dim.FloorDiv(dim.Sub(dim.Int(l.Max), c[0]), c[1]).Int()
}

// Limits lists the limits of the main graph and of its subgraphs that hold for
// symbols, each once.
func (r *Result) Limits() []Limit {
	var list []Limit
	seen := map[string]bool{}
	add := func(s *Scope, node int32, size dim.Dim, most int64, format string, args ...any) {
		if top, ok := size.Upper(); !size.IsSymbolic() || ok && top <= most {
			return
		}
		l := Limit{size, most, onnxgraph.NodeLabel(s.Graph.Nodes[node], int(node)), fmt.Sprintf(format, args...)}
		if key := fmt.Sprint(l.Size, l.Max); !seen[key] {
			seen[key] = true
			list = append(list, l)
		}
	}
	r.Main.eachScope(map[*Scope]bool{}, func(s *Scope) {
		for i := range s.Nodes {
			limitsOf(s, int32(i), add)
		}
	})
	return list
}

// eachScope visits a scope and all below it.
func (s *Scope) eachScope(seen map[*Scope]bool, visit func(*Scope)) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	visit(s)
	for i := range s.Nodes {
		s.Nodes[i].Function.eachScope(seen, visit)
		for _, b := range s.Nodes[i].Subgraphs {
			b.eachScope(seen, visit)
		}
	}
}

type addLimit func(s *Scope, node int32, size dim.Dim, most int64, format string, args ...any)

// limitsOf adds the limits that one node sets.
func limitsOf(s *Scope, i int32, add addLimit) {
	n := s.Graph.Nodes[i]
	if s.Nodes[i].Op == nil {
		return
	}
	shape := func(slot int) tensor.Shape { return s.inputShape(i, slot) }
	switch n.OpType {
	case "GroupQueryAttention": // query 0, past_key 3, cos_cache 7; present_key 1
		rows, ok := shape(7).At(0).Int()
		if a := n.Attribute("do_rotary"); !ok || a == nil || a.Int == 0 {
			return
		}
		total := dim.Add(shape(3).At(2), shape(0).At(1))
		if !total.IsKnown() {
			total = shape(0).At(1)
		}
		add(s, i, total, rows, "the rotary table has %d rows", rows)
	case "RotaryEmbedding":
		table, x := 2, shape(0)
		if onnxgraph.CanonicalDomain(n.Domain) == "" {
			table = 1
		}
		rows, ok := shape(table).At(0).Int()
		if cos := shape(table); !ok || cos.Rank() != 2 {
			return
		}
		sequence := x.At(1)
		if x.Rank() == 4 {
			sequence = x.At(2)
		}
		add(s, i, sequence, rows, "the rotary table has %d rows", rows)
	case "Gather":
		gatherLimit(s, i, add)
	case "Add", "Sub", "Mul", "Where":
		broadcastLimit(s, i, add)
	}
}

// gatherLimit: the positions from 0 up to a length, which Range makes, are rows
// of a table.
func gatherLimit(s *Scope, i int32, add addLimit) {
	table := s.inputShape(i, 0)
	rows, ok := table.At(0).Int()
	ids := s.Graph.NodeInputs(i)
	if a := s.Graph.Nodes[i].Attribute("axis"); !ok || a != nil && a.Int != 0 || table.Rank() != 2 || len(ids) < 2 {
		return
	}
	id := ids[1]
	for range len(s.Graph.Nodes) {
		if id == onnxgraph.NoValue || s.Graph.Values[id].Origin != onnxgraph.NodeOutput {
			return
		}
		producer := s.Graph.Values[id].Producer
		switch s.Graph.Nodes[producer].OpType {
		case "Range":
			ends := s.Graph.NodeInputs(producer)
			if len(ends) < 2 {
				return
			}
			if fact := s.Fact(ends[1]); fact != nil && fact.Value != nil && len(fact.Value.Elems) == 1 {
				add(s, i, fact.Value.Elems[0].Num, rows, "the table of positions has %d rows", rows)
			}
			return
		case "Unsqueeze", "Reshape", "Expand", "Cast", "Identity", "Squeeze":
			id = firstInput(s.Graph, producer)
		default:
			return
		}
	}
}

// broadcastLimit: a table of positions that was cut to the length of a sequence
// meets the sequence.
func broadcastLimit(s *Scope, i int32, add addLimit) {
	ids := s.Graph.NodeInputs(i)
	for a := range ids {
		for b := range ids {
			cut, whole := s.inputShape(i, a), s.inputShape(i, b)
			if a == b || a > 2 || b > 2 {
				continue
			}
			for back := 1; back <= min(cut.Rank(), whole.Rank()); back++ {
				c, w := cut.At(-back), whole.At(-back)
				if !c.IsSymbolic() || !w.IsSymbolic() || c == w {
					continue
				}
				if top, ok := c.Upper(); ok && dim.Equal(c, dim.Min(w, dim.Int(top))) {
					add(s, i, w, top, "the table of positions has %d rows", top)
				}
			}
		}
	}
}

// inputShape is the shape of an input slot of a node, unknown where it is left
// out.
func (s *Scope) inputShape(node int32, slot int) tensor.Shape {
	ids := s.Graph.NodeInputs(node)
	if slot >= len(ids) {
		return tensor.Shape{}
	}
	if fact := s.Fact(ids[slot]); fact != nil {
		return fact.Type.Shape
	}
	return tensor.Shape{}
}
