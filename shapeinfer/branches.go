package shapeinfer

import (
	"slices"

	"onnxmem/onnxgraph"
)

// This file finds the inputs that choose a branch.

// BranchInputs are the inputs of the main graph that decide alone which branch
// of an If runs, where nothing says which: use_cache_branch of a decoder that
// holds one graph for its first run and another one for all others. Inference
// with a value for such an input ([Options].Feeds) answers for one branch.
func (r *Result) BranchInputs() []string {
	var names []string
	g := r.Main.Graph
	for i := range r.Main.Nodes {
		bodies := r.Main.Nodes[i].Subgraphs
		if g.Nodes[i].OpType != "If" || len(bodies) != 2 || bodies[0] == nil || bodies[1] == nil {
			continue
		}
		id := firstInput(g, int32(i))
		for range len(g.Nodes) {
			if id == onnxgraph.NoValue || g.Values[id].Origin != onnxgraph.NodeOutput || !passesOne(g.Nodes[g.Values[id].Producer].OpType) {
				break
			}
			id = firstInput(g, g.Values[id].Producer)
		}
		if id == onnxgraph.NoValue || g.Values[id].Origin != onnxgraph.GraphInput {
			continue
		}
		if name := g.Values[id].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func firstInput(g *onnxgraph.Scope, node int32) onnxgraph.ValueID {
	if ids := g.NodeInputs(node); len(ids) > 0 {
		return ids[0]
	}
	return onnxgraph.NoValue
}

// passesOne reports whether an operator hands on one element, or what it
// decides.
func passesOne(operator string) bool {
	switch operator {
	case "Identity", "Not", "Cast", "Squeeze", "Unsqueeze", "Reshape", "Flatten":
		return true
	}
	return false
}
