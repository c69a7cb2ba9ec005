package liveness

// search looks for an order of the part whose peak is below the best so far.
// Its states are sets of finished steps; it expands the one whose peak is least
// first, so the first complete one is optimal. done says that it came to an end
// within the effort; order is nil when nothing better exists.
//
// A ready step that does not raise the peak so far, and leaves no more alive
// than before, runs at once: any set of finished steps needs no more with it
// than without it, so no order loses by that.
func (part *schedulePart) search(scratch []int32, effort *int) (order []int32, done bool) {
	s := &searcher{part: part, scratch: scratch, effort: effort}
	first := s.advance(&state{set: make([]uint64, (part.steps+63)/64), step: -1})
	seen := map[string]int64{first.key(): first.peak}
	queue := newPriorityQueue(nearer)
	queue.push(first)
	for queue.len() > 0 {
		at := queue.pop()
		if seen[at.key()] < at.peak {
			continue
		}
		if at.count == part.steps {
			return at.order(), true
		}
		p := s.resume(at)
		for _, i := range s.ready(at) {
			peak := max(at.peak, p.during(i))
			if peak >= part.peak {
				continue
			}
			next := at.with(i, part.first)
			next.peak = peak
			next = s.advance(next)
			if *s.effort < 0 {
				return nil, false
			}
			k := next.key()
			if old, ok := seen[k]; ok && old <= next.peak {
				continue
			}
			seen[k] = next.peak
			queue.push(next)
		}
	}
	return nil, true
}

type searcher struct {
	part    *schedulePart
	scratch []int32
	effort  *int
}

// A state is a set of finished steps of a part and the way to it.
type state struct {
	set    []uint64
	count  int32
	peak   int64
	parent *state
	step   int32 // the last step; -1 at the start
}

func (s *state) has(k int32) bool { return s.set[k/64]>>(uint(k)%64)&1 != 0 }

func (s *state) with(i, first int32) *state {
	next := &state{set: append([]uint64(nil), s.set...), count: s.count + 1, peak: s.peak, parent: s, step: i}
	next.set[(i-first)/64] |= 1 << (uint(i-first) % 64)
	return next
}

func (s *state) key() string {
	b := make([]byte, 0, 8*len(s.set))
	for _, w := range s.set {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24), byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56))
	}
	return string(b)
}

func (s *state) order() []int32 {
	order := make([]int32, s.count)
	for at := s.count - 1; at >= 0; at-- {
		order[at] = s.step
		s = s.parent
	}
	return order
}

// resume computes what is alive after the steps of a state.
func (s *searcher) resume(at *state) *progress {
	p := s.part.begin(s.scratch)
	for k := int32(0); k < s.part.steps; k++ {
		*s.effort--
		if !at.has(k) {
			continue
		}
		// What is alive does not hang on the order, so any will do; steps that
		// make a storage run before those that end it in the program's own.
		p.run(s.part.first + k)
	}
	p.peak = 0
	return p
}

// ready lists the steps that nothing keeps from running.
func (s *searcher) ready(at *state) []int32 {
	var list []int32
	for k := int32(0); k < s.part.steps; k++ {
		*s.effort--
		if !at.has(k) && s.canRun(at, s.part.first+k) {
			list = append(list, s.part.first+k)
		}
	}
	return list
}

func (s *searcher) canRun(at *state, i int32) bool {
	for _, a := range s.part.g.after[i] {
		if a >= s.part.first && !at.has(a-s.part.first) {
			return false
		}
	}
	return true
}

// advance runs all steps that cost nothing.
func (s *searcher) advance(at *state) *state {
	p := s.resume(at)
	for again := true; again && *s.effort >= 0; {
		again = false
		for _, i := range s.ready(at) {
			if p.during(i) > at.peak || p.delta(i) > 0 {
				continue
			}
			p.run(i)
			at = at.with(i, s.part.first)
			again = true
		}
	}
	return at
}

// nearer puts the state of the least peak first, and among equals the one that
// has come furthest.
func nearer(a, b *state) bool {
	if a.peak != b.peak {
		return a.peak < b.peak
	}
	return a.count > b.count
}
