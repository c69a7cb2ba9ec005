package ort

import (
	"slices"

	"onnxmem/onnxgraph"
)

// executionOrder is the order in which the runtime runs the nodes of a graph:
// the order of leaving in a depth-first search against the edges. The nodes
// that nobody reads go onto a stack in ascending index, and so do the producers
// of a node that is taken from it. Constant nodes are weights by then.
func executionOrder(g *onnxgraph.Scope) []int32 {
	n := len(g.Nodes)
	type visit struct {
		node  int32
		leave bool
	}
	var stack []visit
	for i := int32(0); i < int32(n); i++ {
		if !isConstant(g.Nodes[i]) && isLeaf(g, i) {
			stack = append(stack, visit{i, false})
		}
	}
	seen := make([]bool, n)
	order := make([]int32, 0, n)
	var producers []int32
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v.leave {
			order = append(order, v.node)
			continue
		}
		if seen[v.node] {
			continue
		}
		seen[v.node] = true
		stack = append(stack, visit{v.node, true})
		producers = producersOf(g, v.node, producers[:0])
		for _, p := range producers {
			if !seen[p] {
				stack = append(stack, visit{p, false})
			}
		}
	}
	return order
}

func isConstant(n *onnxgraph.Node) bool {
	return n.OpType == "Constant" && onnxgraph.CanonicalDomain(n.Domain) == ""
}

func isLeaf(g *onnxgraph.Scope, i int32) bool {
	for _, id := range g.NodeOutputs(i) {
		if id != onnxgraph.NoValue && len(g.Uses(id)) > 0 {
			return false
		}
	}
	return true
}

// producersOf lists the nodes that make what node i or its bodies read, in
// ascending index.
func producersOf(g *onnxgraph.Scope, i int32, list []int32) []int32 {
	for _, ids := range [][]onnxgraph.ValueID{g.NodeInputs(i), g.ImplicitInputs(i)} {
		for _, id := range ids {
			if id == onnxgraph.NoValue {
				continue
			}
			if p := g.Values[id].Producer; p >= 0 && !isConstant(g.Nodes[p]) {
				list = append(list, p)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
