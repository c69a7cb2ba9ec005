package ort

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/op/catalogue"
)

// inline replaces calls of local functions, and standard functions that the CPU
// provider has no kernel for, by their bodies, again and again until there are
// none. A node's place in the graph decides when it runs: inlined nodes go to
// the end, in the order of the calls.
func (l *loader) inline() error {
	limit := memory.StepLimit(l.model)
	for range 100 {
		in := &inliner{l: l, program: l.resolved(), left: limit}
		g, err := in.once()
		if err != nil {
			return err
		}
		if in.left < 0 { // before the next test: nothing is replaced then, either
			return ErrTooLarge
		}
		if g == l.model.Graph {
			return nil
		}
		l.replace(g)
	}
	return ErrTooLarge
}

type inliner struct {
	l       *loader
	program *onnxgraph.Program
	left    int // nodes that may still be added
}

func (in *inliner) once() (*onnxgraph.Graph, error) {
	l := in.l
	if in.needsTypes(in.program.Main) {
		r, err := l.types()
		if err != nil {
			return nil, err
		}
		return in.graph(l.model.Graph, in.program.Main, r.Main), nil
	}
	return in.graph(l.model.Graph, in.program.Main, nil), nil
}

// needsTypes reports whether a graph holds standard functions whose inlining
// hangs on types.
func (in *inliner) needsTypes(s *onnxgraph.Scope) bool {
	for i, n := range s.Nodes {
		if in.program.FunctionOf(n) == nil {
			if _, ok := findBody(n); ok {
				return true
			}
		}
		for _, body := range s.Subgraphs(int32(i)) {
			if in.needsTypes(body) {
				return true
			}
		}
	}
	return false
}

// graph inlines the calls of one graph and of its bodies. types is nil where
// nothing hangs on them.
func (in *inliner) graph(g *onnxgraph.Graph, s *onnxgraph.Scope, types *shapeinfer.Scope) *onnxgraph.Graph {
	nodes := make([]*onnxgraph.Node, 0, len(g.Nodes))
	var added []*onnxgraph.Node
	same := true
	for i, n := range g.Nodes {
		if in.left < 0 {
			return g
		}
		if body := in.expand(int32(i), n, types); body != nil {
			in.left -= len(body)
			added = append(added, body...)
			same = false
			continue
		}
		next := mapBodies(n, func(k int, body *onnxgraph.Graph) *onnxgraph.Graph {
			return in.graph(body, s.Subgraphs(int32(i))[k], bodyOf(types, int32(i), k))
		})
		same = same && next == n
		nodes = append(nodes, next)
	}
	if same {
		return g
	}
	return withNodes(g, append(nodes, added...))
}

func bodyOf(types *shapeinfer.Scope, i int32, k int) *shapeinfer.Scope {
	if types == nil || k >= len(types.Nodes[i].Subgraphs) {
		return nil
	}
	return types.Nodes[i].Subgraphs[k]
}

// expand is the body of a call, nil where the node stays.
func (in *inliner) expand(i int32, n *onnxgraph.Node, types *shapeinfer.Scope) []*onnxgraph.Node {
	if f := in.program.FunctionOf(n); f != nil && f.Function != nil && !in.hasKernel(n) {
		in.l.importOpsets(f.Function.OpsetImports)
		return in.l.call(n, f.Function)
	}
	if types == nil {
		return nil
	}
	body, ok := findBody(n)
	if !ok {
		return nil
	}
	opset, _ := in.l.model.Opset("")
	c := bodyCall{node: n, index: i, types: types, opset: opset, float16: in.l.float16}
	if f := body.body(&c); f != nil {
		return in.l.call(n, f)
	}
	return nil
}

// hasKernel reports whether the runtime knows the operator itself: then a
// function of the same name is not used.
func (in *inliner) hasKernel(n *onnxgraph.Node) bool {
	return catalogue.Default().Has(n.Domain, n.OpType)
}

// call copies the body of a function under new names, with the arguments and
// attributes of a call in place of the formal ones.
func (l *loader) call(n *onnxgraph.Node, f *onnxgraph.Function) []*onnxgraph.Node {
	c := &copier{l: l, prefix: n.OpType, names: map[string]string{"": ""}, attrs: map[string]*onnxgraph.Attribute{}}
	for i, name := range f.Inputs {
		c.names[name] = ""
		if i < len(n.Inputs) {
			c.names[name] = n.Inputs[i]
		}
	}
	var passed []*onnxgraph.Node
	for i, name := range f.Outputs {
		if i >= len(n.Outputs) || n.Outputs[i] == "" {
			continue
		}
		if from, isInput := c.names[name]; isInput {
			// The function returns an argument: the value gets a second name.
			passed = append(passed, &onnxgraph.Node{OpType: "Identity", Inputs: []string{from}, Outputs: []string{n.Outputs[i]}})
			continue
		}
		c.names[name] = n.Outputs[i]
	}
	for _, a := range f.AttributeDefaults {
		c.attrs[a.Name] = a
	}
	for _, a := range n.Attributes {
		c.attrs[a.Name] = a
	}
	nodes := make([]*onnxgraph.Node, 0, len(f.Nodes)+len(passed))
	for _, b := range f.Nodes {
		nodes = append(nodes, c.node(b))
	}
	return append(nodes, passed...)
}

// A copier copies nodes under new names.
type copier struct {
	l      *loader
	prefix string
	names  map[string]string
	attrs  map[string]*onnxgraph.Attribute
}

func (c *copier) name(old string) string {
	if name, ok := c.names[old]; ok {
		return name
	}
	name := c.l.names.fresh("_inlfunc_" + c.prefix + "_" + old)
	c.names[old] = name
	return name
}

func (c *copier) node(n *onnxgraph.Node) *onnxgraph.Node {
	copied := &onnxgraph.Node{OpType: n.OpType, Domain: n.Domain, Overload: n.Overload}
	for _, name := range n.Inputs {
		copied.Inputs = append(copied.Inputs, c.name(name))
	}
	for _, name := range n.Outputs {
		copied.Outputs = append(copied.Outputs, c.name(name))
	}
	for _, a := range n.Attributes {
		if a = c.attribute(a); a != nil {
			copied.Attributes = append(copied.Attributes, a)
		}
	}
	return copied
}

// attribute puts what the call gives in place of a reference; nil where it
// gives nothing. Graphs in it read the copied names.
func (c *copier) attribute(a *onnxgraph.Attribute) *onnxgraph.Attribute {
	if a.RefAttrName != "" {
		value := c.attrs[a.RefAttrName]
		if value == nil {
			return nil
		}
		named := *value
		named.Name = a.Name
		return &named
	}
	if a.Graph == nil && len(a.Graphs) == 0 {
		return a
	}
	copied := *a
	if a.Graph != nil {
		copied.Graph = c.body(a.Graph)
	}
	copied.Graphs = nil
	for _, g := range a.Graphs {
		copied.Graphs = append(copied.Graphs, c.body(g))
	}
	return &copied
}

// body copies a graph inside the function. Its own names stay, since they hide
// others; what it reads from outside is renamed.
func (c *copier) body(g *onnxgraph.Graph) *onnxgraph.Graph {
	inner := &copier{l: c.l, prefix: c.prefix, attrs: c.attrs, names: map[string]string{"": ""}}
	for _, v := range g.Inputs {
		inner.names[v.Name] = v.Name
	}
	for _, t := range g.Initializers {
		inner.names[t.Name] = t.Name
	}
	for _, t := range g.SparseInitializers {
		if t.Values != nil {
			inner.names[t.Values.Name] = t.Values.Name
		}
	}
	for _, n := range g.Nodes {
		for _, name := range n.Outputs {
			inner.names[name] = name
		}
	}
	copied := *g
	copied.Nodes = nil
	outer := func(n *onnxgraph.Node) {
		for _, name := range n.Inputs {
			if _, own := inner.names[name]; !own {
				inner.names[name] = c.name(name)
			}
		}
	}
	for _, n := range g.Nodes {
		outer(n)
		inner.capture(n, c)
		copied.Nodes = append(copied.Nodes, inner.node(n))
	}
	copied.Outputs = nil
	for _, v := range g.Outputs {
		if _, own := inner.names[v.Name]; !own {
			renamed := *v
			renamed.Name = c.name(v.Name)
			v = &renamed
		}
		copied.Outputs = append(copied.Outputs, v)
	}
	return &copied
}

// capture gives names that graphs inside a body read from outside of it their
// new names.
func (c *copier) capture(n *onnxgraph.Node, outside *copier) {
	for _, g := range n.AllSubgraphs() {
		own := map[string]bool{}
		for _, v := range g.Inputs {
			own[v.Name] = true
		}
		for _, t := range g.Initializers {
			own[t.Name] = true
		}
		for _, m := range g.Nodes {
			for _, name := range m.Outputs {
				own[name] = true
			}
		}
		read := func(name string) {
			if _, known := c.names[name]; !known && !own[name] {
				c.names[name] = outside.name(name)
			}
		}
		for _, m := range g.Nodes {
			for _, name := range m.Inputs {
				read(name)
			}
			c.capture(m, outside)
		}
		for _, v := range g.Outputs {
			read(v.Name)
		}
	}
}
