package ort

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/report/memory/liveness"
	"onnxmem/shapeinfer"
)

// control runs the bodies of a node that has any, and allocates its outputs.
// It reports whether the node is such a one.
func (f *runFrame) control(i int32, n *onnxgraph.Node) bool {
	bodies := f.full.Nodes[i].Subgraphs
	if len(bodies) == 0 {
		return false
	}
	if n.OpType != "If" && bodies[0] == nil {
		return false // it never runs
	}
	switch n.OpType {
	case "If":
		f.branches(i)
	case "Loop":
		f.loop(i)
	case "Scan":
		f.scan(i)
	default:
		return false
	}
	return true
}

// knownBody is what the runtime knew of the body that full describes.
func (f *runFrame) knownBody(i int32, k int) *shapeinfer.Scope {
	if bodies := f.known.Nodes[i].Subgraphs; k < len(bodies) && bodies[k] != nil {
		return bodies[k]
	}
	// Where the runtime's knowledge did not reach the body, it knows no more
	// than the types.
	return f.full.Nodes[i].Subgraphs[k]
}

func (f *runFrame) bodyPath(i int32, k int) string {
	return f.label(i) + "/" + f.full.Graph.Subgraphs(i)[k].Attr + "/"
}

// branches runs the branch that is taken, or the one that takes more where that
// is not known. A branch's outputs are made in the node's own buffers: before
// it runs where their shape is known, else when they are made.
//
// Trying a branch tries those inside it, so below a depth the first is taken.
func (f *runFrame) branches(i int32) {
	best := -1
	var bestPeak memory.Size
	bodies := f.full.Nodes[i].Subgraphs
	for k, body := range bodies {
		if body == nil {
			continue
		}
		if best < 0 {
			best = k
		}
		if len(bodies) > 1 && f.r.trials < maxTrials {
			if peak := f.r.try(func() { f.branch(i, k) }); k == best || peak.Low > bestPeak.Low || peak.High > bestPeak.High {
				best, bestPeak = k, peak
			}
		}
	}
	if best >= 0 {
		f.branch(i, best)
		return
	}
	for slot := range f.full.Graph.NodeOutputs(i) {
		f.allocate(i, slot)
	}
}

func (f *runFrame) branch(i int32, k int) {
	known := f.knownBody(i, k)
	outs := f.full.Graph.NodeOutputs(i)
	for slot := range outs {
		if staticOutput(known, slot) {
			f.allocate(i, slot)
		}
	}
	fetch := func(slot int) bool {
		if slot < len(outs) {
			f.allocate(i, slot)
		}
		return true
	}
	body := f.r.frame(f.full.Nodes[i].Subgraphs[k], known, "If", fetch, f.bodyPath(i, k))
	body.run()
	for slot := range outs {
		f.allocate(i, slot) // what the branch only passes on is copied
	}
	body.freeAll()
}

// maxTrials bounds how deep in each other branches are tried.
const maxTrials = 4

// Sizes of what Loop keeps beside its values: the turn's number and the
// condition, one element each.
const (
	turnBytes      = 8
	conditionBytes = 1
)

// maxTurns bounds the turns of a loop that are followed: the first starts from
// the caller's values, the second from the first one's, and later ones differ
// in nothing but the results that pile up.
const maxTurns = 3

// loop runs the body of a Loop. Each turn's outputs live until the next turn
// has made its own; results to collect pile up until the end, where they are
// put together into the node's outputs.
func (f *runFrame) loop(i int32) {
	full, known := f.full.Nodes[i].Subgraphs[0], f.knownBody(i, 0)
	carried := max(len(f.full.Graph.NodeInputs(i))-2, 0)
	turns := f.turns(i, full, carried)
	condition := memory.ExactSize(conditionBytes)
	f.r.now.Add(memory.ExactSize(turnBytes))
	f.r.now.Add(condition)
	var held []memory.Size // of the turn before
	for turn := range min(turns, maxTurns) {
		body := f.r.frame(full, known, "Loop", nil, f.bodyPath(i, 0))
		piled, passed := body.collected(carried)
		if turn == maxTurns-1 && turns > maxTurns {
			before := piled.Add(passed).Times(turns - maxTurns)
			f.r.now.Add(before)
			defer f.r.now.Remove(before)
		}
		body.run()
		next := body.takeOutputs(carried)
		if turn == 0 && !body.passesCondition() {
			f.r.now.Remove(condition)
			condition = memory.Size{}
		}
		for _, s := range held {
			f.r.now.Remove(s)
		}
		held = next
		body.freeAll()
		if turn > 0 { // the first turn passes on what the caller has
			piled = piled.Add(passed)
		}
		f.r.now.Add(piled)
		defer f.r.now.Remove(piled)
	}
	for slot := range f.full.Graph.NodeOutputs(i) {
		f.allocate(i, slot)
	}
	f.r.now.Remove(condition)
	for _, s := range held {
		f.r.now.Remove(s)
	}
	f.r.now.Remove(memory.ExactSize(turnBytes))
}

// collected is what one turn of a Loop adds to the results that pile up: what
// the body makes, and what it passes on of the values that it carries, which
// then live on.
func (f *runFrame) collected(carried int) (piled, passed memory.Size) {
	for _, id := range f.full.Graph.Outputs[min(1+carried, len(f.full.Graph.Outputs)):] {
		switch {
		case id == onnxgraph.NoValue:
		case f.plan.place[id] == shared:
			passed = passed.Add(sizeOf(f.full.Facts[id].Type))
		default:
			piled = piled.Add(sizeOf(f.full.Facts[id].Type))
		}
	}
	return piled, passed
}

// passesCondition reports whether the body of a Loop gives back the condition
// that it got.
func (f *runFrame) passesCondition() bool {
	g := f.full.Graph
	return len(g.Outputs) > 0 && g.Outputs[0] != onnxgraph.NoValue && f.plan.place[g.Outputs[0]] == shared &&
		len(g.Inputs) > 1 && f.plan.buffer[g.Outputs[0]] == g.Inputs[1]
}

// takeOutputs takes the condition and the carried values over from a body that
// ran. Those that share the memory of something else cost nothing.
func (f *runFrame) takeOutputs(carried int) []memory.Size {
	var held []memory.Size
	for k, id := range f.full.Graph.Outputs {
		if id == onnxgraph.NoValue {
			continue
		}
		s, ok := f.alive[id]
		if !ok {
			continue
		}
		delete(f.alive, id)
		f.r.note(entry{f, id, s, false})
		if k <= carried {
			held = append(held, s)
		} else {
			f.r.now.Remove(s) // counted with what piles up
		}
	}
	return held
}

// turns is how often a Loop runs. Two turns stand for a number that is not
// known.
func (f *runFrame) turns(i int32, full *shapeinfer.Scope, carried int) int64 {
	turns := int64(2)
	outs := f.full.Graph.NodeOutputs(i)
	collected := max(len(full.Graph.Outputs)-1-carried, 0)
	for k := range collected {
		if slot := carried + k; slot < len(outs) && outs[slot] != onnxgraph.NoValue {
			if n, ok := f.full.Facts[outs[slot]].Type.Shape.At(0).Int(); ok {
				turns = n
			}
		}
	}
	if ins := f.full.Graph.NodeInputs(i); len(ins) > 0 && ins[0] != onnxgraph.NoValue {
		if v := f.full.Facts[ins[0]].Value; v != nil && len(v.Elems) == 1 {
			if n, ok := v.Elems[0].Int64(); ok && collected == 0 {
				turns = max(n, 0)
			}
		}
	}
	return turns
}

// maxScanTurns is the number of turns of a Scan that are followed, and the
// number of buffers of each state; later turns take what the second does.
const maxScanTurns = 2

// scan runs the body of a Scan. Collected results go straight into the node's
// outputs. Turns whose number is not known are taken to be many.
func (f *runFrame) scan(i int32) {
	full, known := f.full.Nodes[i].Subgraphs[0], f.knownBody(i, 0)
	outs := f.full.Graph.NodeOutputs(i)
	states := max(liveness.ScanStates(f.full, i), 0)
	if f.full.Nodes[i].Since == 8 {
		states-- // version 8 has the lengths first
	}
	turns, ok := liveness.ScanIterations(f.full, i)
	if !ok {
		turns = maxScanTurns + 1
	}
	for slot := range outs {
		if slot < states || staticOutput(known, slot) {
			f.allocate(i, slot)
		}
	}
	buffers := f.stateBuffers(outs[:min(max(states, 0), len(outs))], turns)
	f.r.now.Add(buffers)
	fetch := func(slot int) bool {
		if slot >= states && slot < len(outs) {
			f.allocate(i, slot)
		}
		return true
	}
	for range min(turns, maxScanTurns) {
		body := f.r.frame(full, known, "Scan", fetch, f.bodyPath(i, 0))
		body.run()
		body.freeAll()
	}
	for slot := range outs {
		f.allocate(i, slot)
	}
	f.r.now.Remove(buffers)
}

// stateBuffers are what a Scan holds of its states beside their final values,
// which the last turn writes: two buffers that turns write by turns.
func (f *runFrame) stateBuffers(finals []onnxgraph.ValueID, turns int64) memory.Size {
	var total memory.Size
	for _, id := range finals {
		if id != onnxgraph.NoValue {
			total = total.Add(f.sizeOf(id).Times(min(max(turns-1, 0), maxScanTurns)))
		}
	}
	return total
}

// staticOutput reports whether the runtime knows the shape of a body's output
// before the body runs.
func staticOutput(body *shapeinfer.Scope, slot int) bool {
	outs := body.Graph.Outputs
	return slot < len(outs) && outs[slot] != onnxgraph.NoValue && body.Facts[outs[slot]].Type.Shape.IsStatic()
}
