package training

import (
	"onnxmem/report/memory/internal/tape"
)

// maxEvents is the number of allocations up to which the allocator is
// simulated.
const maxEvents = 2_000_000

// reserve is what PyTorch's caching allocator takes from the device until the
// second step is over: allocated bytes, rounded, in whole segments that it
// keeps. Where the step is sharded or too long to follow it is the peak in
// whole segments.
func (p *plan) reserve(s *pass, res *Result, trained []tape.Param, temps int64) int64 {
	least := roundUp(res.PeakBytes, largeUnit)
	if p.Zero > 0 || len(s.log) > maxEvents {
		return least
	}
	a := newCachingAllocator()
	for _, p := range s.t.Params.All() {
		a.alloc(p.Bytes)
	}
	a.alloc(s.t.BufferBytes)
	for _, id := range s.t.Inputs {
		a.alloc(s.t.Storages.At(id).Bytes)
	}
	if s.held > 0 {
		for i := range trained {
			a.alloc(trained[i].Bytes)
		}
	}
	first := s.replay(a)
	size := p.Precision.stateBytes()
	for i := range trained {
		a.alloc(p.optimizer.state(trained[i].Dims, size))
		if p.Precision == BF16Master {
			a.alloc(4 * elements(trained[i].Dims))
		}
	}
	p.update(a, trained, temps)
	for _, b := range first {
		a.release(b)
	}
	s.replay(a)
	p.update(a, trained, temps)
	return max(a.reserved, least)
}

// update allocates the temporaries of the optimizer's step.
func (p *plan) update(a *cachingAllocator, trained []tape.Param, temps int64) {
	var blocks []*slice
	total := int64(0)
	for i := range trained {
		total += trained[i].Bytes
	}
	if !p.ForLoop && total > 0 && temps >= total {
		for i := range trained {
			blocks = append(blocks, a.alloc(temps/total*trained[i].Bytes))
		}
	} else {
		blocks = append(blocks, a.alloc(temps))
	}
	for _, b := range blocks {
		a.release(b)
	}
}

// replay runs the allocations of a forward and backward pass, and returns what
// is left: gradients, outputs.
func (s *pass) replay(a *cachingAllocator) []*slice {
	alive := make([]*slice, s.t.Storages.Len()+int(s.blocks))
	again := map[int32]*slice{} // made a second time while the first is still there
	for _, e := range s.log {
		switch {
		case e.bytes > 0 && alive[e.id] != nil:
			again[e.id] = a.alloc(e.bytes)
		case e.bytes > 0:
			alive[e.id] = a.alloc(e.bytes)
		case again[e.id] != nil:
			a.release(again[e.id])
			delete(again, e.id)
		default:
			a.release(alive[e.id])
			alive[e.id] = nil
		}
	}
	return alive
}
