package liveness

import (
	"math"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
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
	body := f.scope.Nodes[i].Subgraphs[0]
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

// ScanIterations is how often node i of a scope, a Scan, runs its body: the length of
// its first scan input along the scanned axis. ok is false where that is not
// known.
// https://onnx.ai/onnx/operators/onnx__Scan.html
func ScanIterations(s *shapeinfer.Scope, i int32) (turns int64, ok bool) {
	node, ins := s.Graph.Nodes[i], s.Graph.NodeInputs(i)
	first := ScanStates(s, i)
	if first < 0 || first >= len(ins) || ins[first] == onnxgraph.NoValue {
		return 0, false
	}
	axis := 0
	if a := node.Attribute("scan_input_axes"); a != nil && len(a.Ints) > 0 {
		axis = int(a.Ints[0])
	}
	if s.Nodes[i].Since == 8 {
		axis = 1 // version 8 scans behind a batch axis
	}
	shape := s.Facts[ins[first]].Type.Shape
	if axis < 0 {
		axis += shape.Rank()
	}
	return shape.At(axis).Int()
}

// ScanStates is the number of inputs of a Scan before those that it scans: the
// states, and before them in version 8 the lengths. It is negative where the
// node is wrong.
func ScanStates(s *shapeinfer.Scope, i int32) int {
	scanned := 0
	if a := s.Graph.Nodes[i].Attribute("num_scan_inputs"); a != nil {
		scanned = int(min(max(a.Int, 0), math.MaxInt32))
	}
	return len(s.Graph.NodeInputs(i)) - scanned
}
