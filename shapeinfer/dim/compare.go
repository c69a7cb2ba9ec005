package dim

// Equal reports whether a and b are provably equal. Unknown equals nothing, not even itself.
func Equal(a, b Dim) bool {
	if a.e == nil || b.e == nil {
		return false
	}
	if a.e == b.e {
		return a.n == b.n
	}
	if a.e.hash == b.e.hash && a.e != integerMark && b.e != integerMark && compareStructure(a, b) == 0 {
		return true
	}
	return (a.e.has|b.e.has)&hasInner != 0 && provablyZero(Sub(a, b))
}

// Compare returns the sign of a - b where it is provably the same for all values of the symbols within their bounds.
func Compare(a, b Dim) (sign int, ok bool) {
	d, ok := difference(a, b)
	if !ok {
		return 0, false
	}
	if provablyZero(d) {
		return 0, true
	}
	low, hasLow := lowest(d, proofEffort)
	if hasLow && low.sign() > 0 {
		return 1, true
	}
	high, hasHigh := highest(d, proofEffort)
	if hasHigh && high.sign() < 0 {
		return -1, true
	}
	return 0, hasLow && hasHigh && low.num == 0 && high.num == 0
}

// LessEq reports whether a <= b, where that is provably the same for all values of the symbols.
func LessEq(a, b Dim) (result, ok bool) {
	d, ok := difference(a, b)
	if !ok {
		return false, false
	}
	if high, ok := highest(d, proofEffort); ok && high.sign() <= 0 || provablyZero(d) {
		return true, true
	}
	low, ok := lowest(d, proofEffort)
	return false, ok && low.sign() > 0
}

// Less reports whether a < b, where that is provably the same for all values of the symbols.
func Less(a, b Dim) (result, ok bool) {
	result, ok = LessEq(b, a)
	return !result && ok, ok
}

// NotEqual reports whether a and b provably differ for all values of the symbols.
func NotEqual(a, b Dim) bool {
	sign, ok := Compare(a, b)
	if ok {
		return sign != 0
	}
	d := Sub(a, b)
	return d.e != nil && d.e != integerMark && neverZero(d.e.terms)
}

// neverZero reports whether the terms with symbols are multiples of an integer that does not divide the constant.
func neverZero(terms []term) bool {
	last := terms[len(terms)-1]
	if len(last.factors) != 0 {
		return false
	}
	symbolic := terms[:len(terms)-1]
	for _, t := range symbolic {
		if !integralFactors(t.factors) {
			return false
		}
	}
	content, ok := contentOf(symbolic).inverse()
	if !ok {
		return false
	}
	ratio, ok := last.coefficient.mul(content)
	return ok && !ratio.isInt()
}

// difference returns an expression with the sign of a - b. Divisors that are positive are multiplied away.
func difference(a, b Dim) (Dim, bool) {
	d := Sub(a, b)
	if d.e == nil {
		return Dim{}, false
	}
	if cleared := clearDivisors(d); cleared.e != nil {
		d = cleared
	}
	return d, true
}

func clearDivisors(d Dim) Dim {
	for range maxDepth {
		if d.e == nil || d.e == integerMark {
			return d
		}
		f, ok := positiveDivisor(d.e.terms)
		if !ok {
			return d
		}
		by := ofAtom(f.atom)
		if f.atom.kind == sumAtom {
			by = f.atom.args[0]
		}
		d = Mul(d, Pow(by, -f.exponent))
	}
	return d
}

func positiveDivisor(terms []term) (factor, bool) {
	for _, t := range terms {
		for _, f := range t.factors {
			if f.exponent < 0 && f.atom.bounds.hasLow && f.atom.bounds.low.sign() > 0 {
				return f, true
			}
		}
	}
	return factor{}, false
}
