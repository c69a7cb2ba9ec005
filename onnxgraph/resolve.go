package onnxgraph

import (
	"fmt"
	"strconv"
)

// This file turns the names of a model into indices: what a name means, where it
// is made, and what is wrong with it.

// A Program is a model whose names are resolved: the main graph with its
// subgraphs, and every local function.
type Program struct {
	Model     *Model
	Main      *Scope
	Functions map[FunctionKey]*Scope
	Problems  []Problem
}

// A FunctionKey identifies a local function.
type FunctionKey struct {
	Domain, Name, Overload string
}

// FunctionOf is the local function that a node calls, nil where it calls none.
func (p *Program) FunctionOf(n *Node) *Scope {
	return p.Functions[FunctionKey{CanonicalDomain(n.Domain), n.OpType, n.Overload}]
}

// A Problem is something wrong with the names of a graph. Codes are
// append-only.
type Problem struct {
	Code    ProblemCode
	Scope   string // path of the scope
	Node    string // the node, empty when the graph as a whole is meant
	Name    string // the value, function or attribute
	Message string
}

// A ProblemCode says what is wrong.
type ProblemCode string

// The problems that Resolve reports.
const (
	DuplicateName     ProblemCode = "duplicate-name"     // two definitions of a value
	UndefinedInput    ProblemCode = "undefined-input"    // a node reads what nothing defines
	UndefinedOutput   ProblemCode = "undefined-output"   // a graph output that nothing defines
	Cycle             ProblemCode = "cycle"              // nodes that wait for each other
	Unsorted          ProblemCode = "unsorted"           // the file's order is no dependency order
	DuplicateFunction ProblemCode = "duplicate-function" // two functions of one identity
)

// Resolve turns the names of m into indices. It never fails: what is wrong is
// listed in Problems, and the scopes hold the best reading of the rest. It
// takes time and memory linear in the size of the model.
func Resolve(m *Model) *Program {
	p := &Program{Model: m, Functions: make(map[FunctionKey]*Scope, len(m.Functions))}
	for _, f := range m.Functions {
		key := FunctionKey{CanonicalDomain(f.Domain), f.Name, f.Overload}
		if _, ok := p.Functions[key]; ok {
			p.Problems = append(p.Problems, Problem{Code: DuplicateFunction, Name: f.Name,
				Message: fmt.Sprintf("function %s.%s is defined twice; the first is used", f.Domain, f.Name)})
			continue
		}
		p.Functions[key] = p.resolveFunction(f)
	}
	if m.Graph != nil {
		p.Main = p.resolveGraph(m.Graph, nil, 0, "")
	}
	return p
}

func (p *Program) resolveFunction(f *Function) *Scope {
	s := newScope(len(f.Nodes), len(f.Inputs))
	s.Function, s.Nodes = f, f.Nodes
	s.Path = f.Domain + "." + f.Name
	for _, name := range f.Inputs {
		id := p.define(s, Value{Name: name, Origin: GraphInput, IsInput: true, Producer: -1, Outer: NoValue})
		s.Inputs = append(s.Inputs, id)
	}
	p.resolveNodes(s)
	p.declare(s, f.ValueInfos)
	for _, name := range f.Outputs {
		p.output(s, name)
	}
	p.finish(s)
	return s
}

func (p *Program) resolveGraph(g *Graph, parent *Scope, node int32, attr string) *Scope {
	s := newScope(len(g.Nodes), len(g.Inputs)+len(g.Initializers))
	s.Graph, s.Nodes, s.Parent, s.Node, s.Attr = g, g.Nodes, parent, node, attr
	if parent != nil {
		s.Path = NodeLabel(parent.Nodes[node], int(node)) + "/" + attr
		if parent.Path != "" {
			s.Path = parent.Path + "/" + s.Path
		}
	}
	for _, in := range g.Inputs {
		id := p.define(s, Value{Name: in.Name, Origin: GraphInput, IsInput: true, Producer: -1, Outer: NoValue, Declared: in.Type})
		s.Inputs = append(s.Inputs, id)
	}
	for _, t := range g.Initializers {
		p.store(s, t.Name, t, nil)
	}
	for _, t := range g.SparseInitializers {
		if t.Values != nil {
			p.store(s, t.Values.Name, nil, t)
		}
	}
	p.resolveNodes(s)
	p.declare(s, g.ValueInfos)
	for _, out := range g.Outputs {
		id := p.output(s, out.Name)
		if id != NoValue && s.Values[id].Declared == nil {
			s.Values[id].Declared = out.Type
		}
	}
	p.finish(s)
	return s
}

// NodeLabel names a node in paths and messages: its name, or "#" and its index
// in the file's order when it has none.
func NodeLabel(n *Node, index int) string {
	if n.Name != "" {
		return n.Name
	}
	return "#" + strconv.Itoa(index)
}

func newScope(nodes, values int) *Scope {
	return &Scope{
		Values:   make([]Value, 0, values+nodes+nodes/8),
		byName:   make(map[string]ValueID, values+nodes+nodes/8),
		inStart:  make([]int32, 1, nodes+1),
		outStart: make([]int32, 1, nodes+1),
		ins:      make([]ValueID, 0, 2*nodes),
		outs:     make([]ValueID, 0, nodes+nodes/8),
	}
}

func (p *Program) problem(code ProblemCode, s *Scope, node, name, format string, args ...any) {
	p.Problems = append(p.Problems, Problem{code, s.Path, node, name, fmt.Sprintf(format, args...)})
}

// define adds a value; a second definition of a name is a problem and gets an
// index of its own, so that its producer keeps its outputs, but the first one
// is what readers of the name see.
func (p *Program) define(s *Scope, v Value) ValueID {
	id := ValueID(len(s.Values))
	if v.Name != "" {
		if _, ok := s.byName[v.Name]; ok {
			p.problem(DuplicateName, s, "", v.Name, "%q is defined twice; the first definition is used", v.Name)
		} else {
			s.byName[v.Name] = id
		}
	}
	s.Values = append(s.Values, v)
	return id
}

// store adds an initializer. It may be listed as an input too: then it is the
// input's default, and the value counts as stored.
func (p *Program) store(s *Scope, name string, dense *Tensor, sparse *SparseTensor) {
	if id, ok := s.byName[name]; ok && s.Values[id].Origin == GraphInput {
		v := &s.Values[id]
		v.Origin, v.Tensor, v.Sparse = Initializer, dense, sparse
		return
	} else if ok {
		// ONNX Runtime takes the last of two initializers of one name.
		p.problem(DuplicateName, s, "", name, "initializer %q is stored twice; the last one is used", name)
		v := &s.Values[id]
		v.Tensor, v.Sparse = dense, sparse
		return
	}
	p.define(s, Value{Name: name, Origin: Initializer, Producer: -1, Outer: NoValue, Tensor: dense, Sparse: sparse})
}

// resolveNodes first defines what all nodes make, since a file may be
// unsorted, and then looks up what they and their subgraphs read.
func (p *Program) resolveNodes(s *Scope) {
	for i, n := range s.Nodes {
		for slot, name := range n.Outputs {
			id := NoValue
			if name != "" {
				id = p.define(s, Value{Name: name, Origin: NodeOutput, Producer: int32(i), Slot: int32(slot), Outer: NoValue})
			}
			s.outs = append(s.outs, id)
		}
		s.outStart = append(s.outStart, int32(len(s.outs)))
	}
	for i, n := range s.Nodes {
		for _, name := range n.Inputs {
			id := NoValue
			if name != "" {
				id = p.read(s, name, n, i)
			}
			s.ins = append(s.ins, id)
		}
		s.inStart = append(s.inStart, int32(len(s.ins)))
		p.resolveSubgraphs(s, n, int32(i))
	}
}

func (p *Program) resolveSubgraphs(s *Scope, n *Node, i int32) {
	var read map[ValueID]bool
	for name, g := range n.AllSubgraphs() {
		sub := p.resolveGraph(g, s, i, name)
		if s.subgraphs == nil {
			s.subgraphs, s.implicitInputs = map[int32][]*Scope{}, map[int32][]ValueID{}
		}
		s.subgraphs[i] = append(s.subgraphs[i], sub)
		if read == nil {
			read = map[ValueID]bool{}
		}
		s.addImplicitInputs(i, sub, read)
	}
}

// addImplicitInputs lists what a subgraph of node i reads of s and no subgraph of the node
// did before; read are those that some did.
func (s *Scope) addImplicitInputs(i int32, sub *Scope, read map[ValueID]bool) {
	for k := range sub.Values {
		v := &sub.Values[k]
		if v.Origin == OuterScope && !read[v.Outer] {
			read[v.Outer] = true
			s.implicitInputs[i] = append(s.implicitInputs[i], v.Outer)
		}
	}
}

// read finds the value that a name means in s. One that nothing defines is a
// problem, and an undefined value from then on.
func (p *Program) read(s *Scope, name string, n *Node, index int) ValueID {
	if id, ok := s.lookup(name); ok {
		return id
	}
	p.problem(UndefinedInput, s, NodeLabel(n, index), name, "input %q of %s is not defined", name, n.OpType)
	id := ValueID(len(s.Values))
	s.byName[name] = id
	s.Values = append(s.Values, Value{Name: name, Origin: UndefinedName, Producer: -1, Outer: NoValue})
	return id
}

// lookup finds the value that a name means in s: its own, else that of an
// enclosing scope, which becomes an outer-scope value on every level between.
func (s *Scope) lookup(name string) (ValueID, bool) {
	if id, ok := s.byName[name]; ok {
		return id, true
	}
	if s.Parent == nil {
		return NoValue, false
	}
	outer, ok := s.Parent.lookup(name)
	if !ok {
		return NoValue, false
	}
	id := ValueID(len(s.Values))
	s.byName[name] = id
	s.Values = append(s.Values, Value{Name: name, Origin: OuterScope, Producer: -1, Outer: outer})
	return id, true
}

// declare gives values the types of value_info, those that have none from
// elsewhere.
func (p *Program) declare(s *Scope, infos []*ValueInfo) {
	for _, info := range infos {
		if id, ok := s.byName[info.Name]; ok && s.Values[id].Declared == nil && s.Values[id].Origin != OuterScope {
			s.Values[id].Declared = info.Type
		}
	}
}

// output lists a value among the scope's outputs.
func (p *Program) output(s *Scope, name string) ValueID {
	id, ok := s.lookup(name)
	switch {
	case !ok && name == "":
		id = NoValue
	case !ok:
		p.problem(UndefinedOutput, s, "", name, "output %q is not defined", name)
		id = NoValue
	default:
		s.Values[id].IsOutput = true
	}
	s.Outputs = append(s.Outputs, id)
	return id
}
