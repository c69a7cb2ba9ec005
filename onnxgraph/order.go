package onnxgraph

// This file finds the readers of each value, and an order of the nodes in which
// producers come before readers.

// finish computes the readers of each value and the dependency order.
func (p *Program) finish(s *Scope) {
	s.index()
	s.Order = make([]int32, len(s.Nodes))
	for i := range s.Order {
		s.Order[i] = int32(i)
	}
	if s.Sorted = s.inOrder(); s.Sorted {
		return
	}
	p.problem(Unsorted, s, "", "", "the nodes are not in topological order, as ONNX requires; they were sorted")
	p.sort(s)
}

// index builds the table of uses: for each value the nodes that read it,
// those whose subgraphs read it included.
func (s *Scope) index() {
	s.useStart = make([]int32, len(s.Values)+1)
	s.eachRead(func(id ValueID, _ Use) { s.useStart[id+1]++ })
	for i := range s.Values {
		s.useStart[i+1] += s.useStart[i]
	}
	s.uses = make([]Use, s.useStart[len(s.Values)])
	next := make([]int32, len(s.Values))
	copy(next, s.useStart)
	s.eachRead(func(id ValueID, u Use) {
		s.uses[next[id]] = u
		next[id]++
	})
}

func (s *Scope) eachRead(f func(ValueID, Use)) {
	for i := range s.Nodes {
		for slot, id := range s.NodeInputs(int32(i)) {
			if id != NoValue {
				f(id, Use{int32(i), int32(slot)})
			}
		}
		if s.implicitInputs != nil {
			for _, id := range s.implicitInputs[int32(i)] {
				f(id, Use{int32(i), -1})
			}
		}
	}
}

func (s *Scope) inOrder() bool {
	sorted := true
	s.eachRead(func(id ValueID, u Use) {
		if s.Values[id].Producer >= u.Node {
			sorted = false
		}
	})
	return sorted
}

// sort is Kahn's algorithm with the file's order among the nodes that are
// ready, so that the result is the one closest to the file. Nodes on a cycle
// follow at the end and are reported.
func (p *Program) sort(s *Scope) {
	waiting := make([]int32, len(s.Nodes))
	s.eachRead(func(id ValueID, u Use) {
		if s.Values[id].Producer >= 0 {
			waiting[u.Node]++
		}
	})
	ready := nodeHeap{}
	for i := range s.Nodes {
		if waiting[i] == 0 {
			ready.push(int32(i))
		}
	}
	order := s.Order[:0]
	done := make([]bool, len(s.Nodes))
	for len(ready) > 0 {
		i := ready.pop()
		order = append(order, i)
		done[i] = true
		for _, out := range s.NodeOutputs(i) {
			if out == NoValue {
				continue
			}
			for _, u := range s.Uses(out) {
				if waiting[u.Node]--; waiting[u.Node] == 0 {
					ready.push(u.Node)
				}
			}
		}
	}
	for i := range s.Nodes {
		if !done[i] {
			order = append(order, int32(i))
			p.problem(Cycle, s, NodeLabel(s.Nodes[i], i), "", "%s depends on its own output, directly or through other nodes", s.Nodes[i].OpType)
		}
	}
	s.Order = order
}

// nodeHeap is a binary min-heap of node indices.
type nodeHeap []int32

func (h *nodeHeap) push(x int32) {
	*h = append(*h, x)
	a, i := *h, len(*h)-1
	for i > 0 && a[(i-1)/2] > a[i] {
		a[(i-1)/2], a[i] = a[i], a[(i-1)/2]
		i = (i - 1) / 2
	}
}

func (h *nodeHeap) pop() int32 {
	a := *h
	top, last := a[0], len(a)-1
	a[0] = a[last]
	a = a[:last]
	for i := 0; ; {
		least := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < last && a[child] < a[least] {
				least = child
			}
		}
		if least == i {
			break
		}
		a[i], a[least] = a[least], a[i]
		i = least
	}
	*h = a
	return top
}
