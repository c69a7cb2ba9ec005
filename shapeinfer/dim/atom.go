package dim

import (
	"cmp"
	"slices"
)

// kind tells the atoms apart, in the order in which they stand in a product.
type kind uint8

const (
	symbolAtom  kind = iota
	floorAtom        // floor of args[0]
	ceilAtom         // ceiling of args[0]: only in print
	modAtom          // remainder of args[0] by args[1]: only in print
	minAtom          // least of args
	maxAtom          // greatest of args
	absAtom          // absolute value of args[0]: only in print
	sumAtom          // args[0], a sum: only ever with a negative exponent, as a divisor
	shiftedAtom      // args[0] less its lower bound: only inside the proof of a bound
)

// atom is what a product multiplies: a symbol, or an expression that is not a polynomial.
type atom struct {
	kind     kind
	name     string // of a symbol
	args     []Dim
	upper    Dim // symbolic upper bound of a bounded symbol, may be unknown
	bounded  bool
	integral bool
	has      features
	chain    int // bounded symbols within the bounds of bounded symbols, at most
	depth    int
	size     int
	hash     uint64
	bounds   interval
}

func newSymbol(name string) *atom {
	return &atom{
		kind: symbolAtom, name: name, integral: true, size: 1, hash: hashString(name),
		bounds: interval{low: one, hasLow: true},
	}
}

// maxChain bounds how far one bound leads to the next. A node that keeps some of what another one kept has a symbol at
// most the other's, and a proof that follows a thousand of these takes as long for each of the thousand.
const maxChain = 8

func newDataDependent(name string, lo int64, hi Dim) *atom {
	if hi.chain() >= maxChain {
		hi = hi.UpperExpr()
	}
	a := newSymbol(name)
	a.bounded, a.has, a.upper, a.chain = true, hasDataDependent, hi, hi.chain()+1
	a.bounds.low = rational{lo, 1}
	if top, ok := hi.Upper(); ok && top >= lo {
		a.bounds.high, a.bounds.hasHigh = rational{top, 1}, true
	}
	return a
}

// newAtom makes an atom of another kind than a symbol.
func newAtom(k kind, args ...Dim) *atom {
	a := &atom{kind: k, args: args, size: 1, integral: k != sumAtom, hash: mix(hashSeed, uint64(k))}
	switch k {
	case floorAtom:
		a.has = hasFloor
	case minAtom, maxAtom:
		a.has = hasExtremum
	case sumAtom:
		a.has = hasInverse
	}
	for _, arg := range args {
		a.hash = mix(a.hash, arg.hash())
		if k != floorAtom && !arg.IsInteger() {
			a.integral = false
		}
		if arg.e != integerMark {
			a.has |= arg.e.has & (hasDataDependent | hasInner)
			a.chain = max(a.chain, arg.e.chain)
			a.depth = max(a.depth, arg.e.depth+1)
			a.size += arg.e.size
		} else {
			a.size++
		}
	}
	return a
}

// chain is how many bounded symbols stand one within the bound of the other.
func (d Dim) chain() int {
	if d.e == nil {
		return 0
	}
	return d.e.chain
}

// hash of a known Dim; equal Dims have equal hashes.
func (d Dim) hash() uint64 {
	if d.e == integerMark {
		return mix(hashSeed+1, uint64(d.n))
	}
	return d.e.hash
}

const hashSeed = 0xcbf29ce484222325

func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func hashString(s string) uint64 {
	h := uint64(hashSeed)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return mix(h, uint64(len(s)))
}

func sameAtom(a, b *atom) bool {
	return a == b || (a.hash == b.hash && compareAtoms(a, b) == 0)
}

// compareAtoms orders atoms by their structure, symbols by name. Bounds do not count: a symbol is its name.
func compareAtoms(a, b *atom) int {
	if a == b {
		return 0
	}
	if c := cmp.Compare(a.kind, b.kind); c != 0 {
		return c
	}
	if a.kind == symbolAtom {
		return cmp.Compare(a.name, b.name)
	}
	return slices.CompareFunc(a.args, b.args, compareStructure)
}

// compareStructure is a total order of known Dims that has nothing to do with their values, except among integers.
func compareStructure(a, b Dim) int {
	if a.e == b.e {
		return cmp.Compare(a.n, b.n)
	}
	return slices.CompareFunc(a.terms(), b.terms(), func(x, y term) int {
		if c := compareMonomials(x.factors, y.factors); c != 0 {
			return c
		}
		return y.coefficient.compare(x.coefficient)
	})
}
