package ort

import (
	"strconv"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
)

// A placing says how a value gets its memory.
type placing uint8

const (
	preexisting placing = iota // inputs, weights, values of the enclosing graph
	allocated                  // a buffer of its own, released after its last reader
	output                     // of the graph: a buffer of its own, to the end
	reused                     // the buffer of another value
	shared                     // the value itself is that of an input
)

// A plan is how one graph runs: the order of its nodes, and whose buffer each
// value uses. It is made when the model is loaded.
type plan struct {
	order   []int32
	place   []placing           // by value
	buffer  []onnxgraph.ValueID // by value: whose buffer it uses
	release [][]onnxgraph.ValueID
}

// makePlan follows the planner of a single sequence of kernels. known holds
// what the runtime's inference knows; parent is the operator that runs the
// graph as a body, empty for the main graph.
func makePlan(known *shapeinfer.Scope, parent string, with provider) *plan {
	g := known.Graph
	p := &planner{known: known, g: g, parent: parent, with: with, free: map[string][]onnxgraph.ValueID{}, use: make([]int32, len(g.Values)), plan: &plan{
		order:  executionOrder(g),
		place:  make([]placing, len(g.Values)),
		buffer: make([]onnxgraph.ValueID, len(g.Values)),
	}}
	for id := range p.plan.buffer {
		p.plan.buffer[id] = onnxgraph.ValueID(id)
	}
	p.countUses()
	for _, i := range p.plan.order {
		for slot, id := range g.NodeOutputs(i) {
			if id != onnxgraph.NoValue {
				p.define(i, slot, id)
			}
		}
		p.freeInputs(i)
	}
	p.releases()
	return p.plan
}

type planner struct {
	known  *shapeinfer.Scope
	g      *onnxgraph.Scope
	parent string
	with   provider
	plan   *plan
	use    []int32 // by value: readings that are left
	// free holds the buffers that nobody needs any more by what the planner
	// knows of their size, the newest last. What it does not know of is in none.
	free map[string][]onnxgraph.ValueID
	key  []byte
}

// countUses counts the readings of each value. One more for what the graph is
// given keeps that from ever becoming free, and one more for each output of the
// graph.
func (p *planner) countUses() {
	for id := range p.g.Values {
		v := &p.g.Values[id]
		if v.Origin != onnxgraph.NodeOutput || isConstant(p.g.Nodes[v.Producer]) {
			p.use[id]++
		}
	}
	for _, i := range p.plan.order {
		p.eachRead(i, func(id onnxgraph.ValueID) { p.use[id]++ })
	}
	for _, id := range p.g.Outputs {
		if id != onnxgraph.NoValue {
			p.use[id]++
		}
	}
}

func (p *planner) eachRead(i int32, f func(onnxgraph.ValueID)) {
	for _, ids := range [][]onnxgraph.ValueID{p.g.NodeInputs(i), p.g.ImplicitInputs(i)} {
		for _, id := range ids {
			if id != onnxgraph.NoValue {
				f(id)
			}
		}
	}
}

// define decides where output slot of node i goes.
func (p *planner) define(i int32, slot int, id onnxgraph.ValueID) {
	n := p.g.Nodes[i]
	if p.g.Values[id].IsOutput {
		p.plan.place[id] = output
		p.shareLoopState(i, n, id)
		return
	}
	if from := p.input(i, viewOf(n, slot)); from != onnxgraph.NoValue {
		p.reuse(from, id)
		return
	}
	for _, over := range p.with.writesOver(n, slot, p.known.Facts[id].Type.DType) {
		if from := p.input(i, over); from != onnxgraph.NoValue && p.use[p.plan.buffer[from]] == 1 && p.same(from, id) {
			p.reuse(from, id)
			return
		}
	}
	if p.use[id] == 0 {
		p.plan.place[id] = allocated // nothing would release what it takes over
		return
	}
	if from, ok := p.takeFree(id); ok {
		p.reuse(from, id)
		return
	}
	p.plan.place[id] = allocated
}

// shareLoopState is an exception for bodies of Loop: an Identity of something
// that the body is given, but for the turn's number, makes no copy.
func (p *planner) shareLoopState(i int32, n *onnxgraph.Node, id onnxgraph.ValueID) {
	if p.parent != "Loop" || n.OpType != "Identity" {
		return
	}
	from := p.input(i, 0)
	if from == onnxgraph.NoValue || p.plan.place[from] != preexisting || len(p.g.Inputs) > 0 && from == p.g.Inputs[0] {
		return
	}
	if o := p.g.Values[from].Origin; o == onnxgraph.GraphInput || o == onnxgraph.OuterScope {
		p.reuse(from, id)
		p.plan.place[id] = shared
	}
}

func (p *planner) input(i int32, slot int) onnxgraph.ValueID {
	if ids := p.g.NodeInputs(i); slot >= 0 && slot < len(ids) {
		return ids[slot]
	}
	return onnxgraph.NoValue
}

func (p *planner) reuse(from, id onnxgraph.ValueID) {
	owner := p.plan.buffer[from]
	p.plan.place[id], p.plan.buffer[id] = reused, owner
	p.use[owner] += p.use[id]
}

// takeFree finds the newest free buffer that is provably as large. Scalars
// always get a buffer of their own.
func (p *planner) takeFree(id onnxgraph.ValueID) (onnxgraph.ValueID, bool) {
	if p.known.Facts[id].Type.Shape.Rank() == 0 || !p.sizeKey(id) {
		return onnxgraph.NoValue, false
	}
	list := p.free[string(p.key)]
	if len(list) == 0 {
		return onnxgraph.NoValue, false
	}
	p.free[string(p.key)] = list[:len(list)-1]
	return list[len(list)-1], true
}

// same reports whether two values take the same number of bytes as far as the
// planner can tell.
func (p *planner) same(a, b onnxgraph.ValueID) bool {
	if !p.sizeKey(a) {
		return false
	}
	key := string(p.key)
	return p.sizeKey(b) && key == string(p.key)
}

// sizeKey puts what decides the size of a value into p.key, such that equal
// keys mean equal sizes for the planner: the width of the elements and each
// dim, a number or a name. It reports whether all of that is known. Strings
// are never as large as anything.
func (p *planner) sizeKey(id onnxgraph.ValueID) bool {
	t := &p.known.Facts[id].Type
	if !t.IsTensor() || t.DType == onnxgraph.String || t.DType == onnxgraph.Undefined || !t.Shape.Ranked() {
		return false
	}
	p.key = append(p.key[:0], byte(width(t.DType)))
	for _, d := range t.Shape.Dims() {
		if n, ok := d.Int(); ok {
			p.key = strconv.AppendInt(append(p.key, '#'), n, 10)
			continue
		}
		name, ok := nameOf(d)
		if !ok {
			return false
		}
		p.key = append(append(p.key, '$'), name...)
	}
	return true
}

// freeInputs takes the readings of node i away. What nobody else reads becomes
// free.
func (p *planner) freeInputs(i int32) {
	p.eachRead(i, func(id onnxgraph.ValueID) {
		owner := p.plan.buffer[id]
		if p.use[owner]--; p.use[owner] == 0 {
			if p.sizeKey(owner) {
				p.free[string(p.key)] = append(p.free[string(p.key)], owner)
			}
		}
	})
}

// releases finds, for each position of the order, the buffers whose last reader
// runs there. An output that nobody reads stays to the end.
func (p *planner) releases() {
	last := make([]int32, len(p.g.Values))
	for at, i := range p.plan.order {
		p.eachRead(i, func(id onnxgraph.ValueID) { last[p.plan.buffer[id]] = int32(at) + 1 })
	}
	p.plan.release = make([][]onnxgraph.ValueID, len(p.plan.order))
	for id, at := range last {
		if at > 0 && p.plan.place[id] == allocated {
			p.plan.release[at-1] = append(p.plan.release[at-1], onnxgraph.ValueID(id))
		}
	}
}
