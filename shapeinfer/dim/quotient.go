package dim

import "slices"

// Div returns the exact quotient a/b, a rational where b does not divide a. It is unknown when b is 0; where b holds
// symbols the quotient stands for the values at which b is not 0.
func Div(a, b Dim) Dim {
	if a.e == nil || b.e == nil {
		return Dim{}
	}
	if a.e == integerMark && b.e == integerMark {
		if b.n != 0 && a.n%b.n == 0 && b.n != -1 {
			return Int(a.n / b.n)
		}
		return Rat(a.n, b.n)
	}
	divisor := b.terms()
	if len(divisor) == 0 {
		return Dim{}
	}
	if len(divisor) == 1 {
		return divByTerm(a, divisor[0])
	}
	return divBySum(a, b)
}

func divByTerm(a Dim, t term) Dim {
	for _, f := range t.factors {
		// A sum is a factor only as a divisor, so that dividing by it multiplies.
		if f.atom.kind == sumAtom {
			a = Mul(a, Pow(f.atom.args[0], -f.exponent))
		}
	}
	if a.e == nil {
		return Dim{}
	}
	t.factors = slices.DeleteFunc(slices.Clone(t.factors), func(f factor) bool { return f.atom.kind == sumAtom })
	inverse, ok := t.inverse()
	if !ok {
		return Dim{}
	}
	return Mul(a, ofTerms([]term{inverse}))
}

func divBySum(a, b Dim) Dim {
	// A quotient within the divisor is cleared by multiplying both sides by its denominator.
	for b.e.has&hasInverse != 0 {
		f, found := firstInverse(b.e.terms)
		if !found {
			break
		}
		by := Pow(f.atom.args[0], -f.exponent)
		a, b = Mul(a, by), Mul(b, by)
		if a.e == nil || b.e == nil || b.e == integerMark {
			return Div(a, b)
		}
	}
	if len(b.terms()) < 2 {
		return Div(a, b)
	}
	content, primitive, ok := splitContent(b.terms())
	if !ok {
		return Dim{}
	}
	a = divByTerm(a, content)
	if a.e == nil {
		return Dim{}
	}
	sum := newAtom(sumAtom, ofTerms(primitive))
	if sum.args[0].e == nil {
		return Dim{}
	}
	sum.bounds = quickBounds(sum.args[0])
	return Mul(a, ofFactor(factor{sum, -1}))
}

func firstInverse(terms []term) (factor, bool) {
	for _, t := range terms {
		for _, f := range t.factors {
			if f.atom.kind == sumAtom {
				return f, true
			}
		}
	}
	return factor{}, false
}

// splitContent writes a sum as a term times a sum of integer coefficients without common divisor, of non-negative
// exponents without common factor, and with a positive first coefficient.
func splitContent(terms []term) (content term, primitive []term, ok bool) {
	c := contentOf(terms)
	if terms[0].coefficient.sign() < 0 {
		c.num = -c.num
	}
	content = term{c, commonFactors(terms)}
	inverse, ok := content.inverse()
	if !ok {
		return term{}, nil, false
	}
	primitive, ok = mulTerms(terms, []term{inverse})
	return content, primitive, ok
}

// contentOf returns the greatest positive rational of which all coefficients are integer multiples.
func contentOf(terms []term) rational {
	num, den := uint64(0), int64(1)
	for _, t := range terms {
		num = gcd(num, magnitude(t.coefficient.num))
		l, ok := lcmInt(den, t.coefficient.den)
		if !ok {
			return one
		}
		den = l
	}
	r, ok := signedInt(num, false)
	if !ok || r == 0 {
		return one
	}
	return rational{r, den}
}

// commonFactors returns the product that divides every term and leaves no negative exponent.
func commonFactors(terms []term) []factor {
	common := slices.Clone(terms[0].factors)
	for _, t := range terms[1:] {
		// An atom that the other side lacks has exponent 0 there.
		merged := make([]factor, 0, len(common))
		a, b := common, t.factors
		for len(a) > 0 || len(b) > 0 {
			switch {
			case len(b) == 0 || (len(a) > 0 && compareAtoms(a[0].atom, b[0].atom) < 0):
				if a[0].exponent < 0 {
					merged = append(merged, a[0])
				}
				a = a[1:]
			case len(a) == 0 || compareAtoms(a[0].atom, b[0].atom) > 0:
				if b[0].exponent < 0 {
					merged = append(merged, b[0])
				}
				b = b[1:]
			default:
				merged = append(merged, factor{a[0].atom, min(a[0].exponent, b[0].exponent)})
				a, b = a[1:], b[1:]
			}
		}
		common = merged
	}
	return common
}

// DivideExact divides without remainder, also by a sum: (a*b + a*c)/(b + c) is a. It reports false where b does not
// divide a for all values of the symbols, where b is 0 or one of both is unknown. For integers the quotient is an
// integer: 3*h is not divisible by 2.
func DivideExact(a, b Dim) (Dim, bool) {
	if a.e == nil || b.e == nil {
		return Dim{}, false
	}
	quotient := Div(a, b)
	if quotient.e == nil || (a.IsInteger() && b.IsInteger() && !quotient.IsInteger()) {
		return Dim{}, false
	}
	// Without an integer to tell by, a divisor must not be left over.
	if !a.IsInteger() || !b.IsInteger() {
		for _, t := range quotient.terms() {
			for _, f := range t.factors {
				if f.exponent < 0 && !divides(f, a) {
					return Dim{}, false
				}
			}
		}
	}
	return quotient, true
}

// divides reports whether some term of d already has that divisor.
func divides(divisor factor, d Dim) bool {
	for _, t := range d.terms() {
		for _, f := range t.factors {
			if sameAtom(f.atom, divisor.atom) && f.exponent <= divisor.exponent {
				return true
			}
		}
	}
	return false
}
