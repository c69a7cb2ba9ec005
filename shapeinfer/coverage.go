package shapeinfer

import "onnxmem/onnxgraph"

// Coverage says how much of a model inference could follow: nodes of the main
// graph, of subgraphs that may run, and of the functions called, each once for
// every set of types that it is called with.
type Coverage struct {
	Nodes      int            // nodes met
	Inferred   int            // nodes whose outputs all have known dtype and dims
	UnknownOps map[string]int // "domain::Op" of operators outside the catalogue
}

// coverageOf counts the scopes below the main one. A subgraph that was inferred
// several times counts as it is recorded, once.
func coverageOf(main *Scope) Coverage {
	c := Coverage{UnknownOps: map[string]int{}}
	c.add(main, map[*Scope]bool{})
	return c
}

func (c *Coverage) add(s *Scope, seen map[*Scope]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	for i := range s.Nodes {
		node := &s.Nodes[i]
		if !node.visited {
			continue
		}
		c.Nodes++
		if !node.Failed && s.fullyKnown(s.Graph.NodeOutputs(int32(i))) {
			c.Inferred++
		}
		if node.unknown {
			n := s.Graph.Nodes[i]
			c.UnknownOps[domainName(n.Domain)+"::"+n.OpType]++
		}
		c.add(node.Function, seen)
		for _, sub := range node.Subgraphs {
			c.add(sub, seen)
		}
	}
}

// fullyKnown reports whether all of these values have known dtype and dims.
func (s *Scope) fullyKnown(ids []onnxgraph.ValueID) bool {
	for _, id := range ids {
		if id != onnxgraph.NoValue && !fullyKnown(s.Facts[id].Type) {
			return false
		}
	}
	return true
}

// domainName is the name of an operator domain in messages, where the default
// one can't be empty.
func domainName(domain string) string {
	if onnxgraph.CanonicalDomain(domain) == "" {
		return "ai.onnx"
	}
	return domain
}

// UnknownNodes are nodes of the operators that are not known, the first one of
// each, in the order in which they are met.
func (r *Result) UnknownNodes() []*onnxgraph.Node {
	var nodes []*onnxgraph.Node
	seen := map[string]bool{}
	r.Main.eachScope(map[*Scope]bool{}, func(s *Scope) {
		for i := range s.Nodes {
			n := s.Graph.Nodes[i]
			if name := domainName(n.Domain) + "::" + n.OpType; s.Nodes[i].unknown && !seen[name] {
				seen[name] = true
				nodes = append(nodes, n)
			}
		}
	})
	return nodes
}
