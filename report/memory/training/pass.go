package training

import "onnxmem/report/memory/tape"

// A pass simulates the forward and the backward pass over a tape. What it
// counts is activations, gradients and temporaries; parameters, buffers, inputs
// and states are the same throughout.
type pass struct {
	t    *tape.Tape
	plan *plan

	params   int64 // bytes of parameters on this device
	held     int64 // gradients that a former pass left
	gathered int64 // the largest layer that shards put together

	segments  []segment
	segmentOf []int32 // by operator; -1 outside segments

	last   []int32 // by storage: the last operator of the forward pass that reads or makes it
	keep   []int32 // by storage: derivatives that still keep it
	copies []int8  // by storage: how often it exists
	output []bool  // by storage: a result, which lives to the end of the step
	free   [][]tape.StorageID

	uses    []int32 // by parameter: gradients that are still to come
	reached []bool  // by parameter: got a gradient
	grads   []*gradient
	log     []event
	blocks  int32 // made in the backward pass

	now          Split
	forwardPeak  high
	forwardEnd   Split
	backwardPeak high
	backwardEnd  Split
	lossSaved    []keptBytes
}

// A high is the most that was reached, and where.
type high struct {
	split Split
	at    *tape.Op
}

// keptBytes is something that the loss keeps.
type keptBytes struct {
	kind  string
	bytes int64
}

// An event is one allocation or release, for the allocator's simulation: id
// counts blocks, bytes is negative on release.
type event struct {
	id    int32
	bytes int64
}

const lossBytes = 4

func newPass(t *tape.Tape, p *plan, segments []segment) *pass {
	s := &pass{t: t, plan: p, segments: segments, params: t.ParameterBytes}
	if p.Zero > 2 {
		s.params = split(s.params, int64(p.GPUs))
		for i := range t.Params {
			s.gathered = max(s.gathered, t.Params[i].Bytes)
		}
	}
	n := len(t.Storages)
	s.last, s.keep, s.copies, s.output = make([]int32, n), make([]int32, n), make([]int8, n), make([]bool, n)
	s.segmentOf = make([]int32, len(t.Ops))
	for i := range s.segmentOf {
		s.segmentOf[i] = -1
	}
	for k := range segments {
		for i := segments[k].first; i <= segments[k].last; i++ {
			s.segmentOf[i] = int32(k)
		}
	}
	s.uses, s.reached = make([]int32, len(t.Params)), make([]bool, len(t.Params))
	s.grads = make([]*gradient, len(t.Vars))
	for _, v := range t.Outputs {
		if id := t.Vars[v].Storage; id >= 0 && t.Storages[id].Kind == tape.Made {
			s.output[id] = true
		}
	}
	s.count()
	return s
}

// count finds how long each storage lives in the forward pass, how many
// derivatives keep it, and how many gradients each parameter gets.
func (s *pass) count() {
	for i := range s.last {
		s.last[i] = -1
	}
	for i := range s.t.Ops {
		op := &s.t.Ops[i]
		for _, v := range op.In {
			s.touch(s.t.Vars[v].Storage, int32(i))
		}
		for _, id := range op.Made {
			s.touch(id, int32(i))
		}
		for _, id := range op.Once {
			s.touch(id, int32(len(s.t.Ops)))
		}
		if s.segmentOf[i] < 0 {
			for _, id := range op.Saved {
				s.keep[id]++
			}
		}
		for _, g := range op.Grads {
			if p := s.t.Vars[g.To].Param; p >= 0 {
				s.uses[p]++
			}
		}
	}
	for k := range s.segments {
		for _, id := range s.segments[k].inputs {
			s.keep[id]++
		}
	}
	s.free = make([][]tape.StorageID, len(s.t.Ops)+1)
	for id, i := range s.last {
		if i >= 0 {
			s.free[i] = append(s.free[i], tape.StorageID(id))
		}
	}
}

func (s *pass) touch(id tape.StorageID, i int32) {
	if id >= 0 && s.t.Storages[id].Kind == tape.Made && s.last[id] < i {
		s.last[id] = i
	}
}

// make allocates a storage of the forward pass.
func (s *pass) make(id tape.StorageID) {
	s.copies[id]++
	s.now.Activation += s.t.Storages[id].Bytes
	s.log = append(s.log, event{int32(id), s.t.Storages[id].Bytes})
}

// drop releases a storage that nobody needs any more.
func (s *pass) drop(id tape.StorageID) {
	least := int8(0)
	if s.output[id] {
		least = 1
	}
	if s.copies[id] <= least || s.keep[id] > 0 {
		return
	}
	s.copies[id]--
	s.now.Activation -= s.t.Storages[id].Bytes
	s.log = append(s.log, event{int32(id), -s.t.Storages[id].Bytes})
}

// note remembers the moment if it is the highest so far.
func (h *high) note(now Split, scratch int64, at *tape.Op) {
	now.Temp += scratch
	if now.Sum() > h.split.Sum() {
		h.split, h.at = now, at
	}
}

// forward runs the operators in order.
func (s *pass) forward() {
	if s.plan.Accumulate > 1 {
		s.holdGradients()
	}
	s.forwardPeak.note(s.now, 0, nil)
	for i := range s.t.Ops {
		s.runForward(i, &s.forwardPeak)
		for _, id := range s.free[i] {
			s.drop(id)
		}
	}
	for _, id := range s.free[len(s.t.Ops)] {
		s.drop(id)
	}
	s.loss()
	s.forwardEnd = s.now
}

func (s *pass) runForward(i int, h *high) {
	op := &s.t.Ops[i]
	for _, id := range op.Made {
		s.make(id)
	}
	h.note(s.now, op.Scratch, op)
}
