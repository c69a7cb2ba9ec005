package liveness

// greedy runs, again and again, the ready step that ends most, or adds least.
// With eager the step that became ready last goes first among equals, which
// follows one branch to its end. What a step would end changes when another
// reader of its inputs has run, so those are weighed again.
func (part *schedulePart) greedy(scratch []int32, eager bool) []int32 {
	s := part.begin(scratch)
	g := part.g
	waits := append([]int32(nil), part.waits...)
	done := make([]bool, part.steps)
	q := newPriorityQueue(endsMore)
	version := make([]int32, part.steps) // of each step's newest entry; older ones are void
	stamp := int32(0)
	push := func(i int32) {
		stamp++
		tie := i
		if eager {
			tie = -stamp
		}
		version[i-part.first]++
		q.push(readyStep{i, s.delta(i), tie, version[i-part.first]})
	}
	for k, n := range waits {
		if n == 0 {
			push(part.first + int32(k))
		}
	}
	order := make([]int32, 0, part.steps)
	for q.len() > 0 {
		r := q.pop()
		k := r.step - part.first
		if done[k] || version[k] != r.version {
			continue
		}
		done[k] = true
		s.run(r.step)
		order = append(order, r.step)
		for _, u := range part.followed[k] {
			if waits[u-part.first]--; waits[u-part.first] == 0 {
				push(u)
			}
		}
		for _, id := range g.touches[r.step] {
			if s.left[id] != 1 {
				continue
			}
			for _, u := range g.users[id] {
				if part.has(u) && !done[u-part.first] && waits[u-part.first] == 0 {
					push(u)
				}
			}
		}
	}
	return order
}

func (part *schedulePart) has(i int32) bool { return i >= part.first && i < part.first+part.steps }

type readyStep struct {
	step    int32
	delta   int64
	tie     int32
	version int32
}

// endsMore puts the step first that leaves the least in memory.
func endsMore(a, b readyStep) bool {
	if a.delta != b.delta {
		return a.delta < b.delta
	}
	return a.tie < b.tie
}

// depthFirst finishes what a step needs before the step, the producers of its
// largest inputs first, as the numbering of Sethi and Ullman does for
// expression trees.
func (part *schedulePart) depthFirst() []int32 {
	type visit struct {
		step  int32
		leave bool
	}
	var stack []visit
	for k := part.steps - 1; k >= 0; k-- {
		if len(part.followed[k]) == 0 {
			stack = append(stack, visit{part.first + k, false})
		}
	}
	seen := make([]bool, part.steps)
	order := make([]int32, 0, part.steps)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v.leave {
			order = append(order, v.step)
			continue
		}
		if seen[v.step-part.first] {
			continue
		}
		seen[v.step-part.first] = true
		stack = append(stack, visit{v.step, true})
		from := len(stack)
		for _, a := range part.g.after[v.step] {
			if a >= part.first {
				stack = append(stack, visit{a, false})
			}
		}
		// The last of the stack is next: sort small results to the front.
		inputs := stack[from:]
		for a := 1; a < len(inputs); a++ {
			for b := a; b > 0 && part.g.outBytes(inputs[b].step) < part.g.outBytes(inputs[b-1].step); b-- {
				inputs[b], inputs[b-1] = inputs[b-1], inputs[b]
			}
		}
	}
	return order
}

func (g *scheduleGraph) outBytes(i int32) int64 {
	n := int64(0)
	for _, id := range g.makes[i] {
		n += g.size[id]
	}
	return n
}
