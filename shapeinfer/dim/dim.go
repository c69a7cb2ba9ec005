package dim

// Dim is what is known of one dimension, or of one integer or rational value: a number, an expression over symbols,
// or nothing. The zero Dim is unknown. A Dim is an immutable value and may be copied, and shared by goroutines, freely; compare with
// [Equal], as == tells only whether two Dims share their representation.
type Dim struct {
	// n is the value when e is integerMark, else 0.
	n int64
	// e is nil for unknown, integerMark for an integer, else the expression (a rational constant included).
	e *polynomial
}

// integerMark tells that a Dim holds its value itself. It lets integers do without any allocation.
var integerMark = new(polynomial)

// Int returns the integer n.
func Int(n int64) Dim { return Dim{n: n, e: integerMark} }

// Unknown returns the Dim of which nothing is known.
func Unknown() Dim { return Dim{} }

// Symbol returns the symbol of that name, an integer assumed to be at least 1. Symbols of one name are the same symbol.
func Symbol(name string) Dim { return ofAtom(newSymbol(name)) }

// DataDependent returns a symbol whose value depends on data: at least lo (a negative lo counts as 0) and at most hi, which
// may be unknown. Symbols of one name are the same symbol, so the caller chooses a fresh name.
func DataDependent(name string, lo int64, hi Dim) Dim {
	return ofAtom(newDataDependent(name, max(lo, 0), hi))
}

// Rat returns the exact rational num/den, an integer where den divides num. It is unknown when den is 0 or the reduced
// fraction does not fit. Rationals are values (a scale, a quotient), never the size of a shape.
func Rat(num, den int64) Dim {
	r, ok := makeRational(num, den)
	if !ok {
		return Dim{}
	}
	return ofRational(r)
}

// IsKnown reports whether d is a number or an expression.
func (d Dim) IsKnown() bool { return d.e != nil }

// Int returns the value of an integer constant.
func (d Dim) Int() (int64, bool) { return d.n, d.e == integerMark }

// Rational returns the value of a constant in lowest terms, with den at least 1.
func (d Dim) Rational() (num, den int64, ok bool) {
	r, ok := d.constant()
	if !ok {
		return 0, 0, false
	}
	return r.num, r.den, true
}

// IsSymbolic reports whether d is an expression that holds symbols.
func (d Dim) IsSymbolic() bool {
	_, constant := d.constant()
	return d.e != nil && !constant
}

// IsInteger reports whether d is provably an integer for all values of its symbols.
func (d Dim) IsInteger() bool {
	switch d.e {
	case nil:
		return false
	case integerMark:
		return true
	}
	return d.e.integral
}

// HasDataDependent reports whether d holds a data-dependent symbol, one made by [DataDependent].
func (d Dim) HasDataDependent() bool { return d.e != nil && d.e.has&hasDataDependent != 0 }

// constant returns the value of an integer or rational constant.
func (d Dim) constant() (rational, bool) {
	if d.e == integerMark {
		return rational{d.n, 1}, true
	}
	if d.e != nil && len(d.e.terms) == 1 && len(d.e.terms[0].factors) == 0 {
		return d.e.terms[0].coefficient, true
	}
	return rational{}, false
}

func ofRational(r rational) Dim {
	if r.den == 1 {
		return Int(r.num)
	}
	return ofTerms([]term{{coefficient: r}})
}

func ofAtom(a *atom) Dim { return ofFactor(factor{a, 1}) }

func ofFactor(f factor) Dim {
	return ofTerms([]term{{coefficient: one, factors: []factor{f}}})
}

// terms returns the terms of a known Dim; zero has none.
func (d Dim) terms() []term {
	if d.e != integerMark {
		return d.e.terms
	}
	if d.n == 0 {
		return nil
	}
	return []term{{coefficient: rational{d.n, 1}}}
}

// Size counts the symbols, numbers and functions of an expression: 1 for a
// number and 0 for unknown.
func (d Dim) Size() int {
	switch d.e {
	case nil:
		return 0
	case integerMark:
		return 1
	}
	return d.e.size
}
