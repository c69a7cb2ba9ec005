package report

import (
	"cmp"
	"slices"
	"strings"

	"onnxmem/report/finding"
	"onnxmem/report/memory/liveness"
)

// A peakExplainer collects findings on why a peak is what it is, and what would
// lower it.
type peakExplainer struct {
	p        *liveness.Program
	at       int32 // the step of the peak
	total    int64 // bytes that are live then
	lives    []liveness.Lifetime
	live     []liveness.StorageID        // largest first
	constant map[liveness.StorageID]bool // computed from weights alone
	visits   int                         // of storages, in search of weights
	found    []finding.Finding
}

// maxBodies is how deep a peak is followed into subgraphs.
const maxBodies = 64

// maxVisits ends the search for weights in graphs that fan out widely.
const maxVisits = 10_000

// explainPeak says what the peak of a run is made of. Each number of what a
// change would give is from counting again with it.
func (a *Analysis) explainPeak(p *liveness.Program, peak liveness.Peak) []finding.Finding {
	var place []string
	whole := peak.Size
	for range maxBodies {
		body := p.PeakBody(peak.Step)
		if body == nil || len(body.Program.Steps) == 0 {
			break
		}
		place = append(place, p.Steps[peak.Step].Label()+"/"+body.Attr)
		p, peak = body.Program, body.Program.Peak()
	}
	total, known := peak.Size.Exact()
	if peak.Step < 0 || !known || total == 0 {
		return nil
	}
	e := &peakExplainer{p: p, at: peak.Step, total: total, lives: p.Lifetimes(nil), constant: map[liveness.StorageID]bool{}}
	if len(place) > 0 {
		e.add(finding.PeakInSubgraph, func(f *finding.Finding) {
			f.Node, f.Peak = strings.Join(place, " "), &finding.Change{Before: whole.Low, After: total}
		})
	}
	e.listLive()
	e.fromWeights()
	e.scores()
	e.concat()
	e.held()
	e.outputs()
	if !a.opts.ReuseInputs && len(place) == 0 {
		e.reuseInputs(a)
	}
	return e.found
}

func (e *peakExplainer) add(c finding.Code, set func(*finding.Finding)) {
	f := finding.New(c)
	set(&f)
	e.found = append(e.found, f)
}

// listLive lists the activations that are live at the peak.
func (e *peakExplainer) listLive() {
	for id := range e.p.Storages {
		if l := e.lives[id]; e.p.Storages[id].Kind == liveness.Activation && l.First <= e.at && e.at <= l.Last {
			e.live = append(e.live, liveness.StorageID(id))
		}
	}
	slices.SortStableFunc(e.live, func(x, y liveness.StorageID) int {
		return cmp.Compare(e.p.Storage(y).Size.Low, e.p.Storage(x).Size.Low)
	})
}

// matters reports whether a size is worth a sentence: a twentieth of the peak.
func (e *peakExplainer) matters(bytes int64) bool { return 20*bytes >= e.total }

// fromWeights names what is live at the peak and depends on weights alone: every
// run computes it again, although it is always the same.
func (e *peakExplainer) fromWeights() {
	ready := *e.p
	ready.Storages = slices.Clone(e.p.Storages)
	count, bytes, first := int64(0), int64(0), liveness.NoStorage
	for _, id := range e.live {
		if st := e.p.Storage(id); e.isConstant(id, 0) {
			ready.Storage(id).Kind = liveness.Folded
			e.constant[id] = true
			count++
			bytes += st.Size.Low
			if first == liveness.NoStorage {
				first = id
			}
		}
	}
	if count == 0 || !e.matters(bytes) {
		return
	}
	st := e.p.Storage(first)
	step, ok := e.p.Maker(first)
	if !ok {
		return
	}
	code := finding.PeakConstant
	switch step.NodeOf().OpType {
	case "Transpose":
		code = finding.PeakTransposedWeight
	case "Cast":
		code = finding.PeakCastWeight
	case "DequantizeLinear":
		code = finding.PeakDequantizedWeight
	}
	e.add(code, func(f *finding.Finding) {
		f.Tensor, f.Related, f.Node = st.Name, e.weight(first), step.Label()
		f.Count, f.Bytes, f.TensorBytes = count, bytes, st.Size.Low
		f.Detail = st.Value.Scope.Facts[st.Value.ID].Type.DType.String()
		f.Peak = &finding.Change{Before: e.total, After: ready.Peak().Size.Low}
	})
}

// isConstant reports whether a storage is computed from weights only.
func (e *peakExplainer) isConstant(id liveness.StorageID, depth int) bool {
	st := e.p.Storage(id)
	switch {
	case st.Kind == liveness.Weight || st.Kind == liveness.Folded:
		return true
	case st.Kind != liveness.Activation || depth > 8 || e.visits > maxVisits:
		return false
	}
	step, ok := e.p.Maker(id)
	if !ok {
		return false
	}
	e.visits++
	read := false
	for _, in := range step.Reads {
		if in == liveness.NoStorage {
			continue
		}
		if in == id || !e.isConstant(in, depth+1) {
			return false
		}
		read = true
	}
	return read && len(step.Bodies) == 0
}

// weight is the name of the weight behind a constant.
func (e *peakExplainer) weight(id liveness.StorageID) string {
	for range 8 {
		step, ok := e.p.Maker(id)
		if !ok || e.p.Storage(id).Kind == liveness.Weight {
			break
		}
		given := slices.IndexFunc(step.Reads, func(in liveness.StorageID) bool { return in != liveness.NoStorage })
		if given < 0 {
			break
		}
		id = step.Reads[given]
	}
	return e.p.Storage(id).Name
}

// scores names matrices of attention scores: square in their last two dims,
// close to a Softmax of the same shape.
func (e *peakExplainer) scores() {
	bytes, name, shape := int64(0), "", ""
	for _, id := range e.live {
		st := e.p.Storage(id)
		typ := st.Value.Scope.Facts[st.Value.ID].Type
		dims, ok := typ.Shape.Ints()
		if n := len(dims); !ok || n < 3 || dims[n-1] != dims[n-2] || dims[n-1] < 2 || !e.softmaxNear(dims) {
			continue
		}
		if bytes += st.Size.Low; name == "" {
			name, shape = st.Name, typ.String()
		}
	}
	if e.matters(bytes) {
		e.add(finding.PeakAttentionScores, func(f *finding.Finding) { f.Tensor, f.Detail, f.Bytes = name, shape, bytes })
	}
}

// softmaxNear looks for a Softmax over values of that shape around the peak.
func (e *peakExplainer) softmaxNear(dims []int64) bool {
	const around = 12
	for i := max(e.at-around, 0); int(i) < len(e.p.Steps) && i <= e.at+around; i++ {
		step := &e.p.Steps[i]
		if step.NodeOf().OpType != "Softmax" || len(step.Writes) == 0 || step.Writes[0] == liveness.NoStorage {
			continue
		}
		v := e.p.Storage(step.Writes[0]).Value
		if made, ok := v.Scope.Facts[v.ID].Type.Shape.Ints(); ok && slices.Equal(made, dims) {
			return true
		}
	}
	return false
}

// concat says what a concatenation at the peak costs, and which of its inputs
// was held for it.
func (e *peakExplainer) concat() {
	step := &e.p.Steps[e.at]
	if step.NodeOf().OpType != "Concat" || len(step.Writes) == 0 || step.Writes[0] == liveness.NoStorage {
		return
	}
	inputs, oldest := int64(0), liveness.NoStorage
	for i, id := range step.Reads {
		if id == liveness.NoStorage || slices.Contains(step.Reads[:i], id) || e.p.Storage(id).Kind != liveness.Activation {
			continue
		}
		if e.lives[id].Last == e.at {
			inputs += e.p.Storage(id).Size.Low
		}
		if oldest == liveness.NoStorage || e.lives[id].First < e.lives[oldest].First {
			oldest = id
		}
	}
	if !e.matters(inputs) {
		return
	}
	e.add(finding.PeakConcat, func(f *finding.Finding) {
		out := e.p.Storage(step.Writes[0])
		f.Node, f.Tensor, f.TensorBytes = step.Label(), out.Name, out.Size.Low
		f.Count, f.Bytes = int64(len(step.Reads)), inputs
	})
	if st := e.p.Storage(oldest); e.at-e.lives[oldest].First >= longHeld && e.matters(st.Size.Low) {
		e.skipConnection(oldest, 1, st.Size.Low, e.at-e.lives[oldest].First, e.at)
	}
}

// longHeld is the number of nodes from which holding a tensor is worth a
// sentence.
const longHeld = 4

// held names what is live at the peak and not used by its node: tensors that
// skip connections hold for a later node.
func (e *peakExplainer) held() {
	step := &e.p.Steps[e.at]
	bytes, first, count := int64(0), liveness.NoStorage, int64(0)
	for _, id := range e.live {
		st := e.p.Storage(id)
		if slices.Contains(step.Reads, id) || slices.Contains(step.Writes, id) || st.Output || st.Size.Low == 0 || e.constant[id] || e.nextReader(id)-e.at < longHeld {
			continue
		}
		bytes += st.Size.Low
		count++
		if first == liveness.NoStorage {
			first = id
		}
	}
	if count == 0 || !e.matters(bytes) {
		return
	}
	next := e.nextReader(first)
	e.skipConnection(first, count, bytes, next-e.at, next)
}

// skipConnection says that count tensors are held, the largest of them for that
// many nodes.
func (e *peakExplainer) skipConnection(largest liveness.StorageID, count, bytes int64, nodes, reader int32) {
	st := e.p.Storage(largest)
	e.add(finding.PeakSkipConnection, func(f *finding.Finding) {
		f.Tensor, f.Node = st.Name, e.p.Steps[reader].Label()
		f.Elements, f.Bytes, f.Count, f.TensorBytes = count, bytes, int64(nodes), st.Size.Low
	})
}

// nextReader is the first step after the peak that reads a storage.
func (e *peakExplainer) nextReader(id liveness.StorageID) int32 {
	for i := e.at + 1; i <= e.lives[id].Last; i++ {
		if slices.Contains(e.p.Steps[i].Reads, id) {
			return i
		}
	}
	return e.lives[id].Last
}

// outputs names outputs of the model that are computed already.
func (e *peakExplainer) outputs() {
	for _, id := range e.live {
		if st := e.p.Storage(id); st.Output && 5*st.Size.Low >= e.total {
			e.add(finding.PeakOutput, func(f *finding.Finding) { f.Tensor, f.Bytes = st.Name, st.Size.Low })
		}
	}
}

// reuseInputs counts again with elementwise nodes that write over their input.
func (e *peakExplainer) reuseInputs(a *Analysis) {
	again := liveness.NewProgram(a.Numbers, liveness.Options{InPlace: true}).PeakIn(nil, a.opts.FreeInputs)
	if n, ok := again.Size.Exact(); ok && e.matters(e.total-n) {
		e.add(finding.PeakReuseInputs, func(f *finding.Finding) {
			f.Peak = &finding.Change{Before: e.total, After: n}
			f.Options = []finding.Option{{Name: finding.ReuseInputs, Value: "true"}}
		})
	}
}
