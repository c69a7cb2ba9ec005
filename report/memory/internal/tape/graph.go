package tape

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
	"onnxmem/report/memory"
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
	name     string
	fact     *tensor.Fact
	dims     []int64
	known    bool // dims are numbers
	dtype    onnxgraph.DType
	producer nodeID // none for inputs and stored tensors
	stored   *onnxgraph.Tensor
	input    bool
	constant bool // known before the model runs, up to stored tensors
	output   bool
	users    []nodeID // nodes, in order, one entry for each reading
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
	case x.stored != nil && product64(x.stored.Dims) == 1:
		if fs, err := x.stored.Float64s(1); err == nil && len(fs) == 1 {
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
	f := &flattener{limit: limit, main: r.Main, g: &graph{nodes: ref.ListOf[node](len(r.Main.Nodes)), values: ref.ListOf[value](len(r.Main.Facts))}}
	env := f.scope(r.Main, "", nil, nil)
	if f.err != nil {
		return nil, f.err
	}
	for _, id := range r.Main.Graph.Outputs {
		if id != onnxgraph.NoValue && !env[id].None() {
			f.g.outputs = append(f.g.outputs, env[id])
			f.g.values.At(env[id]).output = true
		}
	}
	f.g.markConstants()
	f.g.listUsers()
	return f.g, nil
}

var errTooLarge = unknown(finding.TrainingTooDeep, nil)

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
func (f *flattener) scope(s *shapeinfer.Scope, path string, outer, args []valueID) []valueID {
	env := make([]valueID, len(s.Graph.Values))
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
func (f *flattener) outside(s *shapeinfer.Scope, id onnxgraph.ValueID, outer []valueID) valueID {
	v := &s.Graph.Values[id]
	switch v.Origin {
	case onnxgraph.Initializer:
		n := f.value(s, id)
		f.g.values.At(n).stored = v.Tensor
		if v.Tensor == nil && v.Sparse != nil {
			f.g.values.At(n).stored = v.Sparse.Values
		}
		f.g.values.At(n).constant = true
		return n
	case onnxgraph.OuterScope:
		if outer != nil {
			return outer[v.Outer]
		}
	case onnxgraph.GraphInput:
		n := f.value(s, id)
		f.g.values.At(n).input = true
		f.g.inputs = append(f.g.inputs, n)
		return n
	case onnxgraph.NodeOutput:
		return valueID{}
	}
	return f.value(s, id)
}

func (f *flattener) value(s *shapeinfer.Scope, id onnxgraph.ValueID) valueID {
	fact := &s.Facts[id]
	v := value{name: s.Graph.Values[id].Name, fact: fact, dtype: fact.Type.DType}
	if fact.Type.IsTensor() {
		v.dims, v.known = fact.Type.Shape.Ints()
	}
	return f.g.values.Add(v)
}

func (f *flattener) node(s *shapeinfer.Scope, i int32, path string, env []valueID) {
	proto, info := s.Graph.Nodes[i], &s.Nodes[i]
	if s == f.main {
		f.root = i
	}
	ins, outs := s.Graph.NodeInputs(i), s.Graph.NodeOutputs(i)
	args := make([]valueID, len(ins))
	for k, id := range ins {
		if id != onnxgraph.NoValue {
			args[k] = env[id]
		}
	}
	switch {
	case info.Function != nil:
		f.call(s, i, info.Function, path, args, env)
		return
	case proto.OpType == "If" && len(info.Subgraphs) > 0 && onnxgraph.CanonicalDomain(proto.Domain) == "":
		if branch := f.branch(info.Subgraphs); branch != nil {
			f.inline(branch, label(path, proto, i), env, nil, outs, env)
			return
		}
	}
	n := node{op: opName(proto), proto: proto, scope: s, index: i, root: f.root, path: path, ins: args, since: info.Since, def: info.Op, bodies: info.Subgraphs, outs: make([]valueID, len(outs))}
	at := ref.Of[node](f.g.nodes.Len())
	for k, id := range outs {
		if id == onnxgraph.NoValue {
			continue
		}
		v := f.value(s, id)
		f.g.values.At(v).producer = at
		env[id], n.outs[k] = v, v
	}
	if n.op == "Constant" {
		if a := proto.Attribute("value"); a != nil && len(n.outs) > 0 && !n.outs[0].None() {
			f.g.values.At(n.outs[0]).stored = a.Tensor
		}
	}
	f.g.nodes.Add(n)
	if f.g.nodes.Len() > f.limit {
		f.err = errTooLarge
	}
}

// call puts the body of a function in the place of its call.
func (f *flattener) call(s *shapeinfer.Scope, i int32, body *shapeinfer.Scope, path string, args, env []valueID) {
	given := make([]valueID, len(body.Graph.Inputs))
	for k := range given {
		if k < len(args) {
			given[k] = args[k]
		}
	}
	f.inline(body, label(path, s.Graph.Nodes[i], i), nil, given, s.Graph.NodeOutputs(i), env)
}

// inline flattens a body whose outputs become the values outs of env.
func (f *flattener) inline(body *shapeinfer.Scope, path string, outer, args []valueID, outs []onnxgraph.ValueID, env []valueID) {
	if f.depth++; f.depth > 100 {
		f.err = unknown(finding.TrainingTooDeep, func(f *finding.Finding) { f.Node = path })
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
		env[id] = valueID{}
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
