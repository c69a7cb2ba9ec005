package liveness

import "container/heap"

// A priorityQueue gives back the element that comes before all others. It is
// container/heap with types.
type priorityQueue[T any] struct{ heap heapOf[T] }

func newPriorityQueue[T any](before func(a, b T) bool) *priorityQueue[T] {
	return &priorityQueue[T]{heapOf[T]{before: before}}
}

func (q *priorityQueue[T]) len() int { return len(q.heap.elems) }

// first is the element that pop returns next; the queue must not be empty.
func (q *priorityQueue[T]) first() T { return q.heap.elems[0] }

func (q *priorityQueue[T]) push(x T) { heap.Push(&q.heap, x) }

func (q *priorityQueue[T]) pop() T { return heap.Pop(&q.heap).(T) }

// heapOf implements [heap.Interface].
type heapOf[T any] struct {
	elems  []T
	before func(a, b T) bool
}

// Len implements [heap.Interface].
func (h *heapOf[T]) Len() int { return len(h.elems) }

// Less implements [heap.Interface].
func (h *heapOf[T]) Less(i, j int) bool { return h.before(h.elems[i], h.elems[j]) }

// Swap implements [heap.Interface].
func (h *heapOf[T]) Swap(i, j int) { h.elems[i], h.elems[j] = h.elems[j], h.elems[i] }

// Push implements [heap.Interface].
func (h *heapOf[T]) Push(x any) { h.elems = append(h.elems, x.(T)) }

// Pop implements [heap.Interface].
func (h *heapOf[T]) Pop() any {
	last := h.elems[len(h.elems)-1]
	h.elems = h.elems[:len(h.elems)-1]
	return last
}
