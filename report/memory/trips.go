package memory

import (
	"onnxmem/onnxgraph"
)

// trips is how often a Loop runs: its first input, where that is a known
// number and the condition is left out or a known truth that the body returns
// unchanged. 0 where it is not known.
// https://onnx.ai/onnx/operators/onnx__Loop.html
func (f *frame) trips(i int32) int64 {
	ins := f.scope.Graph.NodeInputs(i)
	n, ok := f.intOf(ins, 0)
	if !ok || n <= 0 {
		return 0
	}
	body := f.scope.Nodes[i].Bodies[0]
	if body == nil || len(body.Graph.Outputs) == 0 {
		return 0
	}
	// With a condition the loop may stop early, unless the condition stays true.
	if len(ins) > 1 && ins[1] != onnxgraph.NoValue {
		cond, known := f.intOf(ins, 1)
		if !known || cond == 0 {
			return 0
		}
	}
	out := body.Graph.Outputs[0]
	if out == onnxgraph.NoValue {
		return 0
	}
	if v := body.Facts[out].Value; v != nil && len(v.Elems) == 1 {
		if c, known := v.Elems[0].Int64(); known && c != 0 {
			return n
		}
	}
	if passesThrough(body.Graph, out) {
		return n
	}
	return 0
}

// passesThrough reports whether a body's condition is its own condition input,
// unchanged.
func passesThrough(g *onnxgraph.Scope, out onnxgraph.ValueID) bool {
	for hops := 0; hops < 16; hops++ {
		v := &g.Values[out]
		if v.Origin == onnxgraph.GraphInput {
			return len(g.Inputs) > 1 && g.Inputs[1] == out
		}
		if v.Origin != onnxgraph.NodeOutput || g.Nodes[v.Producer].OpType != "Identity" {
			return false
		}
		if out = g.NodeInputs(v.Producer)[0]; out == onnxgraph.NoValue {
			return false
		}
	}
	return false
}

func (f *frame) intOf(ins []onnxgraph.ValueID, slot int) (int64, bool) {
	if slot >= len(ins) || ins[slot] == onnxgraph.NoValue {
		return 0, false
	}
	if v := f.scope.Facts[ins[slot]].Value; v != nil && len(v.Elems) == 1 {
		return v.Elems[0].Int64()
	}
	// Inference leaves the elements of stored tensors where they are until a
	// node asks for them.
	if t := f.scope.Graph.Values[ins[slot]].Tensor; t != nil && t.DType != onnxgraph.Bool {
		if ns, err := t.Int64s(1); err == nil && len(ns) == 1 {
			return ns[0], true
		}
	}
	return 0, false
}

// scanLength is the number of turns of a Scan: the length of its first scan
// input along the scanned axis.
// https://onnx.ai/onnx/operators/onnx__Scan.html
func (f *frame) scanLength(i int32) int64 {
	node := f.scope.Graph.Nodes[i]
	ins := f.scope.Graph.NodeInputs(i)
	scans := 0
	if a := node.Attribute("num_scan_inputs"); a != nil {
		scans = int(a.Int)
	}
	first := len(ins) - scans
	if scans <= 0 || first < 0 || first >= len(ins) || ins[first] == onnxgraph.NoValue {
		return 0
	}
	axis := int64(0)
	if a := node.Attribute("scan_input_axes"); a != nil && len(a.Ints) > 0 {
		axis = a.Ints[0]
	}
	if f.scope.Nodes[i].Since == 8 {
		axis = 1 // version 8 scans behind a batch axis
	}
	n, ok := f.scope.Facts[ins[first]].Type.Shape.At(int(axis)).Int()
	if !ok {
		return 0
	}
	return n
}
