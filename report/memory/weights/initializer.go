package weights

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer/op"
)

// An initializer is a tensor behind a value, and the name under which it is stored.
type initializer struct {
	tensor *onnxgraph.Tensor
	name   string
}

// source finds the stored tensor that a value is, through enclosing scopes, the
// arguments of a call, and Identity, which exporters use for weights that
// several modules share.
func source(s *onnxgraph.Scope, id onnxgraph.ValueID, args map[onnxgraph.ValueID]initializer) initializer {
	for hops := 0; hops < 64 && s != nil && id != onnxgraph.NoValue; hops++ {
		v := &s.Values[id]
		switch v.Origin {
		case onnxgraph.Initializer:
			return initializer{v.Tensor, v.Name}
		case onnxgraph.OuterScope:
			s, id = s.Parent, v.Outer
		case onnxgraph.NodeOutput:
			n := s.Nodes[v.Producer]
			if memory.IsConstant(n) {
				if a := n.Attribute("value"); a != nil {
					return initializer{a.Tensor, v.Name}
				}
				return initializer{}
			}
			if op.IDOf(n) != (op.ID{Name: "Identity"}) || len(n.Inputs) == 0 {
				return initializer{}
			}
			id = s.NodeInputs(v.Producer)[0]
		case onnxgraph.GraphInput:
			if s.Function != nil {
				return args[id]
			}
			return initializer{}
		default:
			return initializer{}
		}
	}
	return initializer{}
}
