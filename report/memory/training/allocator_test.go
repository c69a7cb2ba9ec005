package training

import (
	"math/rand/v2"
	"testing"
)

// TestCachingAllocator follows the allocator's rules by hand.
func TestCachingAllocator(t *testing.T) {
	const mb = 1 << 20
	a := newCachingAllocator()
	step := func(what string, want int64) {
		t.Helper()
		if a.reserved != want {
			t.Errorf("%s: reserved %d, must be %d", what, a.reserved, want)
		}
	}
	small := a.alloc(1)
	step("a byte takes a small segment", 2*mb)
	a.alloc(mb)
	step("a megabyte fits beside it", 2*mb)
	a.alloc(mb)
	step("another does not: 512 bytes are taken", 4*mb)
	middle := a.alloc(mb + 1)
	step("above a megabyte comes a segment of 20", 24*mb)
	a.alloc(9 * mb)
	step("which the next one shares", 24*mb)
	a.alloc(10 * mb)
	step("10 do not fit and get a segment of their own", 34*mb)
	a.alloc(11*mb + 1)
	step("in multiples of two", 46*mb)
	a.release(small)
	a.release(middle)
	step("nothing is given back", 46*mb)
	a.alloc(mb + 500)
	a.alloc(100)
	step("and what was freed is used again", 46*mb)
}

// TestCachingAllocatorJoins frees everything in random order: the free parts
// join to whole segments, so that the same again takes nothing more.
func TestCachingAllocatorJoins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a := newCachingAllocator()
	var sizes []int64
	for range 500 {
		sizes = append(sizes, 1+r.Int64N(1<<(10+r.IntN(14))))
	}
	run := func() {
		var blocks []*slice
		for _, n := range sizes {
			b := a.alloc(n)
			if b.bytes < n || b.bytes%blockUnit != 0 {
				t.Fatalf("block of %d bytes for %d", b.bytes, n)
			}
			blocks = append(blocks, b)
		}
		r.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
		for _, b := range blocks {
			a.release(b)
		}
	}
	run()
	free := int64(0)
	for _, p := range []*pool{&a.small, &a.large} {
		for size, list := range p.free {
			free += size * int64(len(list))
			for _, s := range list {
				if s.prev != nil || s.next != nil {
					t.Fatal("neighbours are free and did not join")
				}
			}
		}
	}
	if free != a.reserved {
		t.Errorf("free %d of %d bytes", free, a.reserved)
	}
}
