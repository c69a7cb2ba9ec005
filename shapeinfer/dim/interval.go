package dim

// interval encloses the values of an expression. A side that is not known, or that does not fit, is open to infinity.
type interval struct {
	low, high       rational
	hasLow, hasHigh bool
}

func point(r rational) interval { return interval{r, r, true, true} }

func (a interval) add(b interval) (sum interval) {
	if a.hasLow && b.hasLow {
		sum.low, sum.hasLow = a.low.add(b.low)
	}
	if a.hasHigh && b.hasHigh {
		sum.high, sum.hasHigh = a.high.add(b.high)
	}
	return sum
}

func (a interval) neg() (n interval) {
	if a.hasHigh {
		n.low, n.hasLow = a.high.neg()
	}
	if a.hasLow {
		n.high, n.hasHigh = a.low.neg()
	}
	return n
}

func (a interval) nonNegative() bool { return a.hasLow && a.low.sign() >= 0 }

func (a interval) nonPositive() bool { return a.hasHigh && a.high.sign() <= 0 }

func (a interval) mul(b interval) (p interval) {
	switch {
	case a == point(zero) || b == point(zero):
		return point(zero)
	case a.nonPositive() && !a.nonNegative():
		return a.neg().mul(b).neg()
	case b.nonPositive() && !b.nonNegative():
		return a.mul(b.neg()).neg()
	case b.nonNegative() && !a.nonNegative():
		a, b = b, a
	}
	if !a.nonNegative() {
		return mulMixed(a, b)
	}
	if b.nonNegative() {
		if p.low, p.hasLow = a.low.mul(b.low); !p.hasLow {
			p.low, p.hasLow = zero, true
		}
	} else if a.hasHigh && b.hasLow {
		p.low, p.hasLow = a.high.mul(b.low)
	}
	if a.hasHigh && b.hasHigh {
		p.high, p.hasHigh = a.high.mul(b.high)
	}
	return p
}

// mulMixed multiplies two intervals that both reach to both sides of zero.
func mulMixed(a, b interval) (p interval) {
	if !a.hasLow || !a.hasHigh || !b.hasLow || !b.hasHigh {
		return interval{}
	}
	p = interval{hasLow: true, hasHigh: true}
	for _, x := range []rational{a.low, a.high} {
		for _, y := range []rational{b.low, b.high} {
			xy, ok := x.mul(y)
			if !ok {
				return interval{}
			}
			if xy.compare(p.low) < 0 {
				p.low = xy
			}
			if xy.compare(p.high) > 0 {
				p.high = xy
			}
		}
	}
	return p
}

// pow returns the n-th power, where a negative n divides and 0 is not a value of the divisor.
func (a interval) pow(n int) interval {
	if n < 0 {
		return a.pow(-n).inverse()
	}
	if n%2 == 0 && a.nonPositive() {
		a = a.neg()
	}
	result := point(one)
	for range n {
		result = result.mul(a)
	}
	if n%2 == 0 && !result.nonNegative() {
		result.low, result.hasLow = zero, true
	}
	return result
}

// inverse encloses 1/x. Nothing is known where x may have either sign.
func (a interval) inverse() (r interval) {
	if a.nonPositive() && !a.nonNegative() {
		return a.neg().inverse().neg()
	}
	if !a.nonNegative() {
		return interval{}
	}
	r = interval{low: zero, hasLow: true}
	if a.hasHigh && a.high.sign() > 0 {
		if low, ok := a.high.inverse(); ok {
			r.low = low
		}
	}
	if a.low.sign() > 0 {
		r.high, r.hasHigh = a.low.inverse()
	}
	return r
}

func (a interval) floor() interval {
	if a.hasLow {
		a.low = rational{a.low.floor(), 1}
	}
	if a.hasHigh {
		a.high = rational{a.high.floor(), 1}
	}
	return a
}

// meet returns the values that lie in both.
func (a interval) meet(b interval) interval {
	if b.hasLow && (!a.hasLow || b.low.compare(a.low) > 0) {
		a.low, a.hasLow = b.low, true
	}
	if b.hasHigh && (!a.hasHigh || b.high.compare(a.high) < 0) {
		a.high, a.hasHigh = b.high, true
	}
	return a
}

// least encloses the smaller one of a value from each.
func (a interval) least(b interval) (m interval) {
	if a.hasLow && b.hasLow {
		m.low, m.hasLow = a.low, true
		if b.low.compare(a.low) < 0 {
			m.low = b.low
		}
	}
	m.high, m.hasHigh = a.high, a.hasHigh
	if b.hasHigh && (!a.hasHigh || b.high.compare(a.high) < 0) {
		m.high, m.hasHigh = b.high, true
	}
	return m
}
