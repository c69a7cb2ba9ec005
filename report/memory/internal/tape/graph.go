package tape

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory/internal/ref"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// A valueID refers to a value of a graph, or to none: an input or output that is
// left out. A nodeID refers to a node.
type (
	valueID = ref.ID[value]
	nodeID  = ref.ID[node]
)

// A graph is a model with functions and branches inlined, so that operators
// can be recognised across their limits.
type graph struct {
	nodes   ref.List[node]
	values  ref.List[value]
	inputs  []valueID
	outputs []valueID
}

// A node is one operator of the flattened graph.
type node struct {
	op     string // canonical name, with the domain before it outside ai.onnx
	proto  *onnxgraph.Node
	scope  *shapeinfer.Scope
	index  int32 // in scope
	root   int32 // in the main graph: the node itself, or the one that it lies in
	path   string
	ins    []valueID
	outs   []valueID
	since  int
	def    *op.Op // what the standard says of the operator; nil where it is not known
	bodies []*shapeinfer.Scope
}

// A value is one tensor of the flattened graph.
type value struct {
	name        string
	fact        *tensor.Fact
	dims        []int64
	known       bool // dims are numbers
	dtype       onnxgraph.DType
	producer    nodeID // none for inputs and stored tensors
	initializer *onnxgraph.Tensor
	input       bool
	constant    bool // known before the model runs, up to stored tensors
	output      bool
	users       []nodeID // nodes, in order, one entry for each reading
}

// attribute finds an attribute of a node, in a function the one that the call
// gave.
func (n *node) attribute(name string) *onnxgraph.Attribute { return n.proto.Attribute(name) }

func (n *node) intAttr(name string, missing int64) int64 {
	if a := n.attribute(name); a != nil && a.RefAttrName == "" {
		return a.Int
	}
	return missing
}

func (n *node) floatAttr(name string, missing float32) float32 {
	if a := n.attribute(name); a != nil && a.RefAttrName == "" {
		return a.Float
	}
	return missing
}

func (n *node) stringAttr(name, missing string) string {
	if a := n.attribute(name); a != nil && a.RefAttrName == "" {
		return a.String
	}
	return missing
}

func (n *node) intsAttr(name string) []int64 {
	if a := n.attribute(name); a != nil {
		return a.Ints
	}
	return nil
}

// number is the value of a constant of one element.
func (g *graph) number(v valueID) (float64, bool) {
	if v.None() {
		return 0, false
	}
	x := g.values.At(v)
	switch {
	case x.fact.Value != nil && len(x.fact.Value.Elems) == 1:
		return x.fact.Value.Elems[0].Float64()
	case x.initializer != nil && product64(x.initializer.Dims) == 1:
		if fs, err := x.initializer.Float64s(1); err == nil && len(fs) == 1 {
			return fs[0], true
		}
	}
	return 0, false
}

// in returns input i, or none.
func (n *node) in(i int) valueID {
	if i < len(n.ins) {
		return n.ins[i]
	}
	return valueID{}
}

// label names a node as people know it.
func (n *node) label() string { return label(n.path, n.proto, n.index) }

func label(path string, n *onnxgraph.Node, i int32) string {
	l := onnxgraph.NodeLabel(n, int(i))
	if path != "" {
		return path + "/" + l
	}
	return l
}

// keepsElements reports whether the output has the elements of the first input,
// in another shape, order or type.
func (n *node) keepsElements() bool { return n.def != nil && n.def.Effect == op.Keeps }

// isView reports whether the first output is the first input under other dims.
func (n *node) isView() bool { return n.def != nil && slices.Contains(n.def.Views, op.View{}) }

// opName is the operator's name, with its domain outside the standard one.
func opName(n *onnxgraph.Node) string {
	if d := onnxgraph.CanonicalDomain(n.Domain); d != "" {
		return d + "::" + n.OpType
	}
	return n.OpType
}

// markConstants finds the values that are known before the model runs, up to
// the contents of stored tensors: nodes of constants, and whatever inference
// knows all elements of.
func (g *graph) markConstants() {
	for _, n := range g.nodes.All() {
		all := len(n.bodies) == 0 && !(n.def != nil && n.def.Random == op.Always)
		if n.def != nil && n.def.ShapeOnly {
			all = true
		} else {
			for _, in := range n.ins {
				all = all && (in.None() || g.values.At(in).constant)
			}
		}
		for _, out := range n.outs {
			if !out.None() {
				g.values.At(out).constant = all || g.values.At(out).fact.Value != nil && g.values.At(out).fact.Value.AllKnown()
			}
		}
	}
}

func (g *graph) listUsers() {
	counts := ref.TableOf[value, int32](&g.values)
	total := 0
	for _, n := range g.nodes.All() {
		for _, in := range n.ins {
			if !in.None() {
				*counts.At(in)++
				total++
			}
		}
	}
	all := make([]nodeID, total)
	for id, v := range g.values.All() {
		n := counts.Get(id)
		v.users, all = all[:0:n], all[n:]
	}
	for i, n := range g.nodes.All() {
		for _, in := range n.ins {
			if !in.None() {
				v := g.values.At(in)
				v.users = append(v.users, i)
			}
		}
	}
}
