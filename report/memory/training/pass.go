package training

import (
	"onnxmem/report/memory/internal/ref"
	"onnxmem/report/memory/internal/tape"
)

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

	last   byStorage[int32]   // the last operator of the forward pass that reads or makes it
	keep   byStorage[int32]   // derivatives that still keep it
	copies byStorage[int8]    // how often it exists
	output byStorage[bool]    // a result, which lives to the end of the step
	free   [][]tape.StorageID // by operator

	uses    byParam[int32] // gradients that are still to come
	reached byParam[bool]  // got a gradient
	grads   ref.Table[tape.Var, *gradient]
	log     []event
	blocks  int32 // made in the backward pass

	now          Breakdown
	forwardPeak  peak
	forwardEnd   Breakdown
	backwardPeak peak
	backwardEnd  Breakdown
	lossSaved    []keptBytes
}

// Tables with a place for each storage, and for each parameter, of a tape.
type (
	byStorage[V any] = ref.Table[tape.Storage, V]
	byParam[V any]   = ref.Table[tape.Param, V]
)

// A peak is the most that was reached, and where.
type peak struct {
	split Breakdown
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
		for _, p := range t.Params.All() {
			s.gathered = max(s.gathered, p.Bytes)
		}
	}
	s.last, s.keep = ref.TableOf[tape.Storage, int32](&t.Storages), ref.TableOf[tape.Storage, int32](&t.Storages)
	s.copies, s.output = ref.TableOf[tape.Storage, int8](&t.Storages), ref.TableOf[tape.Storage, bool](&t.Storages)
	s.segmentOf = make([]int32, len(t.Ops))
	for i := range s.segmentOf {
		s.segmentOf[i] = -1
	}
	for k := range segments {
		for i := segments[k].first; i <= segments[k].last; i++ {
			s.segmentOf[i] = int32(k)
		}
	}
	s.uses, s.reached = ref.TableOf[tape.Param, int32](&t.Params), ref.TableOf[tape.Param, bool](&t.Params)
	s.grads = ref.TableOf[tape.Var, *gradient](&t.Vars)
	for _, v := range t.Outputs {
		if id := t.Vars.At(v).Storage; t.Storages.At(id).Kind == tape.Made {
			s.output.Set(id, true)
		}
	}
	s.count()
	return s
}

// count finds how long each storage lives in the forward pass, how many
// derivatives keep it, and how many gradients each parameter gets.
func (s *pass) count() {
	for id := range s.t.Storages.All() {
		s.last.Set(id, -1)
	}
	for i := range s.t.Ops {
		op := &s.t.Ops[i]
		for _, v := range op.In {
			s.touch(s.t.Vars.At(v).Storage, int32(i))
		}
		for _, id := range op.Made {
			s.touch(id, int32(i))
		}
		for _, id := range op.Once {
			s.touch(id, int32(len(s.t.Ops)))
		}
		if s.segmentOf[i] < 0 {
			for _, id := range op.Saved {
				*s.keep.At(id)++
			}
		}
		for _, g := range op.Grads {
			*s.uses.At(s.t.Vars.At(g.To).Param)++
		}
	}
	for k := range s.segments {
		for _, id := range s.segments[k].inputs {
			*s.keep.At(id)++
		}
	}
	s.free = make([][]tape.StorageID, len(s.t.Ops)+1)
	for id := range s.t.Storages.All() {
		if i := s.last.Get(id); i >= 0 {
			s.free[i] = append(s.free[i], id)
		}
	}
}

func (s *pass) touch(id tape.StorageID, i int32) {
	if s.t.Storages.At(id).Kind == tape.Made && s.last.Get(id) < i {
		s.last.Set(id, i)
	}
}

// make allocates a storage of the forward pass.
func (s *pass) make(id tape.StorageID) {
	*s.copies.At(id)++
	bytes := s.t.Storages.At(id).Bytes
	s.now.Activation += bytes
	s.log = append(s.log, event{id.Number(), bytes})
}

// drop releases a storage that nobody needs any more.
func (s *pass) drop(id tape.StorageID) {
	least := int8(0)
	if s.output.Get(id) {
		least = 1
	}
	if s.copies.Get(id) <= least || s.keep.Get(id) > 0 {
		return
	}
	*s.copies.At(id)--
	bytes := s.t.Storages.At(id).Bytes
	s.now.Activation -= bytes
	s.log = append(s.log, event{id.Number(), -bytes})
}

// note remembers the moment if it is the highest so far.
func (h *peak) note(now Breakdown, scratch int64, at *tape.Op) {
	now.Temporary += scratch
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

func (s *pass) runForward(i int, h *peak) {
	op := &s.t.Ops[i]
	for _, id := range op.Made {
		s.make(id)
	}
	h.note(s.now, op.Scratch, op)
}
