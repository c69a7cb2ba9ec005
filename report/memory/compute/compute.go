package compute

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/report/memory/liveness"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
)

// Work is what one forward pass computes and moves. A count is a lower limit
// where Open says that some nodes are not in it, since the size of their
// operands or the number of turns of their loop is not known.
type Work struct {
	// MACs are multiply-accumulates of convolutions, matrix products, attention
	// and recurrent cells; nothing elementwise. FLOPs are twice as many.
	MACs     int64
	MACsOpen bool
	// Elementwise counts the elements that other operators compute: one a
	// result of an activation, of arithmetic, of a comparison; one an element
	// read in reductions, normalisations and pooling.
	Elementwise int64
	// Read and Written are the bytes of the tensors that nodes read, weights
	// included, and write; views move nothing.
	Read, Written int64
	BytesOpen     bool
}

// FLOPs are the floating point operations of the multiply-accumulates.
func (w Work) FLOPs() int64 { return memory.MulBytes(w.MACs, 2) }

// Traffic is what is read and written, in bytes.
func (w Work) Traffic() int64 { return memory.AddBytes(w.Read, w.Written) }

func (w Work) plus(o Work) Work {
	return Work{
		MACs: memory.AddBytes(w.MACs, o.MACs), MACsOpen: w.MACsOpen || o.MACsOpen,
		Elementwise: memory.AddBytes(w.Elementwise, o.Elementwise),
		Read:        memory.AddBytes(w.Read, o.Read), Written: memory.AddBytes(w.Written, o.Written), BytesOpen: w.BytesOpen || o.BytesOpen,
	}
}

func (w Work) times(n int64) Work {
	w.MACs, w.Elementwise, w.Read, w.Written = memory.MulBytes(w.MACs, n), memory.MulBytes(w.Elementwise, n), memory.MulBytes(w.Read, n), memory.MulBytes(w.Written, n)
	return w
}

// more is the branch with more multiply-accumulates, then with more traffic.
func (w Work) more(o Work) Work {
	if o.MACs > w.MACs || o.MACs == w.MACs && o.Traffic() > w.Traffic() {
		return o
	}
	return w
}

// Count adds up all steps. Of If the branch counts that does more; a loop as
// often as it runs, once where that is not known.
func Count(p *liveness.Program) Work {
	var total Work
	for i := range p.Steps {
		total = total.plus(CountStep(p, i))
	}
	return total
}

// CountStep is the work of step i, its bodies included.
func CountStep(p *liveness.Program, i int) Work {
	s := &p.Steps[i]
	w := own(s)
	traffic(p, s, &w)
	w.MACsOpen, w.BytesOpen = w.MACsOpen || s.Truncated, w.BytesOpen || s.Truncated
	var branch, loops Work
	for _, b := range s.Bodies {
		inner := Count(b.Program)
		switch {
		case !b.Loops:
			branch = branch.more(inner)
		case b.Trips > 0:
			loops = loops.plus(inner.times(b.Trips))
		default:
			inner.MACsOpen = inner.MACsOpen || inner.MACs > 0
			inner.BytesOpen = true
			loops = loops.plus(inner)
		}
	}
	return w.plus(branch).plus(loops)
}

// own is what the node itself computes.
func own(s *liveness.Step) Work {
	var w Work
	info := s.Info()
	w.MACs, w.MACsOpen = elements(info.MACs)
	if info.Op == nil {
		w.MACsOpen = true
		return w
	}
	if w.MACs == 0 && !w.MACsOpen && len(s.Bodies) == 0 {
		w.Elementwise = elementsComputed(s.Scope, s.Node)
	}
	return w
}

// elements reads a number of operations: an upper limit stands for it where
// run-time values decide.
func elements(d dim.Dim) (n int64, open bool) {
	if n, ok := d.Int(); ok {
		return max(n, 0), false
	}
	if n, ok := d.Lower(); ok && n > 0 {
		return n, true
	}
	return 0, true
}

// traffic counts the bytes of a step's inputs and outputs. Storages that an
// output shares with an input move nothing; each input counts once however
// often the node reads it.
func traffic(p *liveness.Program, s *liveness.Step, w *Work) {
	g := s.Scope.Graph
	ins := g.NodeInputs(s.Node)
	viewsFirst := len(s.Writes) > 0 && len(s.Reads) > 0 && s.Writes[0] != liveness.NoStorage && s.Writes[0] == s.Reads[0] && p.Storage(s.Writes[0]).Kind != liveness.Folded
	if viewsFirst || readsShape(s) {
		ins = nil
	}
	for k, id := range ins {
		if id == onnxgraph.NoValue || hasValue(ins[:k], id) {
			continue
		}
		size := p.SizeIn(s.Reads[k], liveness.Value{Scope: s.Scope, ID: id})
		w.Read = memory.AddBytes(w.Read, size.Low)
		w.BytesOpen = w.BytesOpen || size.Open
	}
	if viewsFirst {
		return
	}
	for slot, id := range g.NodeOutputs(s.Node) {
		if id == onnxgraph.NoValue {
			continue
		}
		size := p.SizeIn(s.Writes[slot], liveness.Value{Scope: s.Scope, ID: id})
		w.Written = memory.AddBytes(w.Written, size.Low)
		w.BytesOpen = w.BytesOpen || size.Open
	}
}

func hasValue(ids []onnxgraph.ValueID, id onnxgraph.ValueID) bool {
	for _, x := range ids {
		if x == id {
			return true
		}
	}
	return false
}

func readsShape(s *liveness.Step) bool {
	o := s.Info().Op
	return o != nil && o.ShapeOnly
}

// elementsComputed is the number of elements that an operator without
// multiply-accumulates computes; nothing for those that only move data.
func elementsComputed(s *shapeinfer.Scope, i int32) int64 {
	ids := s.Graph.NodeOutputs(i)
	switch e := s.Nodes[i].Op.Effect; {
	case e.MovesData():
		return 0
	case e == op.Reduces:
		ids = s.Graph.NodeInputs(i)
	}
	if len(ids) == 0 || ids[0] == onnxgraph.NoValue {
		return 0
	}
	n, _ := memory.ElementCount(s.Facts[ids[0]].Type.Shape)
	return max(n, 0)
}
