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
	printSum(&b, pretty(d.e.terms))
	return b.String()
}

// printSum writes a sum over its common denominator.
func printSum(b *strings.Builder, terms []term) {
	numerators, divisor, ok := overCommonDivisor(terms)
	if !ok || len(terms) == 1 || (divisor.coefficient == one && len(divisor.factors) == 0) {
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
		for _, t := range terms[1:] {
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
	for _, t := range terms {
		n, ok := t.times(divisor)
		if !ok {
			return nil, term{}, false
		}
		numerators = append(numerators, n)
	}
	return numerators, divisor, true
}

// printTerms writes a sum with a positive term first where there is one.
func printTerms(b *strings.Builder, terms []term) {
	first := max(0, slices.IndexFunc(terms, func(t term) bool { return t.coefficient.sign() > 0 }))
	if terms[first].coefficient.sign() < 0 {
		b.WriteByte('-')
	}
	printProduct(b, terms[first])
	for i, t := range terms {
		switch {
		case i == first:
			continue
		case t.coefficient.sign() < 0:
			b.WriteString(" - ")
		default:
			b.WriteString(" + ")
		}
		printProduct(b, t)
	}
}

// printProduct writes a term without its sign.
func printProduct(b *strings.Builder, t term) {
	var factors []factor
	divisor := term{coefficient: rational{t.coefficient.den, 1}}
	for _, f := range t.factors {
		if f.exponent < 0 {
			divisor.factors = append(divisor.factors, factor{f.atom, -f.exponent})
		} else {
			factors = append(factors, f)
		}
	}
	printFactors(b, magnitude(t.coefficient.num), factors)
	printDivisor(b, divisor)
}

// printDivisor writes "/" and a product, in parentheses where it has several factors. A product of sums would be another
// sum, so that all but one divide on their own.
func printDivisor(b *strings.Builder, t term) {
	var product, sums []factor
	for _, f := range t.factors {
		if f.atom.kind != sumAtom {
			product = append(product, f)
			continue
		}
		for range f.exponent {
			sums = append(sums, factor{f.atom, 1})
		}
	}
	if len(sums) > 0 {
		product, sums = append(product, sums[0]), sums[1:]
	}
	n := magnitude(t.coefficient.num)
	switch {
	case len(product) == 0 && n == 1:
	case len(product) == 0 || (len(product) == 1 && n == 1):
		b.WriteByte('/')
		printFactors(b, n, product)
	default:
		b.WriteString("/(")
		printFactors(b, n, product)
		b.WriteByte(')')
	}
	for _, f := range sums {
		b.WriteByte('/')
		printFactor(b, f)
	}
}

// printFactors writes a product with positive exponents.
func printFactors(b *strings.Builder, n uint64, factors []factor) {
	if n != 1 || len(factors) == 0 {
		b.WriteString(strconv.FormatUint(n, 10))
	}
	for i, f := range factors {
		if i > 0 || n != 1 {
			b.WriteByte('*')
		}
		printFactor(b, f)
	}
}

func printFactor(b *strings.Builder, f factor) {
	if f.atom.kind == symbolAtom {
		b.WriteString(f.atom.name)
	} else {
		b.WriteString(functionName(f.atom.kind))
		b.WriteByte('(')
		for i, arg := range f.atom.args {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(arg.String())
		}
		b.WriteByte(')')
	}
	if f.exponent != 1 {
		b.WriteString("**")
		b.WriteString(strconv.Itoa(f.exponent))
	}
}

// functionName of a sum is empty: it stands in mere parentheses.
func functionName(k kind) string {
	switch k {
	case floorAtom:
		return "floor"
	case minAtom:
		return "min"
	case maxAtom:
		return "max"
	case ceilAtom:
		return "ceil"
	case modAtom:
		return "mod"
	case absAtom:
		return "abs"
	}
	return ""
}
