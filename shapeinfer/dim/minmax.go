package dim

import (
	"cmp"
	"math"
	"slices"
)

// maxArguments bounds the arguments of one min or max, which are compared pairwise.
const maxArguments = 16

// Min returns the smaller one of a and b.
func Min(a, b Dim) Dim {
	if a.e == integerMark && b.e == integerMark {
		return Int(min(a.n, b.n))
	}
	return extremum(minAtom, []Dim{a, b})
}

// Max returns the greater one of a and b.
func Max(a, b Dim) Dim {
	if a.e == integerMark && b.e == integerMark {
		return Int(max(a.n, b.n))
	}
	return extremum(maxAtom, []Dim{a, b})
}

// Abs returns the absolute value of a.
func Abs(a Dim) Dim { return Max(a, Neg(a)) }

// extremum returns the min or max of args in canonical form: nested ones are flattened; arguments that another one
// decides are dropped; a common addend, a common positive factor and the sign are moved out; the rest is sorted.
func extremum(k kind, args []Dim) Dim {
	args, ok := flatten(k, args)
	if !ok {
		return Dim{}
	}
	args = undecided(k, args)
	if len(args) == 1 {
		return args[0]
	}
	args, common, ok := splitCommon(args)
	if !ok {
		return Dim{}
	}
	args, constant := splitConstant(k, args)
	args, factor := splitFactor(args)
	addend := Add(common, constant)
	if !Equal(addend, Int(0)) || !Equal(factor, Int(1)) {
		// What remains may share more: a*min(1, a - 1) is a*min(2, a) - a.
		return Add(addend, Mul(factor, extremum(k, args)))
	}
	k, args, sign := splitSign(k, args)
	a := newAtom(k, args...)
	a.bounds = extremumBounds(k, args)
	return Mul(sign, ofAtom(a))
}

func extremumBounds(k kind, args []Dim) interval {
	b := quickBounds(args[0])
	for _, arg := range args[1:] {
		if k == minAtom {
			b = b.least(quickBounds(arg))
		} else {
			b = b.neg().least(quickBounds(arg).neg()).neg()
		}
	}
	return b
}

// flatten lists the arguments, with those of a nested min or max of the same sense in its place.
func flatten(k kind, args []Dim) ([]Dim, bool) {
	var flat []Dim
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg.e == nil || len(flat)+len(args) > maxArguments {
			return nil, false
		}
		nested, by, rest, ok := nestedExtremum(k, arg)
		if !ok {
			flat = append(flat, arg)
			continue
		}
		for _, inner := range nested.args {
			args = append(args, Add(rest, Mul(by, inner)))
		}
	}
	return flat, true
}

// nestedExtremum finds in arg a term by*min(...) with a positive factor by, which as an argument of min is as good as its
// own arguments; likewise for max, and for a negative factor with the other one.
func nestedExtremum(k kind, arg Dim) (nested *atom, by, rest Dim, ok bool) {
	if arg.e == integerMark || arg.e.has&hasExtremum == 0 {
		return nil, Dim{}, Dim{}, false
	}
	for _, t := range arg.e.terms {
		wanted := k
		if t.coefficient.sign() < 0 {
			wanted = opposite(k)
		}
		i := slices.IndexFunc(t.factors, func(f factor) bool { return f.atom.kind == wanted && f.exponent == 1 })
		if i < 0 {
			continue
		}
		others := slices.Delete(slices.Clone(t.factors), i, i+1)
		if slices.ContainsFunc(others, func(f factor) bool { return !f.atom.bounds.nonNegative() }) {
			continue
		}
		by = ofTerms([]term{{t.coefficient, others}})
		return t.factors[i].atom, by, Sub(arg, ofTerms([]term{t})), true
	}
	return nil, Dim{}, Dim{}, false
}

func opposite(k kind) kind {
	switch k {
	case minAtom:
		return maxAtom
	case maxAtom:
		return minAtom
	}
	return k
}

// undecided drops every argument that another one is provably at least as good as. Of two that are provably equal the
// simpler one stays.
func undecided(k kind, args []Dim) []Dim {
	args = slices.SortedFunc(slices.Values(args), bySize)
	// No integer of a model is beyond int64, whose ends stand for "to the end" in the arguments of Slice.
	end := Int(math.MaxInt64)
	if k == maxAtom {
		end = Int(math.MinInt64)
	}
	var kept []Dim
	for _, a := range args {
		decided := func(b Dim) bool {
			if a == end {
				return b.IsInteger()
			}
			better, ok := betterOrEqual(k, b, a)
			return better && ok
		}
		if slices.ContainsFunc(kept, decided) {
			continue
		}
		kept = slices.DeleteFunc(kept, func(b Dim) bool {
			better, ok := betterOrEqual(k, a, b)
			return better && ok || b == end && a.IsInteger()
		})
		kept = append(kept, a)
	}
	return kept
}

// bySize orders the simpler expression first.
func bySize(a, b Dim) int {
	if c := cmp.Compare(a.size(), b.size()); c != 0 {
		return c
	}
	return compareStructure(a, b)
}

func (d Dim) size() int {
	if d.e == integerMark {
		return 0
	}
	return d.e.size
}

func betterOrEqual(k kind, a, b Dim) (result, ok bool) {
	if k == minAtom {
		return LessEq(a, b)
	}
	return LessEq(b, a)
}

// splitCommon subtracts the terms that all arguments share.
func splitCommon(args []Dim) (rest []Dim, common Dim, ok bool) {
	var shared []term
	for _, t := range args[0].terms() {
		if isIn(t, args) {
			shared = append(shared, t)
		}
	}
	common = ofTerms(shared)
	rest, ok = subtractFromAll(args, common)
	return rest, common, ok
}

// splitConstant subtracts a constant, so that min(a + 1, b + 1) and min(a, b) + 1 are one expression. It is the least
// (for max the greatest) of the constants of the arguments with symbols: a choice that commutes with adding to all
// arguments and with changing the sign of all.
func splitConstant(k kind, args []Dim) (rest []Dim, constant Dim) {
	for _, arg := range args {
		if _, ok := arg.constant(); ok {
			continue
		}
		own := Int(0)
		if last := arg.e.terms[len(arg.e.terms)-1]; len(last.factors) == 0 {
			own = ofRational(last.coefficient)
		}
		if constant.e == nil {
			constant = own
		} else if better, _ := betterOrEqual(k, own, constant); better {
			constant = own
		}
	}
	rest, ok := subtractFromAll(args, constant)
	if !ok {
		return args, Int(0)
	}
	return rest, constant
}

func subtractFromAll(args []Dim, d Dim) (rest []Dim, ok bool) {
	rest, ok = make([]Dim, len(args)), true
	for i, arg := range args {
		rest[i] = Sub(arg, d)
		ok = ok && rest[i].e != nil
	}
	return rest, ok
}

func isIn(t term, args []Dim) bool {
	return !slices.ContainsFunc(args, func(d Dim) bool {
		return !slices.ContainsFunc(d.terms(), func(u term) bool {
			return u.coefficient == t.coefficient && compareMonomials(u.factors, t.factors) == 0
		})
	})
}

// splitFactor divides the arguments by their greatest common positive factor.
func splitFactor(args []Dim) (rest []Dim, factor Dim) {
	var all []term
	for _, arg := range args {
		all = append(all, arg.terms()...)
	}
	by := term{coefficient: contentOf(all)}
	for _, f := range commonFactors(all) {
		if f.exponent > 0 && f.atom.bounds.nonNegative() {
			by.factors = append(by.factors, f)
		}
	}
	factor = ofTerms([]term{by})
	rest = make([]Dim, len(args))
	for i, arg := range args {
		if rest[i] = Div(arg, factor); rest[i].e == nil {
			return args, Int(1)
		}
	}
	return rest, factor
}

// splitSign chooses between min(a, b) and -max(-a, -b), and sorts the arguments.
func splitSign(k kind, args []Dim) (kind, []Dim, Dim) {
	negated := make([]Dim, len(args))
	for i, arg := range args {
		if negated[i] = Neg(arg); negated[i].e == nil {
			return k, args, Int(1)
		}
	}
	args = slices.SortedFunc(slices.Values(args), compareStructure)
	slices.SortFunc(negated, compareStructure)
	c := slices.CompareFunc(args, negated, compareStructure)
	if c > 0 || (c == 0 && k == minAtom) {
		return opposite(k), negated, Int(-1)
	}
	return k, args, Int(1)
}
