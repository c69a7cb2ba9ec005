package shapeinfer

import (
	"slices"
	"strconv"
	"strings"

	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file names data-dependent symbols: sizes that are known only at run time.

// A scopeID distinguishes the symbols of one scope from all others. A subgraph has
// the same one each time that it is inferred.
type scopeID int32

// A place is where a symbol is made. Nodes count by their index: names of nodes
// and of values may occur twice, in a wrong file or in two subgraphs.
type place struct {
	scope        scopeID
	node         int32
	output, axis int
}

// A subgraphSite is the k-th subgraph of a node of a scope.
type subgraphSite struct {
	scope scopeID
	node  int32
	k     int
}

// symbolNames gives every place of an inference that makes a symbol a name of
// its own.
type symbolNames struct {
	byPlace   map[place]string
	places    map[string]place // the inverse
	tried     map[string]int   // of a name that many places want: how many numbers are used up
	scopes    []scopeID        // the scope that a subgraph stands in, -1 for the main graph and functions
	subgraphs map[subgraphSite]scopeID
}

func newSymbolNames() symbolNames {
	return symbolNames{byPlace: map[place]string{}, places: map[string]place{}, tried: map[string]int{}, subgraphs: map[subgraphSite]scopeID{}}
}

// newScope is the identity of the main graph's scope, or of one run of a
// function.
func (s *symbolNames) newScope() scopeID {
	s.scopes = append(s.scopes, -1)
	return scopeID(len(s.scopes) - 1)
}

// subgraphScope is the identity of the scopes of a subgraph.
func (s *symbolNames) subgraphScope(b subgraphSite) scopeID {
	id, ok := s.subgraphs[b]
	if !ok {
		s.scopes = append(s.scopes, b.scope)
		id = scopeID(len(s.scopes) - 1)
		s.subgraphs[b] = id
	}
	return id
}

// within reports whether a scope is another one or belongs to a subgraph in it.
func (s *symbolNames) within(id, other scopeID) bool {
	for ; id >= 0; id = s.scopes[id] {
		if id == other {
			return true
		}
	}
	return false
}

// of is the name of a place: the wanted one or, where another place has it or
// the model itself uses it, that one with a number.
func (s *symbolNames) of(at place, wanted string, taken func(name string) bool) string {
	if name, ok := s.byPlace[at]; ok {
		return name
	}
	name := wanted
	for {
		s.tried[wanted]++
		if n := s.tried[wanted]; n > 1 {
			name = wanted + "_" + strconv.Itoa(n)
		}
		if _, ok := s.places[name]; !ok && !taken(name) {
			break
		}
	}
	s.byPlace[at], s.places[name] = name, at
	return name
}

// NewSymbol implements [op.Engine]. The same place of the same scope always gets
// the same name, so that a subgraph that is inferred again reaches a fixpoint;
// different places never share one.
func (f *scopeInference) NewSymbol(o, axis int, lo int64, upper dim.Dim) dim.Dim {
	if f.e.opts.namedDimsOnly() {
		return dim.Unknown()
	}
	output := "node" + strconv.Itoa(int(f.node)) + "_" + strconv.Itoa(o)
	if outs := f.scope.Graph.Nodes[f.node].Outputs; o < len(outs) && outs[o] != "" {
		output = outs[o]
	}
	name := f.e.names.of(place{f.id, f.node, o, axis}, symbolName(output)+"_dim"+strconv.Itoa(axis), f.e.symbols.holds)
	if o < len(f.scope.Graph.Nodes[f.node].Outputs) {
		if d, ok := f.meaning(name, lo, upper); ok {
			return d
		}
	}
	return dim.DataDependent(name, lo, upper)
}

// DefinedIn implements [op.Engine].
func (f *scopeInference) DefinedIn(attr string, d dim.Dim) bool {
	if !d.HasDataDependent() {
		return false
	}
	k, g := f.subgraph(attr)
	if g == nil {
		return false
	}
	inside := f.subgraphID(k)
	return slices.ContainsFunc(d.Symbols(), func(name string) bool {
		at, ok := f.e.names.places[name]
		return ok && f.e.names.within(at.scope, inside)
	})
}

// subgraphID distinguishes the symbols of the k-th subgraph of the node under
// inference from all others.
func (f *scopeInference) subgraphID(k int) scopeID {
	return f.e.names.subgraphScope(subgraphSite{f.id, f.node, k})
}

// unnamedSymbol names the symbol of an unnamed dynamic dim of an input.
func unnamedSymbol(input string, axis int) string {
	return symbolName(input) + "_dim" + strconv.Itoa(axis)
}

// symbolName turns a value's name into one that dim expressions can hold.
func symbolName(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return strings.Trim(b.String(), "_")
}

// withNewSymbols gives the symbols that were made inside a function new names at
// each call: two calls need not agree on a size that depends on run-time
// values. What the arguments brought in stays.
func (f *scopeInference) withNewSymbols(outputs, arguments []tensor.Fact) []tensor.Fact {
	brought := map[string]bool{}
	for i := range arguments {
		eachDim(&arguments[i], func(_ int, d dim.Dim) {
			for _, s := range d.DataDependentSymbols() {
				brought[s.String()] = true
			}
		})
	}
	means := map[string]dim.Dim{}
	for o := range outputs {
		used := map[int]bool{}
		eachDim(&outputs[o], func(axis int, d dim.Dim) {
			for _, s := range d.DataDependentSymbols() {
				name := s.String()
				if _, done := means[name]; done || brought[name] {
					continue
				}
				for used[axis] {
					axis++
				}
				used[axis] = true
				lo, _ := s.Lower()
				means[name] = f.NewSymbol(o, axis, lo, s.UpperExpr())
			}
		})
	}
	if len(means) == 0 {
		return outputs
	}
	renaming := substitution{means: means}
	renamed := make([]tensor.Fact, len(outputs))
	for o, fact := range outputs {
		renamed[o] = renaming.fact(fact)
	}
	return renamed
}

// eachDim visits the dims in all that is known of a value, each with its axis:
// those of its type, those of the elements of a sequence, and its own elements.
func eachDim(fact *tensor.Fact, visit func(axis int, d dim.Dim)) {
	shape := func(t tensor.Type) {
		inner, _ := t.Tensor()
		for axis, d := range inner.Shape.Dims() {
			visit(axis, d)
		}
	}
	shape(fact.Type)
	for _, t := range fact.Items {
		shape(t)
	}
	if fact.Value != nil {
		for i, x := range fact.Value.Elems {
			visit(i, x.Num)
		}
	}
}
