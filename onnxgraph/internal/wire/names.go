package wire

import (
	"hash/maphash"
	"strings"
)

const (
	nameSlots = 1 << 11 // of the cache below at most: 32 KiB
	nameLimit = 64      // longer strings are rarely names and rarely repeat
	nameChunk = 4 << 10 // bytes of text allocated at a time
)

// names makes strings of bytes and shares those that repeat: a model names
// each value once as an output and again as inputs, and has a few operator
// types for thousands of nodes. The cache is direct-mapped, of fixed size, and
// forgets; short texts are cut from chunks, so that a name costs no allocation
// of its own.
type names struct {
	size  int // of the cache, in slots
	seed  maphash.Seed
	slots []string
	chunk *strings.Builder
	next  int // size of the next chunk
}

// newNames returns names for a file of size bytes: one small enough to hold few
// names gets a small cache.
func newNames(size int64) names {
	const bytesPerName = 32 // or more, in the files of any exporter
	return names{size: int(min(max(size/bytesPerName, 16), nameSlots))}
}

// text returns b as a string.
func (c *names) text(b []byte) string {
	if len(b) > nameLimit {
		return string(b)
	}
	if c.slots == nil {
		c.seed, c.slots, c.next = maphash.MakeSeed(), make([]string, c.size), nameLimit
	}
	slot := &c.slots[maphash.Bytes(c.seed, b)%uint64(len(c.slots))]
	if *slot != string(b) {
		*slot = c.copy(b)
	}
	return *slot
}

// copy cuts a copy of b from the current chunk. A Builder never moves text
// while its capacity lasts, so earlier strings stay where they are.
func (c *names) copy(b []byte) string {
	if c.chunk == nil || c.chunk.Cap()-c.chunk.Len() < len(b) {
		c.chunk = new(strings.Builder)
		c.chunk.Grow(c.next)
		c.next = min(2*c.next, nameChunk)
	}
	start := c.chunk.Len()
	c.chunk.Write(b)
	return c.chunk.String()[start:]
}
