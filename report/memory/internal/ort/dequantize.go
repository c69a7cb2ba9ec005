package ort

import (
	"onnxmem/onnxgraph"
)

// repeatDequantize makes a DequantizeLinear for each reader of one that has
// several, so that each of them can later fuse with its own. The first reader
// keeps the original, unless the graph or a body needs it; the copies go to the
// end of the graph. Source: ensure_unique_dq_for_node_unit.cc.
func (l *loader) repeatDequantize() error {
	found := false
	for _, n := range l.model.Graph.Nodes {
		found = found || n.OpType == "DequantizeLinear"
	}
	if !found {
		return nil
	}
	s := l.resolved().Main
	nodes := append([]*onnxgraph.Node(nil), l.model.Graph.Nodes...)
	changed := false
	for _, i := range executionOrder(s) {
		if nodes[i].OpType != "DequantizeLinear" || len(s.NodeOutputs(i)) == 0 {
			continue
		}
		out := s.NodeOutputs(i)[0]
		if out == onnxgraph.NoValue {
			continue
		}
		keeps := !s.Values[out].IsOutput
		for _, u := range s.Uses(out) {
			keeps = keeps && u.Slot >= 0
		}
		for _, u := range s.Uses(out) {
			if u.Slot < 0 {
				continue
			}
			if keeps {
				keeps = false
				continue
			}
			name := l.names.fresh(s.Values[out].Name)
			copied := *nodes[i]
			copied.Name, copied.Outputs = "", []string{name}
			nodes = append(nodes, &copied)
			reader := *nodes[u.Node]
			reader.Inputs = append([]string(nil), reader.Inputs...)
			reader.Inputs[u.Slot] = name
			nodes[u.Node] = &reader
			changed = true
		}
	}
	if changed {
		l.replace(withNodes(l.model.Graph, nodes))
	}
	return nil
}
