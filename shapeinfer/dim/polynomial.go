package dim

import "slices"

// Limits that keep the work bounded. An expression beyond them is unknown.
const (
	maxTerms    = 256
	maxSize     = 8192 // terms and atoms, nested ones included
	maxDepth    = 24   // of atoms within atoms
	maxExponent = 64
	maxProducts = 1 << 14 // pairs of terms in one multiplication
)

// features tell what an expression holds, so that the costly steps are taken only where they apply.
type features uint8

const (
	hasDataDependent features = 1 << iota
	hasFloor                  // a floor as a factor of a term
	hasExtremum               // a min or max as a factor of a term
	hasInverse                // a sum as a divisor
	hasInner                  // any atom but a symbol, at any depth
)

// polynomial is a sum of terms, sorted and without equal monomials. It has at least one term, and is not an integer.
type polynomial struct {
	terms    []term
	hash     uint64
	chain    int // of the atoms
	depth    int
	size     int
	has      features
	integral bool
}

// term is a coefficient, never zero, times the product of its factors, sorted by atom.
type term struct {
	coefficient rational
	factors     []factor
}

// factor is an atom to a power, never the zeroth. A negative exponent divides.
type factor struct {
	atom     *atom
	exponent int
}

// ofTerms makes a Dim of terms that are sorted and combined. It takes the slice over.
func ofTerms(terms []term) Dim {
	if len(terms) == 0 {
		return Int(0)
	}
	if c := terms[0].coefficient; len(terms) == 1 && len(terms[0].factors) == 0 && c.isInt() {
		return Int(c.num)
	}
	p := &polynomial{terms: terms, hash: hashSeed, integral: true}
	for _, t := range terms {
		p.include(t)
	}
	if len(terms) > maxTerms || p.size > maxSize || p.depth > maxDepth {
		return Dim{}
	}
	return Dim{e: p}
}

// include counts one term in what is cached about the polynomial.
func (p *polynomial) include(t term) {
	p.size++
	p.hash = mix(mix(p.hash, uint64(t.coefficient.num)), uint64(t.coefficient.den))
	if !t.coefficient.isInt() {
		p.integral = false
	}
	for _, f := range t.factors {
		p.size += f.atom.size
		p.chain = max(p.chain, f.atom.chain)
		p.depth = max(p.depth, f.atom.depth)
		p.has |= f.atom.has
		if f.atom.kind != symbolAtom {
			p.has |= hasInner
		}
		p.hash = mix(mix(p.hash, f.atom.hash), uint64(f.exponent))
		if f.exponent < 0 || !f.atom.integral {
			p.integral = false
		}
	}
}

// compareMonomials is the graded lexicographic order, the greater first: a total order that products keep.
func compareMonomials(a, b []factor) int {
	if d := degree(b) - degree(a); d != 0 {
		return d
	}
	for i := 0; ; i++ {
		switch {
		case i == len(a) && i == len(b):
			return 0
		case i == len(a):
			return b[i].exponent
		case i == len(b):
			return -a[i].exponent
		}
		switch c := compareAtoms(a[i].atom, b[i].atom); {
		case c < 0:
			return -a[i].exponent
		case c > 0:
			return b[i].exponent
		}
		if d := b[i].exponent - a[i].exponent; d != 0 {
			return d
		}
	}
}

func degree(factors []factor) int {
	sum := 0
	for _, f := range factors {
		sum += f.exponent
	}
	return sum
}

// addTerms merges two sorted lists.
func addTerms(a, b []term) ([]term, bool) {
	out := make([]term, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compareMonomials(a[0].factors, b[0].factors); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			sum, ok := a[0].coefficient.add(b[0].coefficient)
			if !ok {
				return nil, false
			}
			if sum.num != 0 {
				out = append(out, term{sum, weakerFactors(a[0].factors, b[0].factors)})
			}
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...), true
}

// mulTerms multiplies two sorted lists.
func mulTerms(a, b []term) ([]term, bool) {
	if len(a)*len(b) > maxProducts {
		return nil, false
	}
	out := make([]term, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			t, ok := x.times(y)
			if !ok {
				return nil, false
			}
			out = append(out, t)
		}
	}
	// The order is kept by multiplication with one term.
	if len(a) == 1 || len(b) == 1 {
		return out, true
	}
	return combine(out)
}

func (t term) times(u term) (term, bool) {
	c, ok1 := t.coefficient.mul(u.coefficient)
	f, ok2 := mulFactors(t.factors, u.factors)
	return term{c, f}, ok1 && ok2
}

// inverse of a term; the coefficient is never zero.
func (t term) inverse() (term, bool) {
	c, ok := t.coefficient.inverse()
	f := slices.Clone(t.factors)
	for i := range f {
		f[i].exponent = -f[i].exponent
	}
	return term{c, f}, ok
}

// mulFactors merges two sorted products. The lists are shared where nothing changes: they are never written to.
func mulFactors(a, b []factor) ([]factor, bool) {
	if len(a) == 0 {
		return b, true
	}
	if len(b) == 0 {
		return a, true
	}
	out := make([]factor, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compareAtoms(a[0].atom, b[0].atom); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			e := a[0].exponent + b[0].exponent
			if e > maxExponent || e < -maxExponent {
				return nil, false
			}
			if e != 0 {
				out = append(out, factor{weaker(a[0].atom, b[0].atom), e})
			}
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...), true
}

// weaker returns the one of two equal atoms that promises less: a symbol met as bounded and, by its name only, as plain
// stays bounded.
func weaker(a, b *atom) *atom {
	if b.has&hasDataDependent != 0 && a.has&hasDataDependent == 0 {
		return b
	}
	return a
}

// weakerFactors does the same for equal products.
func weakerFactors(a, b []factor) []factor {
	for i := range a {
		if w := weaker(a[i].atom, b[i].atom); w != a[i].atom {
			a = slices.Clone(a)
			a[i].atom = w
		}
	}
	return a
}

// combine sorts terms and adds up those of one monomial. It takes the slice over.
func combine(terms []term) ([]term, bool) {
	slices.SortStableFunc(terms, func(x, y term) int { return compareMonomials(x.factors, y.factors) })
	out := terms[:0]
	for _, t := range terms {
		if n := len(out); n > 0 && compareMonomials(out[n-1].factors, t.factors) == 0 {
			sum, ok := out[n-1].coefficient.add(t.coefficient)
			if !ok {
				return nil, false
			}
			if out[n-1].coefficient = sum; sum.num == 0 {
				out = out[:n-1]
			}
			continue
		}
		out = append(out, t)
	}
	return out, true
}
