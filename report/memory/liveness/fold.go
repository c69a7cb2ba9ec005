package liveness

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/op"
)

// folds returns the test whether an output of node i is known before the model
// runs: every input is a constant, or the node only looks at its input's shape,
// and inference knows all elements of the output. Larger constants that a
// runtime may compute ahead fold only on demand, since their bytes do not
// vanish: they move to the weights.
func (f *frame) folds(i int32, info *shapeinfer.Node) func(onnxgraph.ValueID) bool {
	never := func(onnxgraph.ValueID) bool { return false }
	if len(info.Subgraphs) > 0 || info.Op == nil || info.Function != nil || !foldable(info.Op) {
		return never
	}
	ins := f.scope.Graph.NodeInputs(i)
	if !info.Op.ShapeOnly {
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
		if f.b.opts.FoldConstants && !info.Op.ShapeOnly {
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

// foldable reports whether runtimes compute an operator ahead: not random ones,
// nor the two that keep quantized weights small.
func foldable(o *op.Op) bool { return o.Random == op.Never && !keptQuantized[o.ID()] }

var keptQuantized = map[op.ID]bool{{Name: "QuantizeLinear"}: true, {Name: "DequantizeLinear"}: true}
