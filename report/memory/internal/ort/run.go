package ort

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer"
)

// run follows the memory of one run of the main graph: full holds the true
// types, known what the runtime knew when it made its plan.
func run(m *onnxgraph.Model, full, known *shapeinfer.Scope, with provider) *Estimate {
	r := &runner{model: m, with: with}
	f := r.frame(full, known, "", nil, "")
	f.run()
	return &Estimate{Steps: r.steps, ActivationBytes: r.peak, PeakStep: r.peakStep, Reason: r.reason}
}

// A runner holds what is in use over all graphs of a run.
type runner struct {
	model    *onnxgraph.Model // as it is loaded
	with     provider
	now      memory.Accumulator
	peak     memory.Size
	peakStep int
	steps    []Step
	reason   string // why the peak is a lower limit
	// journal lists what was requested and freed while a branch is tried, so
	// that it can be taken back; trials counts the branches under trial.
	journal []entry
	trials  int
}

// lowerLimit says that the run takes more than is followed, and why.
func (r *runner) lowerLimit(reason string) {
	if r.reason == "" {
		r.reason = reason
	}
}

// An entry is a buffer that a frame requested or freed.
type entry struct {
	frame     *runFrame
	id        onnxgraph.ValueID
	size      memory.Size
	requested bool
}

func (r *runner) note(e entry) {
	if r.trials > 0 {
		r.journal = append(r.journal, e)
	}
}

// try runs something and takes everything back that it did. It returns the most
// that was in use.
func (r *runner) try(f func()) memory.Size {
	now, peak, peakStep, steps, start := r.now, r.peak, r.peakStep, len(r.steps), len(r.journal)
	r.trials++
	r.peak = memory.Size{}
	f()
	most := r.peak.Max(r.now.Size())
	for k := len(r.journal) - 1; k >= start; k-- {
		if e := r.journal[k]; e.requested {
			delete(e.frame.alive, e.id)
		} else {
			e.frame.alive[e.id] = e.size
		}
	}
	r.trials--
	r.now, r.peak, r.peakStep, r.steps, r.journal = now, peak, peakStep, r.steps[:steps], r.journal[:start]
	return most
}

// record notes what is in use after a kernel ran.
func (r *runner) record(op, label string, made []string) {
	if s := r.now.Size(); r.peak.Low < s.Low || r.peak.High < s.High || s.Open && !r.peak.Open {
		if s.Low > r.peak.Low {
			r.peakStep = len(r.steps)
		}
		r.peak = r.peak.Max(s)
	}
	r.steps = append(r.steps, Step{Op: op, Node: label, InUse: r.now.Size().Low, Made: made})
}

// A runFrame is one graph while it runs.
type runFrame struct {
	r     *runner
	full  *shapeinfer.Scope
	known *shapeinfer.Scope
	plan  *plan
	path  string
	// fetch gives an output of a body its memory and reports whether it did;
	// otherwise the body allocates it. nil in the main graph.
	fetch func(slot int) bool
	alive map[onnxgraph.ValueID]memory.Size
}

func (r *runner) frame(full, known *shapeinfer.Scope, parent string, fetch func(int) bool, path string) *runFrame {
	return &runFrame{r: r, full: full, known: known, plan: makePlan(known, parent, r.with), path: path, fetch: fetch, alive: map[onnxgraph.ValueID]memory.Size{}}
}

// run runs the nodes of the graph. What they allocated and nobody released
// stays in f.alive.
func (f *runFrame) run() {
	g := f.full.Graph
	for at, i := range f.plan.order {
		n := g.Nodes[i]
		if !f.control(i, n) {
			for slot := range g.NodeOutputs(i) {
				f.allocate(i, slot)
			}
		}
		f.r.record(n.OpType, f.label(i), n.Outputs)
		for _, id := range f.plan.release[at] {
			f.free(id)
		}
	}
}

func (f *runFrame) label(i int32) string {
	return f.path + onnxgraph.NodeLabel(f.full.Graph.Nodes[i], int(i))
}

// allocate requests memory for an output, unless it uses another's.
func (f *runFrame) allocate(i int32, slot int) {
	id := f.full.Graph.NodeOutputs(i)[slot]
	if id == onnxgraph.NoValue {
		return
	}
	switch f.plan.place[id] {
	case allocated:
		f.request(id)
	case output:
		slot, ok := f.outputSlot(id)
		if f.fetch == nil || !ok || !f.fetch(slot) {
			f.request(id)
		}
	}
}

// outputSlot is the first place of a value among the graph's outputs; ok is false
// where it is none of them.
func (f *runFrame) outputSlot(id onnxgraph.ValueID) (slot int, ok bool) {
	for k, o := range f.full.Graph.Outputs {
		if o == id {
			return k, true
		}
	}
	return 0, false
}

func (f *runFrame) request(id onnxgraph.ValueID) {
	if _, twice := f.alive[id]; twice {
		return
	}
	s := f.sizeOf(id)
	f.alive[id] = s
	f.r.now.Add(s)
	f.r.note(entry{f, id, s, true})
}

// sizeOf is what is requested for a value, as the allocator rounds it.
func (f *runFrame) sizeOf(id onnxgraph.ValueID) memory.Size {
	return sizeOf(f.full.Facts[id].Type).RoundUp(f.r.with.block)
}

func (f *runFrame) free(id onnxgraph.ValueID) {
	if s, ok := f.alive[id]; ok {
		f.r.now.Remove(s)
		delete(f.alive, id)
		f.r.note(entry{f, id, s, false})
	}
}

// freeAll ends a body: its frame goes, and with it what is left.
func (f *runFrame) freeAll() {
	for id := range f.alive {
		f.free(id)
	}
}
