package mutant

import "encoding/binary"

// Choices are decisions that are read from bytes, so that a fuzzer which
// changes bytes changes single decisions. After the last byte every decision is
// the first of its kind.
type Choices struct{ data []byte }

// NewChoices returns the decisions that the bytes stand for.
func NewChoices(data []byte) *Choices { return &Choices{data} }

// Left reports whether there are bytes left to decide by.
func (c *Choices) Left() bool { return len(c.data) > 0 }

// Take takes the next n bytes away, for decisions of their own.
func (c *Choices) Take(n int) *Choices {
	n = min(n, len(c.data))
	taken := &Choices{c.data[:n]}
	c.data = c.data[n:]
	return taken
}

// Of is a number from 0 to n-1; n is at least 1.
func (c *Choices) Of(n int) int {
	if len(c.data) == 0 || n < 2 {
		return 0
	}
	if n > 256 && len(c.data) > 1 {
		v := binary.LittleEndian.Uint16(c.data)
		c.data = c.data[2:]
		return int(v) % n
	}
	v := c.data[0]
	c.data = c.data[1:]
	return int(v) % n
}

// pick is one of a list that is not empty.
func pick[T any](c *Choices, list []T) T { return list[c.Of(len(list))] }

// place is a place in a list of n; ok is false where there is none.
func (c *Choices) place(n int) (i int, ok bool) { return c.Of(max(n, 1)), n > 0 }
