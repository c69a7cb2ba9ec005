package shapeinfer

import (
	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/annotate"
	"onnxmem/shapeinfer/op"
)

// Annotations are the inferred types as entries for the model's file: in
// value_info for the outputs of nodes, of the main graph, of subgraphs and of
// local functions, and in the graphs' outputs where the file gives them no
// type, no shape or no dim. An entry that agrees with what was inferred stays
// as it is; one of value_info that does not gets the inferred type. What
// inference does not know is not written.
//
// A dim that is no number is written as dim_param, an expression in plain text.
// What holds in one call of a function, or in one iteration of an unrolled loop,
// and not in all of them, is left out.
//
// Where the caller bound symbols or shapes, the types hold for those only, and
// the inputs and outputs are given the bound sizes too.
func (r *Result) Annotations() []annotate.Scope {
	a := annotator{
		uses:    map[*onnxgraph.Scope]*use{},
		unnamed: r.unnamed,
		bound:   len(r.Bindings) > 0 || len(r.Assumed) > 0 || len(r.opts.InputShapes) > 0,
	}
	a.visit(r.Main, false)
	scopes := make([]annotate.Scope, 0, len(a.order))
	for _, g := range a.order {
		scopes = append(scopes, a.scope(g, a.uses[g]))
	}
	return scopes
}

// An annotator holds what is known of each graph and function of a file.
type annotator struct {
	uses    map[*onnxgraph.Scope]*use
	order   []*onnxgraph.Scope
	unnamed map[inputAxis]string // symbols of input dims without a name
	bound   bool                 // by the caller
}

// A use is all that inference found out about one graph or function, in each
// of the calls that lead to it.
type use struct {
	list []*Scope
	seen map[*Scope]bool
	many bool // there are several calls, even if they share their facts
}

// visit collects the scopes below s. A scope is visited once, and once more
// when it turns out to belong to several calls.
func (a *annotator) visit(s *Scope, many bool) {
	u := a.uses[s.Graph]
	if u == nil {
		u = &use{seen: map[*Scope]bool{}}
		a.uses[s.Graph] = u
		a.order = append(a.order, s.Graph)
	} else {
		many = true
	}
	if u.seen[s] && (u.many || !many) {
		return
	}
	if !u.seen[s] {
		u.seen[s] = true
		u.list = append(u.list, s)
	}
	u.many = u.many || many
	for i := range s.Nodes {
		node := &s.Nodes[i]
		if node.Failed {
			continue // its subgraphs were not fully inferred
		}
		if node.Function != nil {
			a.visit(node.Function, u.many)
		}
		for _, sub := range node.Subgraphs {
			if sub != nil && !oneIteration(s, int32(i), sub) {
				a.visit(sub, u.many)
			}
		}
	}
}

// oneIteration reports whether a subgraph's facts are those of one iteration of a loop, or
// of one element of a sequence, among several that differ.
func oneIteration(s *Scope, node int32, sub *Scope) bool {
	switch op.IDOf(s.Graph.Nodes[node]) {
	case op.ID{Name: "Loop"}: // the subgraph was given the iteration number
		if in := sub.Graph.Inputs; len(in) > 0 {
			number := sub.Fact(in[0])
			return number != nil && number.Value != nil && number.Value.AllKnown()
		}
	case op.ID{Name: "SequenceMap"}:
		for _, id := range s.Graph.NodeInputs(node) {
			if fact := s.Fact(id); fact != nil {
				for _, item := range fact.Items {
					if item.String() != fact.Items[0].String() {
						return true
					}
				}
			}
		}
	}
	return false
}

// scope makes the entries of one graph or function.
func (a *annotator) scope(g *onnxgraph.Scope, u *use) annotate.Scope {
	w := scopeWriter{annotator: a, g: g, use: u, out: annotate.Scope{
		Graph: g.Graph, Function: g.Function, Set: map[*onnxgraph.ValueInfo]*onnxgraph.Type{},
	}}
	listed := map[string]bool{}
	if g.Graph != nil {
		if g.Parent == nil && a.bound {
			w.setInputs()
		}
		for i, id := range g.Outputs {
			listed[g.Graph.Outputs[i].Name] = true
			if id != onnxgraph.NoValue {
				w.complete(g.Graph.Outputs[i], w.typeOf(id), a.bound)
			}
		}
		w.setValues(g.Graph.ValueInfos, listed)
	} else {
		w.setValues(g.Function.ValueInfos, listed)
	}
	w.add(listed)
	return w.out
}

// A scopeWriter makes the entries of one graph or function.
type scopeWriter struct {
	*annotator
	g   *onnxgraph.Scope
	use *use
	out annotate.Scope
}

// setInputs gives the main graph's inputs the sizes that the caller bound.
func (w *scopeWriter) setInputs() {
	for i, id := range w.g.Inputs {
		in := w.g.Graph.Inputs[i]
		found := w.typeOf(id)
		for axis, d := range declaredDims(found) {
			if d.Param != "" && d.Param == w.unnamed[inputAxis{in.Name, axis}] {
				// The name was made up for a dynamic dim that nothing binds.
				declaredDims(found)[axis] = onnxgraph.Dim{}
			}
		}
		w.complete(in, found, true)
	}
}

// setValues brings entries of value_info in line with what was inferred.
func (w *scopeWriter) setValues(infos []*onnxgraph.ValueInfo, listed map[string]bool) {
	for _, info := range infos {
		listed[info.Name] = true
		if id, ok := w.g.Lookup(info.Name); ok && w.described(id) {
			w.complete(info, w.typeOf(id), true)
		}
	}
}

// described reports whether value_info describes a value: whether it is made
// by a node or given to a function. Other values have their type elsewhere.
func (w *scopeWriter) described(id onnxgraph.ValueID) bool {
	v := &w.g.Values[id]
	return v.Origin == onnxgraph.NodeOutput || v.Origin == onnxgraph.GraphInput && w.g.Function != nil
}

// add makes entries for values that the file does not list.
func (w *scopeWriter) add(listed map[string]bool) {
	for id := range w.g.Values {
		v := &w.g.Values[id]
		first, _ := w.g.Lookup(v.Name)
		if v.Name == "" || listed[v.Name] || first != onnxgraph.ValueID(id) || !w.described(first) {
			continue
		}
		if t := w.typeOf(first); t != nil {
			w.out.Add = append(w.out.Add, &onnxgraph.ValueInfo{Name: v.Name, Type: t})
		}
	}
}

// complete adds what was found to a declared type. Where the two differ, what
// was found wins if correct is set.
func (w *scopeWriter) complete(info *onnxgraph.ValueInfo, found *onnxgraph.Type, correct bool) {
	c := completion{correct: correct, bound: w.bound}
	if t := c.typ(info.Type, found); c.changed {
		w.out.Set[info] = t
	}
}

// typeOf is what holds of a value in every call, nil when that says nothing.
func (w *scopeWriter) typeOf(id onnxgraph.ValueID) *onnxgraph.Type {
	var t *onnxgraph.Type
	for i, s := range w.use.list {
		found := encodeType(s.Facts[id].Type, !w.use.many)
		if i == 0 {
			t = found
		} else {
			t = commonType(t, found)
		}
	}
	return t
}
