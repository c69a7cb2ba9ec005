package liveness

import (
	"onnxmem/report/memory"
)

// bestFit runs through the steps as an allocator would: what died is free
// again, and a new block goes into the smallest hole that holds it, else to
// the end.
func bestFit(blocks []Placement) Arena {
	a := Arena{Strategy: "best fit", Placements: make([]Placement, len(blocks))}
	live := newPriorityQueue(func(a, b Placement) bool { return a.Life.Last < b.Life.Last })
	var free holes
	for i, b := range blocks {
		for live.len() > 0 && live.first().Life.Last < b.Life.First {
			dead := live.pop()
			free.release(dead.Offset, dead.Size)
		}
		offset, ok := free.take(b.Size)
		if !ok {
			offset = free.extend(&a.Bytes, b.Size)
		}
		b.Offset = offset
		a.Placements[i] = b
		live.push(b)
	}
	return a
}

// holes are the free ranges below the arena's end, by offset, never adjacent.
type holes []hole

type hole struct{ offset, size int64 }

// take cuts size bytes from the smallest hole that has them.
func (h *holes) take(size int64) (offset int64, ok bool) {
	best := -1
	for i, x := range *h {
		if x.size >= size && (best < 0 || x.size < (*h)[best].size) {
			best = i
		}
	}
	if best < 0 {
		return 0, false
	}
	x := &(*h)[best]
	offset = x.offset
	x.offset, x.size = x.offset+size, x.size-size
	if x.size == 0 {
		*h = append((*h)[:best], (*h)[best+1:]...)
	}
	return offset, true
}

// extend makes the arena longer by what a block lacks behind the last hole, if
// that touches the end.
func (h *holes) extend(end *int64, size int64) (offset int64) {
	offset = *end
	if n := len(*h); n > 0 && (*h)[n-1].offset+(*h)[n-1].size == *end {
		offset = (*h)[n-1].offset
		*h = (*h)[:n-1]
	}
	*end = memory.AddBytes(offset, size)
	return offset
}

// release frees a range and joins it with its neighbours.
func (h *holes) release(offset, size int64) {
	list := *h
	i, j := 0, len(list)
	for i < j {
		if m := (i + j) / 2; list[m].offset < offset {
			i = m + 1
		} else {
			j = m
		}
	}
	joinsLeft := i > 0 && list[i-1].offset+list[i-1].size == offset
	joinsRight := i < len(list) && offset+size == list[i].offset
	switch {
	case joinsLeft && joinsRight:
		list[i-1].size += size + list[i].size
		list = append(list[:i], list[i+1:]...)
	case joinsLeft:
		list[i-1].size += size
	case joinsRight:
		list[i].offset, list[i].size = offset, list[i].size+size
	default:
		list = append(list, hole{})
		copy(list[i+1:], list[i:])
		list[i] = hole{offset, size}
	}
	*h = list
}
