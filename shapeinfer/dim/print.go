package dim

import (
	"slices"
	"strconv"
	"strings"
)

// String writes d in its canonical form, which [Parse] reads back: `12*batch`, `past + seq`, `ceil(height/2)`. Unknown
// is "?".
func (d Dim) String() string {
	switch d.e {
	case nil:
		return "?"
	case integerMark:
		return strconv.FormatInt(d.n, 10)
	}
	var b strings.Builder
	printSum(&b, d.e.terms)
	return b.String()
}

// printSum writes a sum over its common denominator.
func printSum(b *strings.Builder, terms []term) {
	if len(terms) == 1 {
		printTerm(b, terms[0], true)
		return
	}
	numerators, divisor, ok := overCommonDivisor(terms)
	if !ok || (divisor.coefficient == one && len(divisor.factors) == 0) {
		printTerms(b, terms)
		return
	}
	b.WriteByte('(')
	printTerms(b, numerators)
	b.WriteByte(')')
	printDivisor(b, divisor)
}

// overCommonDivisor returns the terms multiplied by the least common denominator of the coefficients and by the powers
// that divide every term.
func overCommonDivisor(terms []term) (numerators []term, divisor term, ok bool) {
	divisor.coefficient = one
	for _, t := range terms {
		if divisor.coefficient.num, ok = lcmInt(divisor.coefficient.num, t.coefficient.den); !ok {
			return nil, term{}, false
		}
	}
	for _, f := range terms[0].factors {
		e := -f.exponent
		for _, t := range terms {
			i := slices.IndexFunc(t.factors, func(g factor) bool { return sameAtom(f.atom, g.atom) })
			if i < 0 {
				e = 0
				break
			}
			e = min(e, -t.factors[i].exponent)
		}
		if e > 0 {
			divisor.factors = append(divisor.factors, factor{f.atom, e})
		}
	}
	by := divisor
	for _, f := range divisor.factors {
		if f.negates() {
			by.coefficient.num = -by.coefficient.num
		}
	}
	for _, t := range terms {
		n, ok := t.times(by)
		if !ok {
			return nil, term{}, false
		}
		numerators = append(numerators, n)
	}
	return numerators, divisor, true
}

// printTerms writes a sum with a positive term first where there is one.
func printTerms(b *strings.Builder, terms []term) {
	first := max(0, slices.IndexFunc(terms, func(t term) bool { return !printsNegative(t) }))
	printTerm(b, terms[first], true)
	for i, t := range terms {
		if i != first {
			printTerm(b, t, false)
		}
	}
}

// printed is an atom as it is written: -floor(-x) as ceil(x), -min(-x, y) as max(x, -y).
type printed struct {
	name    string
	args    []Dim
	negated bool
}

func (a *atom) printed() printed {
	switch a.kind {
	case floorAtom:
		argument := a.args[0]
		if f, ok := fractionOf(argument); ok {
			// For an integer x, floor((x + n - 1)/n) is ceil(x/n).
			if f.constant == f.denominator-1 {
				return printed{"ceil", []Dim{Div(f.numerator, Int(f.denominator))}, false}
			}
		} else if argument.terms()[0].coefficient.sign() < 0 {
			return printed{"ceil", []Dim{Neg(argument)}, true}
		}
		return printed{"floor", a.args, false}
	case minAtom, maxAtom:
		return a.printedExtremum()
	}
	return printed{name: a.name}
}

func (a *atom) printedExtremum() printed {
	name, other := "min", "max"
	if a.kind == maxAtom {
		name, other = other, name
		if len(a.args) == 2 && Equal(a.args[0], Neg(a.args[1])) {
			return printed{"abs", a.args[:1], false}
		}
	}
	var negated []Dim
	for _, arg := range a.args {
		allPositive := !slices.ContainsFunc(arg.terms(), func(t term) bool { return t.coefficient.sign() < 0 })
		if n := Neg(arg); n.e != nil && (!allPositive || len(arg.terms()) == 0) {
			negated = append(negated, n)
		}
	}
	if len(negated) == len(a.args) {
		return printed{other, negated, true}
	}
	return printed{name, a.args, false}
}

// negates reports whether writing the factor in its printed form turns the sign of the term.
func (f factor) negates() bool {
	if f.exponent%2 == 0 {
		return false
	}
	p := f.atom.printed()
	return p.negated && (p.name == "ceil")
}

func printsNegative(t term) bool {
	negative := t.coefficient.sign() < 0
	for _, f := range t.factors {
		if f.negates() {
			negative = !negative
		}
	}
	for _, f := range t.factors {
		if negative && f.flips() {
			return false
		}
	}
	return negative
}

// flips reports whether a min or max can be written as the other one of the negated arguments.
func (f factor) flips() bool {
	return f.exponent == 1 && (f.atom.kind == minAtom || f.atom.kind == maxAtom) && f.atom.printed().negated
}

// printTerm writes one term with its sign, after another one unless first.
func printTerm(b *strings.Builder, t term, first bool) {
	negative := t.coefficient.sign() < 0
	for _, f := range t.factors {
		if f.negates() {
			negative = !negative
		}
	}
	flip := -1
	if negative {
		flip = slices.IndexFunc(t.factors, factor.flips)
		negative = flip < 0
	}
	switch {
	case first && negative:
		b.WriteByte('-')
	case !first && negative:
		b.WriteString(" - ")
	case !first:
		b.WriteString(" + ")
	}
	printProduct(b, t, flip)
}

// printProduct writes a term without its sign. The factor at index flip is written as the other one of min and max.
func printProduct(b *strings.Builder, t term, flip int) {
	n := magnitude(t.coefficient.num)
	empty := true
	if n != 1 || !slices.ContainsFunc(t.factors, func(f factor) bool { return f.exponent > 0 }) {
		b.WriteString(strconv.FormatUint(n, 10))
		empty = false
	}
	divisor := term{coefficient: rational{t.coefficient.den, 1}}
	for i, f := range t.factors {
		if f.exponent < 0 {
			divisor.factors = append(divisor.factors, factor{f.atom, -f.exponent})
			continue
		}
		if !empty {
			b.WriteByte('*')
		}
		empty = false
		printFactor(b, f, i == flip)
	}
	printDivisor(b, divisor)
}

// printDivisor writes "/" and a product, in parentheses where it has several factors, and divides by each sum on its own:
// their product would be another sum.
func printDivisor(b *strings.Builder, t term) {
	var product, sums []factor
	for _, f := range t.factors {
		if f.atom.kind == sumAtom {
			sums = append(sums, f)
		} else {
			product = append(product, f)
		}
	}
	switch {
	case len(product) == 0 && t.coefficient == one:
	case len(product) == 0 || (len(product) == 1 && t.coefficient == one):
		b.WriteByte('/')
		printFactors(b, t.coefficient.num, product)
	default:
		b.WriteString("/(")
		printFactors(b, t.coefficient.num, product)
		b.WriteByte(')')
	}
	for _, f := range sums {
		for range f.exponent {
			b.WriteByte('/')
			printAtom(b, f.atom, false)
		}
	}
}

func printFactors(b *strings.Builder, n int64, factors []factor) {
	if n != 1 {
		b.WriteString(strconv.FormatInt(n, 10))
	}
	for i, f := range factors {
		if i > 0 || n != 1 {
			b.WriteByte('*')
		}
		printFactor(b, f, false)
	}
}

func printFactor(b *strings.Builder, f factor, flip bool) {
	printAtom(b, f.atom, flip)
	if f.exponent != 1 {
		b.WriteString("**")
		b.WriteString(strconv.Itoa(f.exponent))
	}
}

func printAtom(b *strings.Builder, a *atom, flip bool) {
	if a.kind == sumAtom {
		b.WriteByte('(')
		b.WriteString(a.args[0].String())
		b.WriteByte(')')
		return
	}
	p := a.printed()
	if p.negated && p.name != "ceil" && !flip {
		p = printed{map[kind]string{minAtom: "min", maxAtom: "max"}[a.kind], a.args, false}
	}
	b.WriteString(p.name)
	if len(p.args) == 0 {
		return
	}
	b.WriteByte('(')
	for i, arg := range p.args {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(arg.String())
	}
	b.WriteByte(')')
}
