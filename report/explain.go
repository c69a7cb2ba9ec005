package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory/liveness"
)

// A peakStory collects sentences on why a peak is what it is, and what would
// lower it.
type peakStory struct {
	p     *liveness.Program
	at    int32 // the step of the peak
	total int64 // bytes alive then
	lives []liveness.Lifetime
	alive []liveness.StorageID        // largest first
	fixed map[liveness.StorageID]bool // computed from weights alone
	looks int                         // at storages, in search of weights
	lines []string
}

// maxBodies is how deep a peak is followed into bodies.
const maxBodies = 64

// maxLooks ends the search for weights in graphs that fan out widely.
const maxLooks = 10_000

// explainPeak says in plain sentences what the peak of a run is made of. Each
// number of what a change would give is from counting again with it.
func (a *Analysis) explainPeak(p *liveness.Program, peak liveness.Peak) []string {
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
	s := &peakStory{p: p, at: peak.Step, total: total, lives: p.Lifetimes(nil), fixed: map[liveness.StorageID]bool{}}
	if len(place) > 0 {
		s.say("it falls inside %s, whose node outputs take %s of %s; what follows is about these", strings.Join(place, " "), bytesText(total), bytesText(whole.Low))
	}
	for id := range p.Storages {
		if l := s.lives[id]; p.Storages[id].Kind == liveness.Activation && l.First <= s.at && s.at <= l.Last {
			s.alive = append(s.alive, liveness.StorageID(id))
		}
	}
	slices.SortStableFunc(s.alive, func(x, y liveness.StorageID) int {
		return cmp.Compare(p.Storage(y).Size.Low, p.Storage(x).Size.Low)
	})
	s.fromWeights()
	s.scores()
	s.joined()
	s.waiting()
	s.outputs()
	if !a.opts.ReuseInputs && len(place) == 0 {
		s.inPlace(a)
	}
	return s.lines
}

func (s *peakStory) say(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// bytesText is a size for a sentence.
func bytesText(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }

// matters reports whether a size is worth a sentence: a twentieth of the peak.
func (s *peakStory) matters(bytes int64) bool { return 20*bytes >= s.total }

// fromWeights names what is alive at the peak and hangs on stored tensors
// alone: made anew in every run, although it is always the same.
func (s *peakStory) fromWeights() {
	ready := *s.p
	ready.Storages = slices.Clone(s.p.Storages)
	count, bytes, first := 0, int64(0), liveness.NoStorage
	for _, id := range s.alive {
		if st := s.p.Storage(id); s.constant(id, 0) {
			ready.Storage(id).Kind = liveness.Folded
			s.fixed[id] = true
			count++
			bytes += st.Size.Low
			if first == liveness.NoStorage {
				first = id
			}
		}
	}
	if count == 0 || !s.matters(bytes) {
		return
	}
	st := s.p.Storage(first)
	step, ok := s.p.Maker(first)
	if !ok {
		return
	}
	what, instead := "computed from weights alone", "Stored as it is needed"
	switch weight := s.weight(first); step.NodeOf().OpType {
	case "Transpose":
		what, instead = "the weight "+weight+" transposed", "Stored transposed, or read by a Gemm with transB"
	case "Cast":
		what, instead = "the weight "+weight+" as "+st.Value.Scope.Facts[st.Value.ID].Type.DType.String(), "Stored in that type"
	case "DequantizeLinear":
		what, instead = "the quantised weight "+weight+" as floats", "Multiplied as it is stored"
	}
	others := ""
	if count > 1 {
		others = fmt.Sprintf(", and there are %d more like it, %s together", count-1, bytesText(bytes))
	}
	s.say("%s of it is %s, %s, which %s makes anew in every run%s. %s it would leave a peak of node outputs of %s instead of %s",
		bytesText(st.Size.Low), st.Name, what, step.Label(), others, instead, bytesText(ready.Peak().Size.Low), bytesText(s.total))
}

// constant reports whether a storage is computed from stored tensors only.
func (s *peakStory) constant(id liveness.StorageID, depth int) bool {
	st := s.p.Storage(id)
	switch {
	case st.Kind == liveness.Weight || st.Kind == liveness.Folded:
		return true
	case st.Kind != liveness.Activation || depth > 8 || s.looks > maxLooks:
		return false
	}
	step, ok := s.p.Maker(id)
	if !ok {
		return false
	}
	s.looks++
	read := false
	for _, in := range step.Reads {
		if in == liveness.NoStorage {
			continue
		}
		if in == id || !s.constant(in, depth+1) {
			return false
		}
		read = true
	}
	return read && len(step.Bodies) == 0
}

// weight is the name of the stored tensor behind a constant.
func (s *peakStory) weight(id liveness.StorageID) string {
	for range 8 {
		step, ok := s.p.Maker(id)
		if !ok || s.p.Storage(id).Kind == liveness.Weight {
			break
		}
		given := slices.IndexFunc(step.Reads, func(in liveness.StorageID) bool { return in != liveness.NoStorage })
		if given < 0 {
			break
		}
		id = step.Reads[given]
	}
	return s.p.Storage(id).Name
}

// maker names the node that makes a storage.
func (s *peakStory) maker(id liveness.StorageID) string {
	if step, ok := s.p.Maker(id); ok {
		return step.Label()
	}
	return "the caller"
}

// scores names matrices of attention: square in their last two dims, close to
// a Softmax of the same shape.
func (s *peakStory) scores() {
	bytes, name, shape := int64(0), "", ""
	for _, id := range s.alive {
		st := s.p.Storage(id)
		typ := st.Value.Scope.Facts[st.Value.ID].Type
		dims, ok := typ.Shape.Ints()
		if n := len(dims); !ok || n < 3 || dims[n-1] != dims[n-2] || dims[n-1] < 2 || !s.softmaxNear(dims) {
			continue
		}
		if bytes += st.Size.Low; name == "" {
			name, shape = st.Name, typ.String()
		}
	}
	if s.matters(bytes) {
		s.say("%s of it are attention scores (%s is %s), which grow with the square of the length; a fused attention operator does not store them", bytesText(bytes), name, shape)
	}
}

// softmaxNear looks for a Softmax over values of that shape around the peak.
func (s *peakStory) softmaxNear(dims []int64) bool {
	const around = 12
	for i := max(s.at-around, 0); int(i) < len(s.p.Steps) && i <= s.at+around; i++ {
		step := &s.p.Steps[i]
		if step.NodeOf().OpType != "Softmax" || len(step.Writes) == 0 || step.Writes[0] == liveness.NoStorage {
			continue
		}
		v := s.p.Storage(step.Writes[0]).Value
		if made, ok := v.Scope.Facts[v.ID].Type.Shape.Ints(); ok && slices.Equal(made, dims) {
			return true
		}
	}
	return false
}

// joined says what a concatenation at the peak costs, and which of its parts
// has waited for it.
func (s *peakStory) joined() {
	step := &s.p.Steps[s.at]
	if step.NodeOf().OpType != "Concat" || len(step.Writes) == 0 || step.Writes[0] == liveness.NoStorage {
		return
	}
	parts, oldest := int64(0), liveness.NoStorage
	for i, id := range step.Reads {
		if id == liveness.NoStorage || slices.Contains(step.Reads[:i], id) || s.p.Storage(id).Kind != liveness.Activation {
			continue
		}
		if s.lives[id].Last == s.at {
			parts += s.p.Storage(id).Size.Low
		}
		if oldest == liveness.NoStorage || s.lives[id].First < s.lives[oldest].First {
			oldest = id
		}
	}
	if !s.matters(parts) {
		return
	}
	s.say("%s copies %d tensors into one of %s, so that parts and whole are alive together; a runtime whose nodes write straight into the whole does without the parts, which are %s",
		step.Label(), len(step.Reads), bytesText(s.p.Storage(step.Writes[0]).Size.Low), bytesText(parts))
	if st := s.p.Storage(oldest); s.at-s.lives[oldest].First >= longWait && s.matters(st.Size.Low) {
		s.say("%s of it, %s, was made %s before by %s and kept for this: a skip connection costs its size for as long as it spans",
			bytesText(st.Size.Low), st.Name, plural(int(s.at-s.lives[oldest].First), "node"), s.maker(oldest))
	}
}

// longWait is the number of nodes from which waiting is worth a sentence.
const longWait = 4

// waiting names what is alive at the peak without having a part in it: values
// kept for a later node, which skip connections make.
func (s *peakStory) waiting() {
	step := &s.p.Steps[s.at]
	bytes, first, count := int64(0), liveness.NoStorage, 0
	for _, id := range s.alive {
		st := s.p.Storage(id)
		if slices.Contains(step.Reads, id) || slices.Contains(step.Writes, id) || st.Output || st.Size.Low == 0 || s.fixed[id] || s.nextReader(id)-s.at < longWait {
			continue
		}
		bytes += st.Size.Low
		count++
		if first == liveness.NoStorage {
			first = id
		}
	}
	if count == 0 || !s.matters(bytes) {
		return
	}
	st, next := s.p.Storage(first), s.nextReader(first)
	what := "which is"
	if count > 1 {
		what = fmt.Sprintf("%d tensors, the largest being", count)
	}
	s.say("%s of it only waits for later nodes, %s %s: made by %s, it is read next by %s, %s further on. A skip connection costs its size for as long as it spans",
		bytesText(bytes), what, st.Name, s.maker(first), s.p.Steps[next].Label(), plural(int(next-s.at), "node"))
}

// nextReader is the first step after the peak that reads a storage.
func (s *peakStory) nextReader(id liveness.StorageID) int32 {
	for i := s.at + 1; i <= s.lives[id].Last; i++ {
		if slices.Contains(s.p.Steps[i].Reads, id) {
			return i
		}
	}
	return s.lives[id].Last
}

// outputs names results of the model that are there already.
func (s *peakStory) outputs() {
	for _, id := range s.alive {
		if st := s.p.Storage(id); st.Output && 5*st.Size.Low >= s.total {
			s.say("%s of it is %s, an output of the model, which stays to the end of the run", bytesText(st.Size.Low), st.Name)
		}
	}
}

// inPlace counts again with elementwise nodes that write over their input.
func (s *peakStory) inPlace(a *Analysis) {
	again := liveness.NewProgram(a.Numbers, liveness.Options{InPlace: true}).PeakIn(nil, a.opts.FreeInputs)
	if n, ok := again.Size.Exact(); ok && s.matters(s.total-n) {
		s.say("a runtime that lets elementwise nodes write over inputs that nothing needs any more has a peak of node outputs of %s instead of %s (--reuse-inputs)",
			bytesText(n), bytesText(s.total))
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// smallDims says that numbers are of the smallest inputs there are, where more
// than the batch is left open.
func (a *Analysis) smallDims() (list []string) {
	first, _, _ := a.batch()
	for _, name := range a.Symbolic.FreeSymbols {
		if n, assumed := a.Numbers.Assumed[name]; assumed && n == 1 && name != first && a.declares(name) {
			list = append(list, name)
		}
	}
	return list
}

// declares reports whether an input declares a dim by that name.
func (a *Analysis) declares(name string) bool {
	return slices.ContainsFunc(realInputs(a.Program), func(in *onnxgraph.ValueInfo) bool {
		return in.Type != nil && in.Type.Shape != nil && slices.ContainsFunc(in.Type.Shape.Dims, func(d onnxgraph.Dim) bool { return d.Param == name })
	})
}
