package weights

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
)

// NameGlobs say by name which parameters train. Without Trainable all of them
// do but those of Freeze; with it only those that it names, Freeze still going
// first.
//
// A glob matches a parameter if it matches its name, or the label of a node
// that reads it, directly or through nodes that only turn it: exporters give
// many weights names of their own, and only the nodes say which layer it is. In
// a glob * stands for any characters, slashes and dots too, and ? for one.
type NameGlobs struct{ Freeze, Trainable []string }

// None reports whether there are no globs.
func (g NameGlobs) None() bool { return len(g.Freeze)+len(g.Trainable) == 0 }

// Select is a copy of the weights of a program in which the parameters that do
// not train by their names are Frozen. unmatched are the globs that match no
// parameter.
func (w *Set) Select(p *onnxgraph.Program, g NameGlobs) (selected *Set, unmatched []string) {
	if g.None() {
		return w, nil
	}
	labels := readerLabels(p)
	used := map[string]bool{}
	matches := func(globs []string, t *Tensor) bool {
		matched := false
		for _, glob := range globs {
			fits := func(name string) bool { return MatchName(glob, name) }
			if fits(t.Name) || t.Tensor != nil && slices.ContainsFunc(labels[t.Tensor], fits) {
				used[glob], matched = true, true
			}
		}
		return matched
	}
	selected = &Set{
		Tensors: slices.Clone(w.Tensors), Folded: w.Folded, Normed: w.Normed, Notes: w.Notes,
		BytesByDType: map[onnxgraph.DType]int64{}, ElementsByDType: map[onnxgraph.DType]int64{},
	}
	for i := range selected.Tensors {
		t := &selected.Tensors[i]
		if t.open && g.names(t.Name) {
			// What only its name or its contents took for a constant.
			for _, glob := range g.Trainable {
				used[glob] = used[glob] || MatchName(glob, t.Name)
			}
			t.Role = Trainable
		}
		if t.Role != Trainable {
			continue
		}
		frozen, chosen := matches(g.Freeze, t), matches(g.Trainable, t)
		if frozen || len(g.Trainable) > 0 && !chosen {
			t.Role = Frozen
		}
	}
	selected.total()
	for _, glob := range slices.Concat(g.Freeze, g.Trainable) {
		if !used[glob] {
			unmatched = append(unmatched, glob)
		}
	}
	return selected, unmatched
}

// names reports whether a glob of those that train matches a name itself.
func (g NameGlobs) names(name string) bool {
	return slices.ContainsFunc(g.Trainable, func(glob string) bool { return MatchName(glob, name) })
}

// readerLabels lists the labels of the nodes that read each stored tensor, as
// [Step.Label] has them: in functions after the path of calls, in bodies after
// that of the node around them.
func readerLabels(p *onnxgraph.Program) map[*onnxgraph.Tensor][]string {
	l := &labeller{program: p, budget: memory.StepLimit(p.Model), labels: map[*onnxgraph.Tensor][]string{}}
	l.scope(p.Main, nil, "", 0)
	return l.labels
}

type labeller struct {
	program *onnxgraph.Program
	budget  int // nodes that are still looked at
	labels  map[*onnxgraph.Tensor][]string
}

func (l *labeller) scope(s *onnxgraph.Scope, args map[onnxgraph.ValueID]initializer, path string, depth int) {
	if s == nil || depth > memory.MaxDepth {
		return
	}
	for i, n := range s.Nodes {
		if l.budget--; l.budget < 0 {
			return
		}
		label := onnxgraph.NodeLabel(n, i)
		if path != "" {
			label = path + "/" + label
		}
		given := map[onnxgraph.ValueID]initializer{}
		for _, id := range s.NodeInputs(int32(i)) {
			if from := transposed(s, id, args); from.tensor != nil {
				l.labels[from.tensor] = append(l.labels[from.tensor], label)
				given[id] = from
			}
		}
		for _, body := range s.Subgraphs(int32(i)) {
			l.scope(body, args, label, depth+1)
		}
		if f := l.program.FunctionOf(n); f != nil {
			l.scope(f, bindArguments(f, s.NodeInputs(int32(i)), given), label, depth+1)
		}
	}
}

// bindArguments are what the inputs of a function are in a call.
func bindArguments(f *onnxgraph.Scope, ins []onnxgraph.ValueID, given map[onnxgraph.ValueID]initializer) map[onnxgraph.ValueID]initializer {
	args := map[onnxgraph.ValueID]initializer{}
	for slot, id := range f.Inputs {
		if slot < len(ins) {
			if from, ok := given[ins[slot]]; ok {
				args[id] = from
			}
		}
	}
	return args
}

// transposed finds the stored tensor that a value is, through nodes that only turn
// it.
func transposed(s *onnxgraph.Scope, id onnxgraph.ValueID, args map[onnxgraph.ValueID]initializer) initializer {
	for range 16 {
		if from := source(s, id, args); from.tensor != nil || id == onnxgraph.NoValue {
			return from
		}
		v := &s.Values[id]
		if v.Origin != onnxgraph.NodeOutput || !keepsElements(s.Nodes[v.Producer]) || len(s.NodeInputs(v.Producer)) == 0 {
			return initializer{}
		}
		id = s.NodeInputs(v.Producer)[0]
	}
	return initializer{}
}

// keepsElements reports whether a node gives its input's elements in another
// shape, order or type, as nodes do that exporters put between a weight and its
// reader.
func keepsElements(n *onnxgraph.Node) bool {
	o := catalogue.Default().Newest(op.IDOf(n))
	return o != nil && o.Effect == op.Keeps
}
