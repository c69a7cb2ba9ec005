package onnxgraph

import (
	"iter"
	"slices"
)

// This file walks a whole model: every graph, node, attribute and tensor,
// wherever the format lets one lie. That is the main graph, the local functions
// with the defaults of their attributes, the graphs of training_info, and the
// subgraphs in attributes of all of these.
//
// The order is that of the format's field numbers for each message, which is
// not always that of the file. Each graph is walked once, also where a program
// has put one graph in two places, so that a walk takes time linear in the size
// of the model and always ends.

// AllGraphs yields every graph of m: the main graph, those of training_info and
// the subgraphs inside these and inside functions.
func (m *Model) AllGraphs() iter.Seq2[Place, *Graph] {
	return func(yield func(Place, *Graph) bool) { m.walk(walker{graph: yield}) }
}

// AllNodes yields every node of m, those of functions and subgraphs included.
func (m *Model) AllNodes() iter.Seq2[Place, *Node] {
	return func(yield func(Place, *Node) bool) { m.walk(walker{node: yield}) }
}

// AllAttributes yields every attribute of every node of m, and the defaults of
// the attributes of functions.
func (m *Model) AllAttributes() iter.Seq2[Place, *Attribute] {
	return func(yield func(Place, *Attribute) bool) { m.walk(walker{attribute: yield}) }
}

// AllTensors yields every tensor of m: initializers and the tensors in
// attributes. The values and the indices of a sparse tensor are two tensors.
func (m *Model) AllTensors() iter.Seq2[Place, *Tensor] {
	return func(yield func(Place, *Tensor) bool) { m.walk(walker{tensor: yield}) }
}

// AllNodes yields the nodes of g and of the subgraphs inside it.
func (g *Graph) AllNodes() iter.Seq2[Place, *Node] {
	return func(yield func(Place, *Node) bool) {
		w := walker{node: yield}
		w.inGraph(Place{}, g)
	}
}

// AllNodes yields the nodes of f and of the subgraphs inside it. Functions that
// it calls are not entered.
func (f *Function) AllNodes() iter.Seq2[Place, *Node] {
	return func(yield func(Place, *Node) bool) {
		w := walker{node: yield}
		w.inFunction(nil, f)
	}
}

// A walker calls the functions that it has, before it goes further inside. All
// of its methods return false to end the walk.
type walker struct {
	graph     func(Place, *Graph) bool
	node      func(Place, *Node) bool
	attribute func(Place, *Attribute) bool
	tensor    func(Place, *Tensor) bool
	seen      map[*Graph]bool
}

func (m *Model) walk(w walker) {
	if !w.inGraph(Place{nil, "graph", single}, m.Graph) {
		return
	}
	for i, t := range m.TrainingInfo {
		at := &Place{nil, "training_info", i}
		if !w.inGraph(Place{at, "initialization", single}, t.Initialization) || !w.inGraph(Place{at, "algorithm", single}, t.Algorithm) {
			return
		}
	}
	for i, f := range m.Functions {
		if !w.inFunction(&Place{nil, "functions", i}, f) {
			return
		}
	}
}

func (w *walker) inGraph(at Place, g *Graph) bool {
	if g == nil || w.seen[g] {
		return true
	}
	if w.seen == nil {
		w.seen = map[*Graph]bool{}
	}
	w.seen[g] = true
	if w.graph != nil && !w.graph(at, g) {
		return false
	}
	here := &at
	if at.field == "" {
		here = nil
	}
	return w.inNodes(here, g.Nodes) && w.inTensors(here, "initializer", g.Initializers) &&
		w.inSparseTensors(here, "sparse_initializer", g.SparseInitializers)
}

func (w *walker) inFunction(at *Place, f *Function) bool {
	return w.inNodes(at, f.Nodes) && w.inAttributes(at, "attribute_proto", f.AttributeDefaults)
}

func (w *walker) inNodes(at *Place, nodes []*Node) bool {
	for i, n := range nodes {
		if w.node != nil && !w.node(Place{at, "node", i}, n) {
			return false
		}
		if w.attribute == nil && !slices.ContainsFunc(n.Attributes, (*Attribute).holdsMessages) {
			continue // most nodes, which then need no place in memory
		}
		if !w.inAttributes(&Place{at, "node", i}, "attribute", n.Attributes) {
			return false
		}
	}
	return true
}

// holdsMessages reports whether there is anything to walk inside of a.
func (a *Attribute) holdsMessages() bool {
	return a.Tensor != nil || a.Graph != nil || a.SparseTensor != nil || len(a.Tensors) > 0 || len(a.Graphs) > 0 || len(a.SparseTensors) > 0
}

func (w *walker) inAttributes(at *Place, field string, list []*Attribute) bool {
	for i, a := range list {
		if w.attribute != nil && !w.attribute(Place{at, field, i}, a) {
			return false
		}
		if a.holdsMessages() && !w.inAttribute(&Place{at, field, i}, a) {
			return false
		}
	}
	return true
}

func (w *walker) inAttribute(at *Place, a *Attribute) bool {
	if !w.inTensor(Place{at, "t", single}, a.Tensor) || !w.inGraph(Place{at, "g", single}, a.Graph) || !w.inTensors(at, "tensors", a.Tensors) {
		return false
	}
	for i, g := range a.Graphs {
		if !w.inGraph(Place{at, "graphs", i}, g) {
			return false
		}
	}
	return w.inSparseTensor(Place{at, "sparse_tensor", single}, a.SparseTensor) && w.inSparseTensors(at, "sparse_tensors", a.SparseTensors)
}

func (w *walker) inTensors(at *Place, field string, list []*Tensor) bool {
	for i, t := range list {
		if !w.inTensor(Place{at, field, i}, t) {
			return false
		}
	}
	return true
}

func (w *walker) inTensor(at Place, t *Tensor) bool {
	return t == nil || w.tensor == nil || w.tensor(at, t)
}

func (w *walker) inSparseTensors(at *Place, field string, list []*SparseTensor) bool {
	for i, s := range list {
		if !w.inSparseTensor(Place{at, field, i}, s) {
			return false
		}
	}
	return true
}

// inSparseTensor visits the parts of s that the file has: a wrong file may lack
// either.
func (w *walker) inSparseTensor(at Place, s *SparseTensor) bool {
	return s == nil || w.tensor == nil || w.inTensor(Place{&at, "values", single}, s.Values) && w.inTensor(Place{&at, "indices", single}, s.Indices)
}
