package ort

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer"
)

// run follows the memory of one run of the main graph: full holds the true
// types, known what the runtime knew when it made its plan.
func run(full, known *shapeinfer.Scope) *Estimate {
	r := &runner{}
	f := r.frame(full, known, "", nil, "")
	f.run()
	e := &Estimate{Steps: r.steps, ActivationBytes: r.peak, PeakStep: r.peakStep}
	return e
}

// A runner holds what is in use over all graphs of a run.
type runner struct {
	now      use
	peak     memory.Size
	peakStep int
	steps    []Step
	silent   bool // nothing is recorded: a turn of a loop like others before
}

// A use is a number of bytes in use: its limits, and how many parts have none.
type use struct {
	low, high int64
	open      int
}

func (u *use) add(s memory.Size) {
	u.low, u.high = u.low+s.Low, u.high+s.High
	if s.Open {
		u.open++
	}
}

func (u *use) remove(s memory.Size) {
	u.low, u.high = u.low-s.Low, u.high-s.High
	if s.Open {
		u.open--
	}
}

func (u use) size() memory.Size { return memory.Size{Low: u.low, High: u.high, Open: u.open > 0} }

// record notes what is in use after a kernel ran.
func (r *runner) record(op, label string, made []string) {
	if s := r.now.size(); r.peak.Low < s.Low || r.peak.High < s.High || s.Open && !r.peak.Open {
		if s.Low > r.peak.Low {
			r.peakStep = len(r.steps)
		}
		r.peak = r.peak.Max(s)
	}
	r.steps = append(r.steps, Step{Op: op, Node: label, InUse: r.now.low, Made: made})
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
	return &runFrame{r: r, full: full, known: known, plan: makePlan(known, parent), path: path, fetch: fetch, alive: map[onnxgraph.ValueID]memory.Size{}}
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
		if f.fetch == nil || !f.fetch(f.outputSlot(id)) {
			f.request(id)
		}
	}
}

// outputSlot is the first place of a value among the graph's outputs.
func (f *runFrame) outputSlot(id onnxgraph.ValueID) int {
	for k, o := range f.full.Graph.Outputs {
		if o == id {
			return k
		}
	}
	return -1
}

func (f *runFrame) request(id onnxgraph.ValueID) {
	if _, twice := f.alive[id]; twice {
		return
	}
	s := f.sizeOf(id)
	f.alive[id] = s
	f.r.now.add(s)
}

func (f *runFrame) sizeOf(id onnxgraph.ValueID) memory.Size { return sizeOf(f.full.Facts[id].Type) }

func (f *runFrame) free(id onnxgraph.ValueID) {
	if s, ok := f.alive[id]; ok {
		f.r.now.remove(s)
		delete(f.alive, id)
	}
}

// freeAll ends a body: its frame goes, and with it what is left.
func (f *runFrame) freeAll() {
	for id := range f.alive {
		f.free(id)
	}
}
