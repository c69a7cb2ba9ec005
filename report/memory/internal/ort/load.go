package ort

import (
	"errors"
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
)

// load makes the model that the runtime executes with optimisations off, and its
// types at load time. changed is false when it is the model as it is; reason says
// what of it cannot be planned.
func load(p *onnxgraph.Program, with provider) (known *shapeinfer.Result, changed bool, reason string, err error) {
	l := &loader{model: p.Model, program: p, names: newNameSource(), float16: with.float16}
	l.names.takeFrom(p.Main)
	for _, pass := range []func() error{l.inline, l.repeatDequantize, l.castFloat16, l.dropCasts} {
		if err := pass(); err != nil {
			return nil, false, "", err
		}
	}
	if known, err = l.types(); err == nil {
		reason = l.notPlanned(known.Main)
	}
	return known, l.changed, reason, err
}

// A loader rewrites a model step by step. It never changes what it was given:
// graphs and nodes that change are copies.
type loader struct {
	model   *onnxgraph.Model
	program *onnxgraph.Program // of model; nil after a change until somebody asks
	known   *shapeinfer.Result // its types at load time; likewise
	names   *nameSource
	changed bool
	float16 bool // kernels take float16
}

// ErrTooLarge says that functions that call functions grow a model beyond what
// is followed.
var ErrTooLarge = errors.New("ort: functions make more nodes than are followed")

// resolved is the model with its names resolved.
func (l *loader) resolved() *onnxgraph.Program {
	if l.program == nil || l.program.Model != l.model {
		l.program, l.known = onnxgraph.Resolve(l.model), nil
	}
	return l.program
}

// types are those that the runtime's inference finds.
func (l *loader) types() (*shapeinfer.Result, error) {
	if program := l.resolved(); l.known == nil {
		r, err := shapeinfer.InferProgram(program, shapeinfer.Options{Policy: loadPolicy{}})
		if err != nil {
			return nil, err
		}
		l.known = r
	}
	return l.known, nil
}

// replace takes a new main graph.
func (l *loader) replace(g *onnxgraph.Graph) {
	if g == l.model.Graph {
		return
	}
	m := *l.model
	m.Graph = g
	l.model, l.program, l.known, l.changed = &m, nil, nil, true
}

// importOpsets adds the operator domains that a function uses and the model
// does not.
func (l *loader) importOpsets(imports []onnxgraph.OpsetImport) {
	for _, imp := range imports {
		if _, ok := l.model.Opset(imp.Domain); !ok {
			m := *l.model
			m.OpsetImports = append(slices.Clone(m.OpsetImports), imp)
			l.model = &m
		}
	}
}

// withNodes is a copy of g with other nodes.
func withNodes(g *onnxgraph.Graph, nodes []*onnxgraph.Node) *onnxgraph.Graph {
	copied := *g
	copied.Nodes = nodes
	return &copied
}

// mapBodies rewrites the graphs in the attributes of a node; the node itself
// when none changes. f gets the index of the graph among the node's bodies.
func mapBodies(n *onnxgraph.Node, f func(k int, g *onnxgraph.Graph) *onnxgraph.Graph) *onnxgraph.Node {
	var copied *onnxgraph.Node
	k := 0
	for i, a := range n.Attributes {
		if a.Graph == nil && len(a.Graphs) == 0 {
			continue
		}
		next := *a
		same := true
		if a.Graph != nil {
			next.Graph = f(k, a.Graph)
			same = next.Graph == a.Graph
			k++
		}
		next.Graphs = slices.Clone(a.Graphs)
		for j, g := range a.Graphs {
			next.Graphs[j] = f(k, g)
			same = same && next.Graphs[j] == g
			k++
		}
		if same {
			continue
		}
		if copied == nil {
			c := *n
			c.Attributes = slices.Clone(n.Attributes)
			copied = &c
		}
		copied.Attributes[i] = &next
	}
	if copied == nil {
		return n
	}
	return copied
}
