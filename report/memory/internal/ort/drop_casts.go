package ort

import (
	"slices"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
)

// dropCasts removes Casts that a Cast behind them makes needless: a pair that
// leads back to the first type, and the first of two where no precision is
// lost. A single Cast to the type that a value has stays. Source: the second
// transformer of insert_cast_transformer.cc.
func (l *loader) dropCasts() error {
	if !hasCastPair(l.resolved().Main) {
		return nil
	}
	types, err := l.types()
	if err != nil {
		return err
	}
	l.replace(dropGraph(l.model.Graph, types.Main))
	return nil
}

func hasCastPair(s *onnxgraph.Scope) bool {
	for i, n := range s.Nodes {
		for _, body := range s.Subgraphs(int32(i)) {
			if hasCastPair(body) {
				return true
			}
		}
		if n.OpType != "Cast" {
			continue
		}
		for _, id := range s.NodeInputs(int32(i)) {
			if id != onnxgraph.NoValue && s.Values[id].Producer >= 0 && s.Nodes[s.Values[id].Producer].OpType == "Cast" {
				return true
			}
		}
	}
	return false
}

func dropGraph(g *onnxgraph.Graph, types *shapeinfer.Scope) *onnxgraph.Graph {
	d := &dropper{types: types, g: types.Graph, nodes: slices.Clone(g.Nodes), readers: map[string][]int32{}, outputs: map[string]bool{}, dtype: map[string]onnxgraph.DType{}}
	for i, n := range d.nodes {
		for _, name := range n.Inputs {
			d.readers[name] = append(d.readers[name], int32(i))
		}
		for _, id := range d.g.ImplicitInputs(int32(i)) {
			d.readers[d.g.Values[id].Name] = append(d.readers[d.g.Values[id].Name], int32(i))
		}
	}
	for _, v := range g.Outputs {
		d.outputs[v.Name] = true
	}
	for id := range d.g.Values {
		d.dtype[d.g.Values[id].Name] = types.Facts[id].Type.DType
	}
	for i := range d.nodes {
		if d.nodes[i] == nil {
			continue
		}
		if d.nodes[i].OpType == "Cast" {
			d.cast(int32(i))
			continue
		}
		next := mapBodies(d.nodes[i], func(k int, body *onnxgraph.Graph) *onnxgraph.Graph {
			inner := bodyOf(types, int32(i), k)
			if inner == nil {
				return body
			}
			return dropGraph(body, inner)
		})
		d.changed = d.changed || next != d.nodes[i]
		d.nodes[i] = next
	}
	if !d.changed {
		return g
	}
	kept := slices.DeleteFunc(d.nodes, func(n *onnxgraph.Node) bool { return n == nil })
	return remember(withNodes(g, kept), types)
}

type dropper struct {
	types   *shapeinfer.Scope
	g       *onnxgraph.Scope
	nodes   []*onnxgraph.Node // nil where removed
	readers map[string][]int32
	outputs map[string]bool
	dtype   map[string]onnxgraph.DType
	changed bool
}

// cast looks at the readers of one Cast.
func (d *dropper) cast(i int32) {
	n := d.nodes[i]
	if !isCast(n) || n.Inputs[0] == n.Outputs[0] {
		return
	}
	in, out := n.Inputs[0], n.Outputs[0]
	from, to := d.dtype[in], d.dtype[out]
	lossy := unsafeCast(from, to, n)
	readers := d.readers[out]
	var drop, keep []int32
	for _, r := range readers {
		m := d.nodes[r]
		if r == i || m == nil || !isCast(m) {
			continue
		}
		end := d.dtype[m.Outputs[0]]
		if lossy && unsafeCast(end, to, m) {
			return
		}
		if !d.outputs[m.Outputs[0]] && end == from {
			drop = append(drop, r)
		} else {
			keep = append(keep, r)
		}
	}
	for _, r := range drop {
		d.bypass(r, in)
	}
	if len(readers) == 0 || len(drop)+len(keep) != len(readers) || d.outputs[out] {
		return
	}
	if lossy {
		for _, r := range keep {
			if d.dtype[d.nodes[r].Outputs[0]] == onnxgraph.Bool {
				return
			}
		}
	}
	d.bypass(i, in)
}

// isCast reports whether a node is a Cast of one value to one other, which a
// wrong file may not have.
func isCast(n *onnxgraph.Node) bool {
	return n.OpType == "Cast" && len(n.Inputs) == 1 && len(n.Outputs) == 1
}

// bypass removes a Cast and lets its readers read name.
func (d *dropper) bypass(i int32, name string) {
	if d.nodes[i] == nil {
		return // removed for another reading of the same value
	}
	out := d.nodes[i].Outputs[0]
	for _, r := range d.readers[out] {
		if d.nodes[r] == nil {
			continue
		}
		m := *d.nodes[r]
		m.Inputs = slices.Clone(m.Inputs)
		for k := range m.Inputs {
			if m.Inputs[k] == out {
				m.Inputs[k] = name
				d.readers[name] = append(d.readers[name], r)
			}
		}
		d.nodes[r] = &m
	}
	in := d.nodes[i].Inputs[0]
	d.readers[in] = slices.DeleteFunc(slices.Clone(d.readers[in]), func(r int32) bool { return r == i })
	d.nodes[i] = nil
	d.changed = true
}

// typeGroup orders types by what they can hold.
func typeGroup(d onnxgraph.DType) int {
	switch d {
	case onnxgraph.Bool:
		return 0
	case onnxgraph.Int8, onnxgraph.Int16, onnxgraph.Int32, onnxgraph.Int64:
		return 1
	case onnxgraph.Uint8, onnxgraph.Uint16, onnxgraph.Uint32, onnxgraph.Uint64:
		return 2
	case onnxgraph.Float, onnxgraph.Double, onnxgraph.Float16, onnxgraph.Bfloat16:
		return 3
	}
	return -1
}

// unsafeCast reports whether a Cast may lose something.
func unsafeCast(from, to onnxgraph.DType, n *onnxgraph.Node) bool {
	a, b := typeGroup(from), typeGroup(to)
	bits := func(d onnxgraph.DType) int {
		if d == onnxgraph.Bool {
			return 1
		}
		return d.Bits()
	}
	switch {
	case a < 0 || b < 0,
		b == 2 && a != 0 && a != 2, // signed to unsigned
		a == 3 && b != 3:
		return true
	case a == 2 && b == 1, (a == 1 || a == 2) && b == 3:
		return bits(to) <= bits(from)
	case from == onnxgraph.Float16 && to == onnxgraph.Bfloat16, from == onnxgraph.Bfloat16 && to == onnxgraph.Float16:
		return true
	}
	return bits(from) > bits(to) && !strings.HasPrefix(n.Name, insertedCast)
}
