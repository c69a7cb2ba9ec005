package dim

import "slices"

// pretty rewrites terms the way a person writes them: a floor as ceil or mod where that is shorter, -min(-x, y) as
// max(x, -y). The result holds atoms of kinds that expressions never hold, and is only printed.
func pretty(terms []term) []term {
	terms = foldRemainders(terms)
	terms = foldConstant(terms)
	out := make([]term, len(terms))
	for i, t := range terms {
		out[i] = prettyTerm(t)
	}
	return out
}

func prettyTerm(t term) term {
	factors := make([]factor, len(t.factors))
	negative := t.coefficient.sign() < 0
	flipped := false
	for i, f := range t.factors {
		a, turnsSign := prettyFloor(f.atom)
		factors[i] = factor{a, f.exponent}
		if turnsSign && f.exponent%2 != 0 {
			negative = !negative
		}
	}
	for i, f := range factors {
		a, turnsSign := prettyExtremum(f.atom, negative && f.exponent == 1 && !flipped)
		factors[i].atom = a
		flipped = flipped || turnsSign
	}
	if flipped {
		negative = !negative
	}
	if c, ok := t.coefficient.neg(); ok && negative != (t.coefficient.sign() < 0) {
		t.coefficient = c
	} else if negative != (t.coefficient.sign() < 0) {
		return t
	}
	slices.SortStableFunc(factors, func(f, g factor) int { return compareAtoms(f.atom, g.atom) })
	return term{t.coefficient, factors}
}

// prettyFloor writes a floor as ceil where that takes no constant, and reports whether that is of the other sign.
func prettyFloor(a *atom) (pretty *atom, changesSign bool) {
	if a.kind != floorAtom {
		return a, false
	}
	f, ok := fractionOf(a.args[0])
	if ok {
		// For an integer x, floor((x + n - 1)/n) is ceil(x/n).
		if f.constant == f.denominator-1 {
			if argument := Div(f.numerator, Int(f.denominator)); argument.e != nil {
				return newAtom(ceilAtom, argument), false
			}
		}
		return a, false
	}
	if argument := Neg(a.args[0]); argument.e != nil && a.args[0].terms()[0].coefficient.sign() < 0 {
		return newAtom(ceilAtom, argument), true
	}
	return a, false
}

// prettyExtremum writes a min or max with its constant last. Where flip is set and no argument becomes a mere
// negation, it is written as the other one of the negated arguments.
func prettyExtremum(a *atom, flip bool) (pretty *atom, flipped bool) {
	if a.kind != minAtom && a.kind != maxAtom {
		return a, false
	}
	if a.kind == maxAtom && len(a.args) == 2 && Equal(a.args[0], Neg(a.args[1])) {
		return newAtom(absAtom, a.args[0]), false
	}
	negated := make([]Dim, len(a.args))
	for i, arg := range a.args {
		negated[i] = Neg(arg)
		flip = flip && negated[i].e != nil && (len(arg.terms()) == 0 || slices.ContainsFunc(arg.terms(), func(t term) bool {
			return t.coefficient.sign() < 0
		}))
	}
	if flip {
		return newAtom(opposite(a.kind), constantLast(negated)...), true
	}
	return newAtom(a.kind, constantLast(a.args)...), false
}

func constantLast(args []Dim) []Dim {
	args = slices.Clone(args)
	slices.SortStableFunc(args, func(a, b Dim) int {
		switch {
		case a.IsSymbolic() == b.IsSymbolic():
			return 0
		case a.IsSymbolic():
			return -1
		}
		return 1
	})
	return args
}

// foldConstant moves the constant of a sum into a min or max whose constant argument it takes to 0: max(h, 3) - 3 is
// max(h - 3, 0).
func foldConstant(terms []term) []term {
	last := len(terms) - 1
	if len(terms[last].factors) > 0 {
		return terms
	}
	for i, t := range terms[:last] {
		if len(t.factors) != 1 || t.factors[0].exponent != 1 {
			continue
		}
		a := t.factors[0].atom
		if a.kind != minAtom && a.kind != maxAtom {
			continue
		}
		for _, arg := range a.args {
			if _, ok := arg.constant(); !ok || !Equal(Mul(arg, ofRational(t.coefficient)), Neg(ofTerms(terms[last:]))) {
				continue
			}
			if args, ok := subtractFromAll(a.args, arg); ok {
				folded := slices.Clone(terms[:last])
				folded[i].factors = []factor{{newAtom(a.kind, args...), 1}}
				return folded
			}
		}
	}
	return terms
}

// foldRemainders writes x - n*floor(x/n) as mod(x, n), where that leaves fewer terms.
func foldRemainders(terms []term) []term {
	for i := 0; i < len(terms) && len(terms) > 1; i++ {
		j := slices.IndexFunc(terms[i].factors, func(f factor) bool { return f.atom.kind == floorAtom && f.exponent == 1 })
		if j < 0 {
			continue
		}
		if folded, ok := foldRemainder(terms, i, j); ok {
			terms, i = folded, -1
		}
	}
	return terms
}

// foldRemainder replaces in the i-th term c*m*floor(x/n), whose j-th factor is the floor, by c*m*x/n - c*m*mod(x, n)/n.
func foldRemainder(terms []term, i, j int) ([]term, bool) {
	argument := terms[i].factors[j].atom.args[0]
	dividend, divisor, ok := asQuotient(argument)
	if !ok {
		return nil, false
	}
	outer := ofTerms([]term{{terms[i].coefficient, slices.Delete(slices.Clone(terms[i].factors), j, j+1)}})
	rest := Add(ofTerms(slices.Delete(slices.Clone(terms), i, i+1)), Mul(outer, argument))
	if rest.e == nil || len(rest.terms())+1 >= len(terms) {
		return nil, false
	}
	scale := Neg(Div(outer, divisor))
	if scale.e == nil || len(scale.terms()) != 1 {
		return nil, false
	}
	t := scale.terms()[0]
	t.factors = append(slices.Clone(t.factors), factor{newAtom(modAtom, dividend, divisor), 1})
	return append([]term{t}, rest.terms()...), true
}

// asQuotient writes the argument of a floor as a dividend without denominators over a divisor.
func asQuotient(d Dim) (dividend, divisor Dim, ok bool) {
	if f, ok := fractionOf(d); ok {
		return Add(f.numerator, Int(f.constant)), Int(f.denominator), true
	}
	_, by, ok := overCommonDivisor(d.terms())
	if !ok {
		return Dim{}, Dim{}, false
	}
	divisor = ofRational(by.coefficient)
	for _, f := range by.factors {
		base := ofAtom(f.atom)
		if f.atom.kind == sumAtom {
			base = f.atom.args[0]
		}
		divisor = Mul(divisor, Pow(base, f.exponent))
	}
	dividend = Mul(d, divisor)
	return dividend, divisor, dividend.e != nil && divisor.e != nil
}
