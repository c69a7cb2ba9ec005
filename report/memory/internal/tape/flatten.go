package tape

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
	"onnxmem/report/memory"
	"onnxmem/report/memory/internal/ref"
	"onnxmem/shapeinfer"
)

// This file makes one graph of a model and the functions and branches that it
// calls.

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
		f.g.values.At(n).initializer = v.Tensor
		if v.Tensor == nil && v.Sparse != nil {
			f.g.values.At(n).initializer = v.Sparse.Values
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
			f.g.values.At(n.outs[0]).initializer = a.Tensor
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
