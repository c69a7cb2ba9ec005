package dim

import "slices"

// Lower returns the greatest integer that is provably not above d, for all values of its symbols within their bounds.
func (d Dim) Lower() (int64, bool) {
	low, ok := lowest(d, proofEffort)
	if !ok {
		return 0, false
	}
	return low.floor(), true
}

// Upper returns the least integer that is provably not below d. It reports false where d grows without a known bound.
func (d Dim) Upper() (int64, bool) {
	high, ok := highest(d, proofEffort)
	if !ok {
		return 0, false
	}
	return high.ceil(), true
}

// Limits of one proof: how deep rewritings may nest, and how many expressions may be looked at in all.
const (
	proofEffort = 4
	proofSteps  = 200
)

// proof searches for a bound by rewriting.
type proof struct{ steps int }

// quickBounds encloses d term by term, and once more with every atom counted from its lower bound.
func quickBounds(d Dim) interval {
	if c, ok := d.constant(); ok {
		return point(c)
	}
	if d.e == nil {
		return interval{}
	}
	b := termBounds(d.e.terms)
	if len(d.e.terms) > 1 && len(d.e.terms) <= maxShiftedTerms {
		if s := shifted(d); s.e != nil {
			b = b.meet(termBounds(s.terms()))
		}
	}
	if d.e.integral {
		if b.hasLow {
			b.low = rational{b.low.ceil(), 1}
		}
		if b.hasHigh {
			b.high = rational{b.high.floor(), 1}
		}
	}
	return b
}

// maxShiftedTerms bounds the sums that are expanded about their lower bounds.
const maxShiftedTerms = 64

func termBounds(terms []term) interval {
	sum := point(zero)
	for _, t := range terms {
		b := point(t.coefficient)
		for _, f := range t.factors {
			b = b.mul(f.atom.bounds.pow(f.exponent))
		}
		sum = sum.add(b)
	}
	return sum
}

// shifted rewrites every atom with a lower bound other than 0 as that bound plus an atom from 0 up, which turns
// h*w - h - w + 1 into h'*w': never negative.
func shifted(d Dim) Dim {
	return d.e.replace(func(a *atom, exponent int) (Dim, bool) {
		if exponent < 0 || !a.bounds.hasLow || a.bounds.low.num == 0 || a.kind == shiftedAtom {
			return Dim{}, false
		}
		s := &atom{kind: shiftedAtom, args: []Dim{ofAtom(a)}, integral: a.integral, size: 1, hash: mix(a.hash, 1)}
		s.bounds = interval{low: zero, hasLow: true}
		if a.bounds.hasHigh {
			s.bounds.high, s.bounds.hasHigh = a.bounds.high.sub(a.bounds.low)
		}
		return Add(ofRational(a.bounds.low), ofAtom(s)), true
	})
}

// replace rebuilds the polynomial with atoms replaced where by says so; where it never does it is the polynomial itself.
func (p *polynomial) replace(by func(a *atom, exponent int) (Dim, bool)) Dim {
	kept := make([]term, 0, len(p.terms))
	sum := Int(0)
	for _, t := range p.terms {
		product := Int(1)
		rest := term{coefficient: t.coefficient}
		for _, f := range t.factors {
			if with, ok := by(f.atom, f.exponent); ok {
				product = Mul(product, Pow(with, f.exponent))
			} else {
				rest.factors = append(rest.factors, f)
			}
		}
		if len(rest.factors) == len(t.factors) {
			kept = append(kept, t)
			continue
		}
		if sum = Add(sum, Mul(product, ofTerms([]term{rest}))); sum.e == nil {
			return Dim{}
		}
	}
	if len(kept) == len(p.terms) {
		return Dim{e: p}
	}
	return Add(sum, ofTerms(kept))
}

// provenBounds encloses d with a number of nested rewriting steps.
func provenBounds(d Dim, effort int) (b interval) {
	b.low, b.hasLow = lowest(d, effort)
	b.high, b.hasHigh = highest(d, effort)
	return b
}

// highest returns a number that d is provably never above.
func highest(d Dim, effort int) (rational, bool) {
	low, ok := lowest(Neg(d), effort)
	if !ok {
		return rational{}, false
	}
	return low.neg()
}

// lowest returns a number that d is provably never below.
func lowest(d Dim, effort int) (rational, bool) {
	p := proof{steps: proofSteps}
	return p.lowest(d, effort)
}

func (p *proof) lowest(d Dim, effort int) (rational, bool) {
	b := quickBounds(d)
	if d.e == nil || d.e == integerMark || effort == 0 || p.steps <= 0 {
		return b.low, b.hasLow
	}
	p.steps--
	if len(d.e.terms) > 1 && d.e.has&(hasDataDependent|hasFloor|hasExtremum) != 0 {
		if parts := independent(d); len(parts) > 1 {
			return p.lowestOfParts(parts, effort)
		}
	}
	consider := func(r rational, ok bool) {
		if ok {
			b = b.meet(interval{low: r, hasLow: true})
		}
	}
	if d.e.has&hasFloor != 0 {
		consider(p.lowest(relaxFloors(d), effort-1))
	}
	if d.e.has&hasExtremum != 0 {
		consider(p.lowestOfCases(d, effort-1))
	}
	if cleared := clearDivisors(d); cleared.e != nil && cleared != d {
		// Multiplied by what is positive it keeps its sign, no more.
		low, ok := p.lowest(cleared, effort-1)
		consider(zero, ok && low.sign() >= 0)
	}
	if d.e.has&hasDataDependent != 0 {
		if e := extreme(d, false); e.e != nil && !Equal(e, d) {
			consider(p.lowest(e, effort-1))
		}
	}
	if d.e.integral && b.hasLow {
		b.low = rational{b.low.ceil(), 1}
	}
	return b.low, b.hasLow
}

// lowestOfParts adds up the least values of independent parts.
func (p *proof) lowestOfParts(parts []Dim, effort int) (rational, bool) {
	sum := zero
	for _, part := range parts {
		low, known := p.lowest(part, effort)
		if !known {
			return rational{}, false
		}
		if sum, known = sum.add(low); !known {
			return rational{}, false
		}
	}
	return sum, true
}

// relaxFloors returns an expression that is nowhere above d, in which one floor of each term is replaced: floor(x) is at
// most x and above x - 1, where x is an integer over n at least x - (n-1)/n.
func relaxFloors(d Dim) Dim {
	sum := Int(0)
	for _, t := range d.e.terms {
		i, ok := relaxable(t)
		if !ok {
			sum = Add(sum, ofTerms([]term{t}))
			continue
		}
		argument := t.factors[i].atom.args[0]
		if t.coefficient.sign() > 0 {
			loss := Int(1)
			if f, ok := fractionOf(argument); ok {
				loss = Rat(f.denominator-1, f.denominator)
			}
			argument = Sub(argument, loss)
		}
		rest := term{coefficient: t.coefficient}
		rest.factors = append(append(rest.factors, t.factors[:i]...), t.factors[i+1:]...)
		sum = Add(sum, Mul(argument, ofTerms([]term{rest})))
	}
	return sum
}

// relaxable finds a floor in a term whose other factors are not negative.
func relaxable(t term) (index int, ok bool) {
	index = -1
	for i, f := range t.factors {
		if f.atom.kind == floorAtom && f.exponent == 1 && index < 0 {
			index = i
		} else if !f.atom.bounds.nonNegative() {
			return 0, false
		}
	}
	return index, index >= 0
}

// lowestOfCases replaces one min or max by its arguments in turn. Each of its values is the value of some argument, so that
// the least result holds; where d falls with a min, or grows with a max, every result holds.
func (p *proof) lowestOfCases(d Dim, effort int) (best rational, ok bool) {
	choice := firstExtremum(d.e.terms)
	wanted := 1
	if onlyHelps(d.e.terms, choice) {
		wanted = -1
	}
	for _, arg := range choice.args {
		low, found := p.lowest(d.e.replace(func(a *atom, _ int) (Dim, bool) { return arg, sameAtom(a, choice) }), effort)
		switch {
		case !found && wanted > 0:
			return rational{}, false
		case found && (!ok || best.compare(low) == wanted):
			best, ok = low, true
		}
	}
	return best, ok
}

// onlyHelps reports whether every term falls with the min, or grows with the max.
func onlyHelps(terms []term, choice *atom) bool {
	sign := 1
	if choice.kind == minAtom {
		sign = -1
	}
	for _, t := range terms {
		i := slices.IndexFunc(t.factors, func(f factor) bool { return sameAtom(f.atom, choice) })
		if i < 0 {
			continue
		}
		if t.coefficient.sign() != sign || t.factors[i].exponent != 1 {
			return false
		}
		for j, f := range t.factors {
			if j != i && !f.atom.bounds.nonNegative() {
				return false
			}
		}
	}
	return true
}

func firstExtremum(terms []term) *atom {
	for _, t := range terms {
		for _, f := range t.factors {
			if f.atom.kind == minAtom || f.atom.kind == maxAtom {
				return f.atom
			}
		}
	}
	return nil
}
