package annotate

import (
	"cmp"
	"slices"
	"sort"

	"google.golang.org/protobuf/encoding/protowire"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/internal/wire"
)

// The numbers of value_info in onnx-ml.proto.
const (
	graphValueInfo    = 13
	functionValueInfo = 12
)

// A walker collects the changes of a plan in the order of the file: a message
// that holds a change gets a new length, which stands before it.
type walker struct {
	Plan
	graphs    map[*onnxgraph.Graph]*Scope
	functions map[*onnxgraph.Function]*Scope
	depth     int // of the message that is being walked
	err       error
}

// A part is something inside a message that may change. Go values do not keep
// the order in which fields of different numbers stand in a file, so parts are
// sorted by their place.
type part struct {
	at   int64
	walk func()
}

func (w *walker) model(m *onnxgraph.Model) {
	parts := w.graph(nil, m.Graph)
	for _, f := range m.Functions {
		parts = append(parts, part{f.Extent.Offset, func() { w.message(f.Extent, func() { w.function(f) }) }})
	}
	w.inOrder(parts)
}

func (w *walker) inOrder(parts []part) {
	sortParts(parts)
	for _, p := range parts {
		if w.err != nil {
			return
		}
		p.walk()
	}
}

// graph appends the places of g, of which there are several only when the file
// repeats a singular field.
func (w *walker) graph(parts []part, g *onnxgraph.Graph) []part {
	if g == nil || len(g.Extents) == 0 {
		return parts
	}
	inside := w.nodes(g.Nodes)
	scope := w.graphs[g]
	if scope != nil {
		for _, list := range [][]*onnxgraph.ValueInfo{g.Inputs, g.Outputs, g.ValueInfos} {
			inside = w.entries(inside, scope, list)
		}
	}
	if scope == nil && len(inside) == 0 {
		return parts
	}
	sortParts(inside)
	for i, e := range g.Extents {
		var here []part
		here, inside = within(inside, e)
		if i == len(g.Extents)-1 && scope != nil {
			here = append(here, w.additions(scope, graphValueInfo, e))
		}
		parts = append(parts, part{e.Offset, func() { w.message(e, func() { w.inOrder(here) }) }})
	}
	return parts
}

func (w *walker) function(f *onnxgraph.Function) {
	parts := w.nodes(f.Nodes)
	if scope := w.functions[f]; scope != nil {
		parts = w.entries(parts, scope, f.ValueInfos)
		parts = append(parts, w.additions(scope, functionValueInfo, f.Extent))
	}
	w.inOrder(parts)
}

// nodes are the nodes that hold graphs.
func (w *walker) nodes(nodes []*onnxgraph.Node) (parts []part) {
	for _, n := range nodes {
		if slices.ContainsFunc(n.Attributes, (*onnxgraph.Attribute).HoldsGraph) {
			parts = append(parts, part{n.Extent.Offset, func() { w.message(n.Extent, func() { w.node(n) }) }})
		}
	}
	return parts
}

func (w *walker) node(n *onnxgraph.Node) {
	for _, a := range n.Attributes {
		if !a.HoldsGraph() {
			continue
		}
		w.message(a.Extent, func() {
			var parts []part
			for _, g := range a.AllSubgraphs() {
				parts = w.graph(parts, g)
			}
			w.inOrder(parts)
		})
	}
}

func (w *walker) entries(parts []part, s *Scope, list []*onnxgraph.ValueInfo) []part {
	for _, v := range list {
		if t, ok := s.Set[v]; ok {
			parts = append(parts, part{v.Extent.Offset, func() { w.message(v.Extent, func() { w.set(v.Extent, t) }) }})
		}
	}
	return parts
}

// additions appends the new entries at the end of the message at e.
func (w *walker) additions(s *Scope, number protowire.Number, e onnxgraph.Extent) part {
	end := e.Offset + e.Length
	return part{end, func() {
		var b []byte
		for _, v := range s.Add {
			if w.depth+1+typeDepth(v.Type) > wire.MaxDepth {
				continue
			}
			b = protowire.AppendTag(b, number, protowire.BytesType)
			b = protowire.AppendBytes(b, newValueInfo(v))
		}
		w.change(change{at: end, insert: b})
	}}
}

// within splits sorted parts into those inside e and those after it. What is
// empty may begin where e ends.
func within(parts []part, e onnxgraph.Extent) (here, rest []part) {
	n := sort.Search(len(parts), func(i int) bool { return parts[i].at > e.Offset+e.Length })
	return parts[:n:n], parts[n:]
}

func sortParts(parts []part) {
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.at, b.at) })
}
