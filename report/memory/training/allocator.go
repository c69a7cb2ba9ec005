package training

import "slices"

// The sizes of PyTorch's caching allocator (c10/cuda/CUDACachingAllocator.cpp),
// in bytes.
const (
	blockUnit     = 512      // every block is a multiple of it
	smallLimit    = 1 << 20  // up to here a block comes from a small segment
	smallSegment  = 2 << 20  // the size of those
	middleLimit   = 10 << 20 // below it a block comes from a segment of middleSegment
	middleSegment = 20 << 20
	largeUnit     = 2 << 20 // above it a segment is the next multiple of this
)

// A cachingAllocator hands out blocks of segments that it never gives back, by
// best fit, splits blocks and joins free neighbours.
type cachingAllocator struct {
	reserved     int64
	small, large pool
}

// A pool holds the free blocks of one kind of segment by size.
type pool struct {
	sizes []int64 // that have blocks, ascending
	free  map[int64][]*slice
}

// A slice is one part of a segment.
type slice struct {
	bytes      int64
	prev, next *slice
	taken      bool
	small      bool
	at         int // among the free ones of its size
}

func newCachingAllocator() *cachingAllocator {
	return &cachingAllocator{small: pool{free: map[int64][]*slice{}}, large: pool{free: map[int64][]*slice{}}}
}

func roundUp(bytes, unit int64) int64 { return (bytes + unit - 1) / unit * unit }

// alloc returns a block of at least that size, nil for none.
func (a *cachingAllocator) alloc(bytes int64) *slice {
	if bytes <= 0 {
		return nil
	}
	size := roundUp(bytes, blockUnit)
	small := size <= smallLimit
	p := a.pool(small)
	s := p.take(size)
	if s == nil {
		segment := int64(smallSegment)
		switch {
		case small:
		case size < middleLimit:
			segment = middleSegment
		default:
			segment = roundUp(size, largeUnit)
		}
		a.reserved += segment
		s = &slice{bytes: segment, small: small}
	}
	s.taken = true
	rest := s.bytes - size
	if small && rest >= blockUnit || !small && rest > smallLimit {
		tail := &slice{bytes: rest, prev: s, next: s.next, small: small}
		if s.next != nil {
			s.next.prev = tail
		}
		s.next, s.bytes = tail, size
		p.put(tail)
	}
	return s
}

// release gives a block back and joins it with free neighbours.
func (a *cachingAllocator) release(s *slice) {
	if s == nil {
		return
	}
	s.taken = false
	if n := s.next; n != nil && !n.taken {
		a.pool(s.small).remove(n)
		s.bytes += n.bytes
		s.next = n.next
		if n.next != nil {
			n.next.prev = s
		}
	}
	if p := s.prev; p != nil && !p.taken {
		a.pool(s.small).remove(p)
		p.bytes += s.bytes
		p.next = s.next
		if s.next != nil {
			s.next.prev = p
		}
		s = p
	}
	a.pool(s.small).put(s)
}

func (a *cachingAllocator) pool(small bool) *pool {
	if small {
		return &a.small
	}
	return &a.large
}

func (p *pool) put(s *slice) {
	list, known := p.free[s.bytes]
	if !known {
		i, _ := slices.BinarySearch(p.sizes, s.bytes)
		p.sizes = slices.Insert(p.sizes, i, s.bytes)
	}
	s.at = len(list)
	p.free[s.bytes] = append(list, s)
}

// remove takes a free block out of its pool.
func (p *pool) remove(s *slice) {
	list := p.free[s.bytes]
	last := list[len(list)-1]
	list[s.at], last.at = last, s.at
	if list = list[:len(list)-1]; len(list) > 0 {
		p.free[s.bytes] = list
		return
	}
	delete(p.free, s.bytes)
	i, _ := slices.BinarySearch(p.sizes, s.bytes)
	p.sizes = slices.Delete(p.sizes, i, i+1)
}

// take removes the smallest block of at least that size, nil when there is
// none.
func (p *pool) take(size int64) *slice {
	i, _ := slices.BinarySearch(p.sizes, size)
	if i == len(p.sizes) {
		return nil
	}
	list := p.free[p.sizes[i]]
	s := list[len(list)-1]
	p.remove(s)
	return s
}
