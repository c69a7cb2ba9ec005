package onnxgraph

// A slab hands out zeroed values from arrays of growing size, so that a graph
// of 100,000 nodes takes a few thousand allocations instead of a few million.
type slab[T any] struct {
	free []T
	next int // length of the next array
}

const maxSlab = 128 // values

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.next = min(max(2*s.next, 1), maxSlab)
		s.free = make([]T, s.next)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

// A stack collects lists whose length is not known until their message ends.
// Lists nest as messages do: mark where one begins, push its elements, take it.
type stack[T any] struct {
	items []T
	free  []T // where taken lists are cut from
	next  int // length of the next array
}

func (s *stack[T]) mark() int { return len(s.items) }

func (s *stack[T]) push(v T) { s.items = append(s.items, v) }

// take returns the elements pushed since the mark in a list of exactly their
// number, nil when there are none, and forgets them.
func (s *stack[T]) take(mark int) []T {
	items := s.items[mark:]
	n := len(items)
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		s.next = min(max(2*s.next, 4), 2*maxSlab)
		s.free = make([]T, max(s.next, n))
	}
	list := s.free[:n:n]
	s.free = s.free[n:]
	copy(list, items)
	clear(items)
	s.items = s.items[:mark]
	return list
}
