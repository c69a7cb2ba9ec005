package memory

import (
	"math"
	"math/bits"
)

// A Tally adds sizes up such that they can be taken away again, whatever they
// add up to in between. The zero Tally is empty.
type Tally struct {
	low, high wide
	open      int // sizes in it without an upper limit
}

// Add puts a size in.
func (t *Tally) Add(s Size) {
	t.low, t.high = t.low.plus(wideOf(s.Low)), t.high.plus(wideOf(s.High))
	if s.Open {
		t.open++
	}
}

// Remove takes out a size that was put in.
func (t *Tally) Remove(s Size) {
	t.low, t.high = t.low.minus(wideOf(s.Low)), t.high.minus(wideOf(s.High))
	if s.Open {
		t.open--
	}
}

func (t *Tally) addAll(o Tally) {
	t.low, t.high, t.open = t.low.plus(o.low), t.high.plus(o.high), t.open+o.open
}

func (t *Tally) removeAll(o Tally) {
	t.low, t.high, t.open = t.low.minus(o.low), t.high.minus(o.high), t.open-o.open
}

// Size is the sum of what is in.
func (t *Tally) Size() Size {
	low, high := t.low.bytes(), t.high.bytes()
	return Size{low, high, t.open > 0 || high == math.MaxInt64}
}

// A wide is a number of 128 bits. It cannot overflow: a sum of n sizes is below
// n x 2^63.
type wide struct{ high, low uint64 }

func wideOf(n int64) wide { return wide{0, uint64(n)} }

func (w wide) plus(o wide) wide {
	low, carry := bits.Add64(w.low, o.low, 0)
	high, _ := bits.Add64(w.high, o.high, carry)
	return wide{high, low}
}

func (w wide) minus(o wide) wide {
	low, borrow := bits.Sub64(w.low, o.low, 0)
	high, _ := bits.Sub64(w.high, o.high, borrow)
	return wide{high, low}
}

// bytes is the number, the largest one of 63 bits where it is larger.
func (w wide) bytes() int64 {
	if w.high > 0 || w.low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(w.low)
}
