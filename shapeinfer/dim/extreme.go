package dim

// UpperExpr returns an expression without data-dependent symbols that d is never above: each is replaced by its upper
// bound where d grows with it, by its lower bound where d falls. It is unknown where a needed bound is unknown, or where d may do
// either.
func (d Dim) UpperExpr() Dim {
	for range maxDepth {
		if !d.HasDataDependent() {
			return d
		}
		d = extreme(d, true)
	}
	return Dim{}
}

// extreme returns an expression that is nowhere below d (up) or nowhere above (not up), with data-dependent symbols
// replaced by their bounds, which may hold others.
func extreme(d Dim, up bool) Dim {
	if !d.HasDataDependent() {
		return d
	}
	if e, ok := extremeOfMonotone(d, up); ok {
		return e
	}
	sum := Int(0)
	for _, t := range d.e.terms {
		sum = Add(sum, extremeOfTerm(t, up))
		if sum.e == nil {
			return Dim{}
		}
	}
	return sum
}

// extremeOfMonotone replaces one bounded symbol as a whole where d, as a polynomial in it, only grows or only falls: in
// n*s - n at once, and not against itself.
func extremeOfMonotone(d Dim, up bool) (Dim, bool) {
	for _, t := range d.e.terms {
		for _, f := range t.factors {
			if !f.atom.bounded {
				continue
			}
			coefficients, ok := d.Polynomial(f.atom.name)
			if !ok {
				continue
			}
			grows, falls := true, true
			for _, c := range coefficients[1:] {
				b := quickBounds(c)
				grows, falls = grows && b.nonNegative(), falls && b.nonPositive()
			}
			if !grows && !falls {
				continue
			}
			if with := extremeOfAtom(f.atom, up == grows); with.e != nil {
				return d.subst(map[string]Dim{f.atom.name: with}, false), true
			}
		}
	}
	return Dim{}, false
}

func extremeOfTerm(t term, up bool) Dim {
	if t.coefficient.sign() < 0 {
		up = !up
	}
	product := ofRational(t.coefficient)
	for _, f := range t.factors {
		if len(t.factors) > 1 && !f.atom.bounds.nonNegative() && !freeOfDataDependent(t) {
			return Dim{}
		}
		value := extremeOfFactor(f, up)
		if len(t.factors) > 1 && !freeOfDataDependent(t) && !quickBounds(value).nonNegative() {
			return Dim{}
		}
		product = Mul(product, value)
	}
	return product
}

func freeOfDataDependent(t term) bool {
	for _, f := range t.factors {
		if f.atom.has&hasDataDependent != 0 {
			return false
		}
	}
	return true
}

func extremeOfFactor(f factor, up bool) Dim {
	if f.atom.has&hasDataDependent == 0 {
		return ofFactor(f)
	}
	if f.exponent < 0 {
		up = !up
	}
	if f.exponent != 1 && !f.atom.bounds.nonNegative() {
		return Dim{}
	}
	value := extremeOfAtom(f.atom, up)
	// 1/x falls with x only as long as x stays on one side of 0.
	if b := quickBounds(value); f.exponent < 0 && (!b.hasLow || b.low.sign() <= 0) {
		return Dim{}
	}
	return Pow(value, f.exponent)
}

func extremeOfAtom(a *atom, up bool) Dim {
	switch a.kind {
	case symbolAtom:
		if up {
			return a.upper
		}
		return ofRational(a.bounds.low)
	case floorAtom:
		return Floor(extreme(a.args[0], up))
	case sumAtom:
		return extreme(a.args[0], up)
	case minAtom, maxAtom:
		args := make([]Dim, len(a.args))
		for i, arg := range a.args {
			args[i] = extreme(arg, up)
		}
		return extremum(a.kind, args)
	}
	return Dim{}
}
