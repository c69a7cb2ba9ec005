package onnxgraph

import (
	"iter"
	"strconv"
)

// AllSubgraphs yields the graphs that a holds, with the name by which paths of
// scopes call each: the attribute's, and an index in a list of graphs.
func (a *Attribute) AllSubgraphs() iter.Seq2[string, *Graph] {
	return func(yield func(string, *Graph) bool) {
		if a.Graph != nil && !yield(a.Name, a.Graph) {
			return
		}
		first := 0
		if a.Graph != nil { // a wrong file that has both
			first = 1
		}
		for i, g := range a.Graphs {
			if !yield(a.Name+"["+strconv.Itoa(first+i)+"]", g) {
				return
			}
		}
	}
}

// AllSubgraphs yields the graphs in the attributes of n, not those inside of
// these; see [Attribute.AllSubgraphs] for their names.
func (n *Node) AllSubgraphs() iter.Seq2[string, *Graph] {
	return func(yield func(string, *Graph) bool) {
		for _, a := range n.Attributes {
			for name, g := range a.AllSubgraphs() {
				if !yield(name, g) {
					return
				}
			}
		}
	}
}

// HoldsGraph reports whether a holds a graph.
func (a *Attribute) HoldsGraph() bool { return a.Graph != nil || len(a.Graphs) > 0 }
