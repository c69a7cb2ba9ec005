package liveness

// A schedulePart is a run of steps that come after all earlier parts and before
// all later ones in every order.
type schedulePart struct {
	g        *scheduleGraph
	first    int32   // index of its first step; the others follow
	steps    int32   // number of them
	base     int64   // bytes that are alive before it
	left     []int32 // readers left before it, of the storages that it touches
	ids      []int32 // those storages
	order    []int32 // the best order found so far
	peak     int64   // its peak
	ownPeak  int64   // of the program's own order
	settled  bool    // nothing more is tried
	exact    bool    // no order needs less
	waits    []int32 // by step of the part: steps of the part that it waits for
	followed [][]int32
}

// parts cuts the program at every step that all earlier steps lead to and from
// which all later ones come: each earlier step has a reader up to the cut, and
// each later one waits for something from the cut on.
func (g *scheduleGraph) parts() []*schedulePart {
	n := len(g.after)
	nearest := make([]int32, n) // nearest step that waits for it
	latest := make([]int32, n)  // latest step that it waits for
	for i := range nearest {
		nearest[i], latest[i] = int32(n), -1
	}
	for i, ids := range g.after {
		for _, a := range ids {
			nearest[a] = min(nearest[a], int32(i))
			latest[i] = max(latest[i], a)
		}
	}
	leastLatest := make([]int32, n+1) // over later steps
	leastLatest[n] = int32(n)
	for i := n - 1; i >= 0; i-- {
		leastLatest[i] = min(leastLatest[i+1], latest[i])
	}
	var parts []*schedulePart
	s := g.start()
	first, reach := int32(0), int32(0)
	for i := int32(0); i < int32(n); i++ {
		if i > 0 {
			reach = max(reach, nearest[i-1])
		}
		if last := i == int32(n-1); last || reach <= i && leastLatest[i+1] >= i {
			parts = append(parts, g.part(s, first, i+1-first))
			first = i + 1
		}
	}
	return parts
}

// part makes a part and moves s behind it.
func (g *scheduleGraph) part(s *progress, first, steps int32) *schedulePart {
	part := &schedulePart{g: g, first: first, steps: steps, base: s.alive}
	if steps > 1 {
		seen := map[int32]bool{}
		for i := first; i < first+steps; i++ {
			for _, ids := range [][]int32{g.touches[i], g.makes[i]} {
				for _, id := range ids {
					if !seen[id] {
						seen[id] = true
						part.ids, part.left = append(part.ids, id), append(part.left, s.left[id])
					}
				}
			}
		}
	}
	part.order = make([]int32, steps)
	s.peak = 0
	for k := range part.order {
		part.order[k] = first + int32(k)
		s.run(part.order[k])
	}
	part.peak, part.ownPeak = s.peak, s.peak
	part.settled = steps == 1
	part.exact = part.settled
	return part
}

// begin is the progress before the part, sharing scratch for what is left.
func (part *schedulePart) begin(scratch []int32) *progress {
	for k, id := range part.ids {
		scratch[id] = part.left[k]
	}
	return &progress{g: part.g, left: scratch, alive: part.base}
}

// lowerBound is what no order of the part can do without.
func (part *schedulePart) lowerBound() int64 {
	g, least := part.g, int64(0)
	for i := part.first; i < part.first+part.steps; i++ {
		need := g.inside[i]
		for _, ids := range [][]int32{g.makes[i], g.touches[i]} {
			for _, id := range ids {
				need += g.size[id]
			}
		}
		least = max(least, need)
	}
	return least
}

// settle finds the best order of the part within the effort that is left.
func (part *schedulePart) settle(effort *int) {
	part.settled = true
	part.edges()
	scratch := make([]int32, len(part.g.readers))
	for _, order := range [][]int32{part.greedy(scratch, false), part.greedy(scratch, true), part.depthFirst()} {
		part.offer(order, scratch)
	}
	if part.peak <= part.lowerBound() {
		part.exact = true
		return
	}
	if order, done := part.search(scratch, effort); done {
		part.exact = true
		if order != nil {
			part.offer(order, scratch)
		}
	}
}

// offer takes an order if it needs less than the best so far.
func (part *schedulePart) offer(order []int32, scratch []int32) {
	if len(order) != int(part.steps) {
		return
	}
	s := part.begin(scratch)
	for _, i := range order {
		s.run(i)
	}
	if s.peak < part.peak {
		part.peak, part.order = s.peak, order
	}
}

// edges lists who waits for whom inside the part.
func (part *schedulePart) edges() {
	part.waits = make([]int32, part.steps)
	part.followed = make([][]int32, part.steps)
	for k := range part.waits {
		for _, a := range part.g.after[part.first+int32(k)] {
			if a >= part.first {
				part.waits[k]++
				part.followed[a-part.first] = append(part.followed[a-part.first], part.first+int32(k))
			}
		}
	}
}
