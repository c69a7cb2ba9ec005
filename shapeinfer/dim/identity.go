package dim

// The canonical form leaves some identities between floors open, so that products of rounded sizes stay short:
// h - floor(h/2) and ceil(h/2) are both kept. provablyZero decides these by a longer form, in which every floor has only
// proper fractions (h - floor(h/2) is also what becomes of ceil(h/2) there) and a max of two is written with their min.

// provablyZero reports whether d is 0 by an identity between floors, or between min and max.
func provablyZero(d Dim) bool {
	if d.e == nil || d.e == integerMark {
		return d == Int(0)
	}
	if d.e.has&hasInner == 0 || !zeroAtProbe(d) {
		return false
	}
	return properFractions(d) == Int(0)
}

// zeroAtProbe spares the longer form: d has to be 0 at an arbitrary point too.
func zeroAtProbe(d Dim) bool {
	r, ok := d.value(func(name string) (int64, bool) { return int64(hashString(name)%9973) + 1, true })
	return !ok || r == zero
}

// properFractions rewrites every floor within d.
func properFractions(d Dim) Dim {
	if d.e == nil || d.e == integerMark {
		return d
	}
	return d.e.replace(func(a *atom, _ int) (Dim, bool) {
		if a.kind == symbolAtom {
			return Dim{}, false
		}
		args := make([]Dim, len(a.args))
		for i, arg := range a.args {
			args[i] = properFractions(arg)
		}
		switch a.kind {
		case floorAtom:
			return properFloor(args[0]), true
		case maxAtom:
			if len(args) == 2 {
				// max(a, b) + min(a, b) = a + b.
				return Sub(Add(args[0], args[1]), Min(args[0], args[1])), true
			}
			return extremum(a.kind, args), true
		case minAtom:
			return extremum(a.kind, args), true
		}
		return args[0], true
	})
}

// properFloor is the floor with all coefficients between 0 and 1, of the two such forms the one with the smaller first
// coefficients.
func properFloor(d Dim) Dim {
	f, ok := fractionOf(d)
	if !ok {
		return Floor(d)
	}
	whole, proper := f.splitWhole()
	mirroredWhole, mirrored := f.mirror().splitWhole()
	if !whole.IsKnown() || !mirroredWhole.IsKnown() {
		return Dim{}
	}
	if mirrored.before(proper) {
		return Neg(Add(mirroredWhole, mirrored.atom()))
	}
	return Add(whole, proper.atom())
}

// splitWhole moves whole multiples of the denominator out of the numerator.
func (f fraction) splitWhole() (whole Dim, proper fraction) {
	var quotients, remainders []term
	for _, t := range f.numerator.terms() {
		q, _ := floorDivInt(t.coefficient.num, f.denominator)
		if q != 0 {
			quotients = append(quotients, term{rational{q, 1}, t.factors})
		}
		if r := t.coefficient.num - q*f.denominator; r != 0 {
			remainders = append(remainders, term{rational{r, 1}, t.factors})
		}
	}
	return ofTerms(quotients), fraction{ofTerms(remainders), f.constant, f.denominator}
}

// before compares two mirror images of one fraction.
func (f fraction) before(g fraction) bool {
	a, b := f.numerator.terms(), g.numerator.terms()
	for i := range min(len(a), len(b)) {
		if c := a[i].coefficient.compare(b[i].coefficient); c != 0 {
			return c < 0
		}
	}
	return f.constant < g.constant
}
