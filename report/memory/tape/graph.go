package tape

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/tensor"
)

// none stands for an input or output that is left out.
const none int32 = -1

// A graph is a model with functions and branches inlined, so that operators
// can be recognised across their limits.
type graph struct {
	nodes   []node
	values  []value
	inputs  []int32
	outputs []int32
}

// A node is one operator of the flattened graph.
type node struct {
	op     string // canonical name, with the domain before it outside ai.onnx
	proto  *onnxgraph.Node
	scope  *shapeinfer.Scope
	index  int32 // in scope
	root   int32 // in the main graph: the node itself, or the one that it lies in
	path   string
	ins    []int32
	outs   []int32
	since  int
	bodies []*shapeinfer.Scope
}

// A value is one tensor of the flattened graph.
type value struct {
	name     string
	fact     *tensor.Fact
	dims     []int64
	known    bool // dims are numbers
	dtype    onnxgraph.DType
	producer int32 // node; none for inputs and stored tensors
	stored   *onnxgraph.Tensor
	input    bool
	constant bool // known before the model runs, up to stored tensors
	output   bool
	users    []int32 // nodes, in order, one entry for each reading
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

// in returns input i, or none.
func (n *node) in(i int) int32 {
	if i < len(n.ins) {
		return n.ins[i]
	}
	return none
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

// A flattener builds a graph.
type flattener struct {
	g     *graph
	err   *UnknownError
	depth int
	limit int // nodes of the flattened graph
	main  *shapeinfer.Scope
	root  int32 // the node of main under way
}

func flatten(r *shapeinfer.Result) (*graph, error) {
	limit := memory.StepLimit(r.Program.Model)
	if (counter{limit: limit, known: map[*shapeinfer.Scope]int{}}).nodes(r.Main) > limit {
		return nil, errTooLarge
	}
	f := &flattener{limit: limit, main: r.Main, g: &graph{nodes: make([]node, 0, len(r.Main.Nodes)), values: make([]value, 0, len(r.Main.Facts))}}
	env := f.scope(r.Main, "", nil, nil)
	if f.err != nil {
		return nil, f.err
	}
	for _, id := range r.Main.Graph.Outputs {
		if id != onnxgraph.NoValue && env[id] != none {
			f.g.outputs = append(f.g.outputs, env[id])
			f.g.values[env[id]].output = true
		}
	}
	f.g.markConstants()
	f.g.listUsers()
	return f.g, nil
}

var errTooLarge = &UnknownError{Reason: "functions call functions too often to follow"}

// A counter counts the nodes of flattened scopes before any is made.
type counter struct {
	limit int
	known map[*shapeinfer.Scope]int
}

// nodes is the number of nodes of a scope with the functions that it calls,
// some number above the limit where that is.
func (c counter) nodes(s *shapeinfer.Scope) int {
	if n, ok := c.known[s]; ok {
		return n
	}
	n := len(s.Nodes)
	for i := range s.Nodes {
		if body := s.Nodes[i].Function; body != nil && n <= c.limit {
			n += c.nodes(body) - 1
		}
	}
	c.known[s] = n
	return n
}

// scope flattens the nodes of a graph, of a branch (outer holds the values of
// the graph around it), or of a function (args are what the call gives), and
// returns the numbers of its values.
func (f *flattener) scope(s *shapeinfer.Scope, path string, outer, args []int32) []int32 {
	env := make([]int32, len(s.Graph.Values))
	for i := range env {
		env[i] = f.outside(s, onnxgraph.ValueID(i), outer)
	}
	for slot, id := range s.Graph.Inputs {
		if slot < len(args) {
			env[id] = args[slot]
		}
	}
	for _, i := range s.Graph.Order {
		if f.err != nil {
			return env
		}
		f.node(s, i, path, env)
	}
	return env
}

// outside makes the values that no node of the scope makes.
func (f *flattener) outside(s *shapeinfer.Scope, id onnxgraph.ValueID, outer []int32) int32 {
	v := &s.Graph.Values[id]
	switch v.Origin {
	case onnxgraph.Stored:
		n := f.value(s, id)
		f.g.values[n].stored = v.Tensor
		if v.Tensor == nil && v.Sparse != nil {
			f.g.values[n].stored = v.Sparse.Values
		}
		f.g.values[n].constant = true
		return n
	case onnxgraph.Captured:
		if outer != nil {
			return outer[v.Outer]
		}
	case onnxgraph.GraphInput:
		n := f.value(s, id)
		f.g.values[n].input = true
		f.g.inputs = append(f.g.inputs, n)
		return n
	case onnxgraph.NodeOutput:
		return none
	}
	return f.value(s, id)
}

func (f *flattener) value(s *shapeinfer.Scope, id onnxgraph.ValueID) int32 {
	fact := &s.Facts[id]
	v := value{name: s.Graph.Values[id].Name, fact: fact, dtype: fact.Type.DType, producer: none}
	if fact.Type.IsTensor() {
		v.dims, v.known = fact.Type.Shape.Ints()
	}
	f.g.values = append(f.g.values, v)
	return int32(len(f.g.values) - 1)
}

func (f *flattener) node(s *shapeinfer.Scope, i int32, path string, env []int32) {
	proto, info := s.Graph.Nodes[i], &s.Nodes[i]
	if s == f.main {
		f.root = i
	}
	ins, outs := s.Graph.NodeInputs(i), s.Graph.NodeOutputs(i)
	args := make([]int32, len(ins))
	for k, id := range ins {
		args[k] = none
		if id != onnxgraph.NoValue {
			args[k] = env[id]
		}
	}
	switch {
	case info.Function != nil:
		f.call(s, i, info.Function, path, args, env)
		return
	case proto.OpType == "If" && len(info.Bodies) > 0 && onnxgraph.CanonicalDomain(proto.Domain) == "":
		if branch := f.branch(info.Bodies); branch != nil {
			f.inline(branch, label(path, proto, i), env, nil, outs, env)
			return
		}
	}
	n := node{op: opName(proto), proto: proto, scope: s, index: i, root: f.root, path: path, ins: args, since: info.Since, bodies: info.Bodies, outs: make([]int32, len(outs))}
	for k, id := range outs {
		n.outs[k] = none
		if id == onnxgraph.NoValue {
			continue
		}
		v := f.value(s, id)
		f.g.values[v].producer = int32(len(f.g.nodes))
		env[id], n.outs[k] = v, v
	}
	if n.op == "Constant" {
		if a := proto.Attribute("value"); a != nil && len(n.outs) > 0 && n.outs[0] != none {
			f.g.values[n.outs[0]].stored = a.Tensor
		}
	}
	f.g.nodes = append(f.g.nodes, n)
	if len(f.g.nodes) > f.limit {
		f.err = errTooLarge
	}
}

// call puts the body of a function in the place of its call.
func (f *flattener) call(s *shapeinfer.Scope, i int32, body *shapeinfer.Scope, path string, args, env []int32) {
	given := make([]int32, len(body.Graph.Inputs))
	for k := range given {
		given[k] = none
		if k < len(args) {
			given[k] = args[k]
		}
	}
	f.inline(body, label(path, s.Graph.Nodes[i], i), nil, given, s.Graph.NodeOutputs(i), env)
}

// inline flattens a body whose outputs become the values outs of env.
func (f *flattener) inline(body *shapeinfer.Scope, path string, outer, args []int32, outs []onnxgraph.ValueID, env []int32) {
	if f.depth++; f.depth > 100 {
		f.err = &UnknownError{Node: path, Reason: "functions nest too deep"}
		return
	}
	inputs := len(f.g.inputs)
	made := f.scope(body, path, outer, args)
	f.g.inputs = f.g.inputs[:inputs] // those of a function are arguments
	f.depth--
	for k, id := range outs {
		if id == onnxgraph.NoValue {
			continue
		}
		env[id] = none
		if k < len(body.Graph.Outputs) && body.Graph.Outputs[k] != onnxgraph.NoValue {
			env[id] = made[body.Graph.Outputs[k]]
		}
	}
}

// branch is the branch of an If that training takes: the one that inference
// left, or the longer one.
func (f *flattener) branch(bodies []*shapeinfer.Scope) *shapeinfer.Scope {
	var best *shapeinfer.Scope
	for _, b := range bodies {
		if b != nil && (best == nil || len(b.Nodes) > len(best.Nodes)) {
			best = b
		}
	}
	return best
}

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
	for i := range g.nodes {
		n := &g.nodes[i]
		all := len(n.bodies) == 0 && !random[n.op]
		if n.op == "Shape" || n.op == "Size" {
			all = true
		} else {
			for _, in := range n.ins {
				all = all && (in == none || g.values[in].constant)
			}
		}
		for _, out := range n.outs {
			if out != none {
				g.values[out].constant = all || g.values[out].fact.Value != nil && g.values[out].fact.Value.AllKnown()
			}
		}
	}
}

// random lists operators without inputs whose outputs are no constants.
var random = map[string]bool{
	"RandomNormal": true, "RandomUniform": true, "RandomNormalLike": true, "RandomUniformLike": true, "Bernoulli": true, "Multinomial": true,
}

func (g *graph) listUsers() {
	counts := make([]int32, len(g.values))
	total := 0
	for i := range g.nodes {
		for _, in := range g.nodes[i].ins {
			if in != none {
				counts[in]++
				total++
			}
		}
	}
	all := make([]int32, total)
	for v, n := range counts {
		g.values[v].users, all = all[:0:n], all[n:]
	}
	for i := range g.nodes {
		for _, in := range g.nodes[i].ins {
			if in != none {
				g.values[in].users = append(g.values[in].users, int32(i))
			}
		}
	}
}
