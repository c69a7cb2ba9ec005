package dim

import "slices"

// ofUnreduced makes a Dim of sorted terms after dividing what stands over a sum by that sum, so that x*y/(y + 1) and
// x - x/(y + 1) are one expression.
func ofUnreduced(terms []term) Dim {
	_, found := firstInverse(terms)
	if !found {
		return ofTerms(terms)
	}
	reduced, ok := reduceInverses(terms)
	if !ok {
		return Dim{}
	}
	return ofTerms(reduced)
}

// reduceInverses leaves over each sum P only remainders of the division by P. The remainder for a fixed order of
// monomials is unique, which makes the form canonical for one P.
func reduceInverses(terms []term) ([]term, bool) {
	var done []*atom
	for {
		p, power := nextInverse(terms, done)
		if p == nil {
			return terms, true
		}
		done = append(done, p)
		for ; power > 0; power-- {
			var ok bool
			if terms, ok = reduceInverse(terms, p, power); !ok {
				return nil, false
			}
		}
	}
}

// nextInverse returns a divisor that is not done, with its greatest power.
func nextInverse(terms []term, done []*atom) (p *atom, power int) {
	for _, t := range terms {
		for _, f := range t.factors {
			if f.atom.kind != sumAtom {
				continue
			}
			if p == nil && !slices.ContainsFunc(done, func(d *atom) bool { return sameAtom(d, f.atom) }) {
				p = f.atom
			}
			if p != nil && sameAtom(p, f.atom) {
				power = max(power, -f.exponent)
			}
		}
	}
	return p, power
}

// reduceInverse divides the numerators over p to the given power by p.
func reduceInverse(terms []term, p *atom, power int) ([]term, bool) {
	var over, rest []term
	for _, t := range terms {
		i := slices.IndexFunc(t.factors, func(f factor) bool {
			return f.exponent == -power && f.atom.kind == sumAtom && sameAtom(f.atom, p)
		})
		if i < 0 {
			rest = append(rest, t)
			continue
		}
		over = append(over, term{t.coefficient, slices.Delete(slices.Clone(t.factors), i, i+1)})
	}
	if len(over) == 0 {
		return terms, true
	}
	over, ok := combine(over)
	if !ok {
		return nil, false
	}
	quotient, remainder, ok := divideTerms(over, p.args[0].terms())
	if !ok {
		return nil, false
	}
	if len(quotient) == 0 {
		return terms, true
	}
	for _, part := range []struct {
		terms    []term
		exponent int
	}{{remainder, -power}, {quotient, 1 - power}} {
		by := []term{{coefficient: one}}
		if part.exponent != 0 {
			by[0].factors = []factor{{p, part.exponent}}
		}
		scaled, ok := mulTerms(part.terms, by)
		if !ok {
			return nil, false
		}
		if rest, ok = addTerms(rest, scaled); !ok {
			return nil, false
		}
	}
	return rest, true
}

// divideTerms is the division of multivariate polynomials by a single one: no term of the remainder is divisible by the
// first term of the divisor.
func divideTerms(a, b []term) (quotient, remainder []term, ok bool) {
	for range maxTerms * 2 {
		if len(a) == 0 {
			return quotient, remainder, true
		}
		t, divisible := divideTerm(a[0], b[0])
		if !divisible {
			remainder, a = append(remainder, a[0]), a[1:]
			continue
		}
		quotient = append(quotient, t)
		t.coefficient, ok = t.coefficient.neg()
		if !ok {
			return nil, nil, false
		}
		product, ok := mulTerms(b, []term{t})
		if !ok {
			return nil, nil, false
		}
		if a, ok = addTerms(a, product); !ok || len(a) > maxTerms {
			return nil, nil, false
		}
	}
	return nil, nil, false
}

// divideTerm returns a/b where a holds all factors of b.
func divideTerm(a, b term) (term, bool) {
	for _, g := range b.factors {
		i := slices.IndexFunc(a.factors, func(f factor) bool { return sameAtom(f.atom, g.atom) })
		if i < 0 || a.factors[i].exponent < g.exponent {
			return term{}, false
		}
	}
	inverse, ok := b.inverse()
	if !ok {
		return term{}, false
	}
	return a.times(inverse)
}
