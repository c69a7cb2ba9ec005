package liveness

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
)

// folds returns the test whether an output of node i is known before the model
// runs: every input is a constant, or the node only looks at its input's shape,
// and inference knows all elements of the output. Larger constants that a
// runtime may compute ahead fold only on demand, since their bytes do not
// vanish: they move to the weights.
func (f *frame) folds(i int32, info *shapeinfer.Node) func(onnxgraph.ValueID) bool {
	never := func(onnxgraph.ValueID) bool { return false }
	node := f.scope.Graph.Nodes[i]
	if len(info.Bodies) > 0 || info.Op == nil || info.Function != nil || unfoldable[node.OpType] {
		return never
	}
	ins := f.scope.Graph.NodeInputs(i)
	if !LooksAtShapeOnly[node.OpType] {
		given := false
		for _, id := range ins {
			if id == onnxgraph.NoValue {
				continue
			}
			if !f.folded[id] {
				return never
			}
			given = true
		}
		if !given {
			return never
		}
	}
	return func(id onnxgraph.ValueID) bool {
		if f.b.opts.FoldConstants && !LooksAtShapeOnly[node.OpType] {
			return true
		}
		v := f.scope.Facts[id].Value
		if v == nil {
			return false
		}
		for _, x := range v.Elems {
			if _, ok := x.Float64(); !ok && !x.IsText {
				return false
			}
		}
		return true
	}
}

// LooksAtShapeOnly lists operators whose result hangs on the shape of their
// input, not on its elements.
var LooksAtShapeOnly = map[string]bool{"Shape": true, "Size": true}

// unfoldable lists operators that no runtime computes ahead: random ones, and
// the two that keep quantised weights small.
var unfoldable = map[string]bool{
	"RandomNormal": true, "RandomNormalLike": true, "RandomUniform": true, "RandomUniformLike": true,
	"Multinomial": true, "Bernoulli": true, "Dropout": true,
	"QuantizeLinear": true, "DequantizeLinear": true,
}
