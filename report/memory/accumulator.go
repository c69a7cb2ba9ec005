package memory

import (
	"math"
	"math/bits"
)

// An Accumulator adds sizes up such that they can be taken away again, whatever they
// add up to in between. The zero Accumulator is empty.
type Accumulator struct {
	low, high uint128
	open      int // sizes in it without an upper limit
}

// Add puts a size in.
func (t *Accumulator) Add(s Size) {
	t.low, t.high = t.low.plus(uint128Of(s.Low)), t.high.plus(uint128Of(s.High))
	if s.Open {
		t.open++
	}
}

// Remove takes out a size that was put in.
func (t *Accumulator) Remove(s Size) {
	t.low, t.high = t.low.minus(uint128Of(s.Low)), t.high.minus(uint128Of(s.High))
	if s.Open {
		t.open--
	}
}

func (t *Accumulator) AddAll(o Accumulator) {
	t.low, t.high, t.open = t.low.plus(o.low), t.high.plus(o.high), t.open+o.open
}

func (t *Accumulator) RemoveAll(o Accumulator) {
	t.low, t.high, t.open = t.low.minus(o.low), t.high.minus(o.high), t.open-o.open
}

// Size is the sum of what is in.
func (t *Accumulator) Size() Size {
	low, high := t.low.bytes(), t.high.bytes()
	return Size{low, high, t.open > 0 || high == math.MaxInt64}
}

// A uint128 is a number of 128 bits. It cannot overflow: a sum of n sizes is below
// n x 2^63.
type uint128 struct{ high, low uint64 }

func uint128Of(n int64) uint128 { return uint128{0, uint64(n)} }

func (w uint128) plus(o uint128) uint128 {
	low, carry := bits.Add64(w.low, o.low, 0)
	high, _ := bits.Add64(w.high, o.high, carry)
	return uint128{high, low}
}

func (w uint128) minus(o uint128) uint128 {
	low, borrow := bits.Sub64(w.low, o.low, 0)
	high, _ := bits.Sub64(w.high, o.high, borrow)
	return uint128{high, low}
}

// bytes is the number, the largest one of 63 bits where it is larger.
func (w uint128) bytes() int64 {
	if w.high > 0 || w.low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(w.low)
}
