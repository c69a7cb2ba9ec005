// Package ref refers to the members of a list, or to none of them, in a way
// that cannot go wrong as a number can: -1 for "none" indexes a slice as
// readily as 0 does, and panics.
package ref

import (
	"iter"
)

// An ID is the place of a T in its [List], or none, which is what the zero ID
// stands for. It is no number, so that no slice can be indexed with it.
type ID[T any] struct{ next int32 } // one more than the index

// Of is the ID of the member at an index; none below 0, where other packages
// keep their own "none".
func Of[T any](index int) ID[T] {
	if index < 0 {
		return ID[T]{}
	}
	return ID[T]{int32(index) + 1}
}

// None reports whether an ID refers to nothing.
func (id ID[T]) None() bool { return id.next == 0 }

// Index is the place in the list; ok is false for none.
func (id ID[T]) Index() (index int, ok bool) { return int(id.next) - 1, id.next != 0 }

// Number is the place in the list as it is printed or logged, -1 for none. It
// is not meant to index anything.
func (id ID[T]) Number() int32 { return id.next - 1 }

// A List is what IDs refer to.
type List[T any] struct{ items []T }

// ListOf returns an empty list with room for n members.
func ListOf[T any](n int) List[T] { return List[T]{make([]T, 0, n)} }

// Len is the number of members.
func (l *List[T]) Len() int { return len(l.items) }

// Add appends a member.
func (l *List[T]) Add(x T) ID[T] {
	l.items = append(l.items, x)
	return ID[T]{int32(len(l.items))}
}

// At is a member. For none it is a zero T that belongs to no list, so that a
// list's T is made to mean "nothing is known" when it is zero.
func (l *List[T]) At(id ID[T]) *T {
	if id.next == 0 {
		return new(T)
	}
	return &l.items[id.next-1]
}

// All goes over the members in order.
func (l *List[T]) All() iter.Seq2[ID[T], *T] {
	return func(yield func(ID[T], *T) bool) {
		for i := range l.items {
			if !yield(ID[T]{int32(i) + 1}, &l.items[i]) {
				return
			}
		}
	}
}

// A Table holds a V for each T of a list.
type Table[T, V any] struct{ items []V }

// TableOf returns a table of zero Vs for the members that a list has now.
func TableOf[T, V any](l *List[T]) Table[T, V] { return Table[T, V]{make([]V, len(l.items))} }

// Get is what the table holds for a member, the zero V for none.
func (t Table[T, V]) Get(id ID[T]) V {
	if id.next == 0 {
		var zero V
		return zero
	}
	return t.items[id.next-1]
}

// Set changes what the table holds for a member. For none it does nothing.
func (t Table[T, V]) Set(id ID[T], v V) {
	if id.next != 0 {
		t.items[id.next-1] = v
	}
}

// At is the place of a member in the table; for none a place in no table.
func (t Table[T, V]) At(id ID[T]) *V {
	if id.next == 0 {
		return new(V)
	}
	return &t.items[id.next-1]
}
