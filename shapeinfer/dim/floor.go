package dim

// Floor returns the greatest integer not above a.
//
// The canonical form moves every integral term out, brings what stays over one denominator with a constant from 0 to
// denominator-1 and a positive first coefficient, and dissolves a floor within a floor.
func Floor(a Dim) Dim {
	if a.e == nil || a.IsInteger() {
		return a
	}
	if c, ok := a.constant(); ok {
		return Int(c.floor())
	}
	outside, inside, ok := splitIntegral(a.e.terms)
	if !ok {
		return Dim{}
	}
	whole := ofTerms(outside)
	if len(inside) == 0 {
		return whole
	}
	rest := ofTerms(inside)
	if c, ok := rest.constant(); ok {
		return Add(whole, Int(c.floor()))
	}
	if spread, ok := floorWithin(rest); ok {
		return Add(whole, spread)
	}
	if f, ok := fractionOf(rest); ok {
		return Add(whole, f.floor())
	}
	return Add(whole, floorAtomOf(rest))
}

// Ceil returns the least integer not below a.
func Ceil(a Dim) Dim { return Neg(Floor(Neg(a))) }

// FloorDiv returns the quotient a/b rounded down, a polynomial where b divides a. It is unknown when b is 0.
func FloorDiv(a, b Dim) Dim {
	if a.e == integerMark && b.e == integerMark {
		if q, ok := floorDivInt(a.n, b.n); ok {
			return Int(q)
		}
		return Dim{}
	}
	return Floor(Div(a, b))
}

// CeilDiv returns the quotient a/b rounded up. It is unknown when b is 0.
func CeilDiv(a, b Dim) Dim {
	if a.e == integerMark && b.e == integerMark {
		q, ok := floorDivInt(a.n, b.n)
		if !ok {
			return Dim{}
		}
		if a.n%b.n != 0 {
			q++
		}
		return Int(q)
	}
	return Ceil(Div(a, b))
}

// Mod returns the remainder a - b*floor(a/b), which has the sign of b. It is unknown when b is 0.
func Mod(a, b Dim) Dim {
	if a.e == integerMark && b.e == integerMark {
		if b.n == 0 {
			return Dim{}
		}
		r := a.n % b.n
		if r != 0 && (r < 0) != (b.n < 0) {
			r += b.n
		}
		return Int(r)
	}
	return Sub(a, Mul(b, FloorDiv(a, b)))
}

// Trunc rounds towards zero.
func Trunc(a Dim) Dim {
	if a.e == nil || a.IsInteger() {
		return a
	}
	return Add(Max(Floor(a), Int(0)), Min(Ceil(a), Int(0)))
}

// Round rounds to the nearest integer, halves to the even one.
func Round(a Dim) Dim {
	if a.e == nil || a.IsInteger() {
		return a
	}
	up := Floor(Add(a, Rat(1, 2)))
	// ceil - floor of (2a - 1)/4 is 0 just where a is 2k + 1/2, which rounding up would take to the odd 2k + 1.
	quarter := Div(Sub(Mul(Int(2), a), Int(1)), Int(4))
	return Sum(up, Ceil(quarter), Neg(Floor(quarter)), Int(-1))
}

// splitIntegral separates the terms that are integers for sure; of the constant the whole part.
func splitIntegral(terms []term) (outside, inside []term, ok bool) {
	for _, t := range terms {
		switch {
		case len(t.factors) == 0:
			whole := t.coefficient.floor()
			part, ok := t.coefficient.sub(rational{whole, 1})
			if !ok {
				return nil, nil, false
			}
			if whole != 0 {
				outside = append(outside, term{coefficient: rational{whole, 1}})
			}
			if part.num != 0 {
				inside = append(inside, term{coefficient: part})
			}
		case t.coefficient.isInt() && integralFactors(t.factors):
			outside = append(outside, t)
		default:
			inside = append(inside, t)
		}
	}
	return outside, inside, true
}

// floorWithin takes the floor of k + c*max(a, b), with constants c and k, into the arguments: rounding down keeps the
// order, so it is max(floor(k + c*a), floor(k + c*b)), the min for a negative c, and the other way round for a min.
func floorWithin(d Dim) (Dim, bool) {
	if d.e.has&hasExtremum == 0 {
		return Dim{}, false
	}
	constant := Int(0)
	var extreme *atom
	var by Dim
	for _, t := range d.terms() {
		switch {
		case len(t.factors) == 0:
			constant = ofTerms([]term{t})
		case extreme == nil && len(t.factors) == 1 && t.factors[0].exponent == 1 && opposite(t.factors[0].atom.kind) != t.factors[0].atom.kind:
			extreme, by = t.factors[0].atom, ofRational(t.coefficient)
		default:
			return Dim{}, false
		}
	}
	if extreme == nil {
		return Dim{}, false
	}
	k := extreme.kind
	if c, _ := by.constant(); c.sign() < 0 {
		k = opposite(k)
	}
	args := make([]Dim, len(extreme.args))
	for i, arg := range extreme.args {
		args[i] = Floor(Add(constant, Mul(by, arg)))
		if args[i].e == nil {
			return Dim{}, false
		}
	}
	return extremum(k, args), true
}

func integralFactors(factors []factor) bool {
	for _, f := range factors {
		if f.exponent < 0 || !f.atom.integral {
			return false
		}
	}
	return true
}

// fraction is (numerator + constant)/denominator with an integral numerator that has no constant term, and integers
// 0 <= constant < denominator.
type fraction struct {
	numerator             Dim
	constant, denominator int64
}

// fractionOf brings an expression over one denominator, rounding its constant down to a multiple of 1/denominator,
// which the floor of the whole does not notice. It reports false where a term is not an integer over an integer.
func fractionOf(d Dim) (fraction, bool) {
	denominator := int64(1)
	var symbolic []term
	constant := zero
	for _, t := range d.terms() {
		if len(t.factors) == 0 {
			constant = t.coefficient
			continue
		}
		if !integralFactors(t.factors) {
			return fraction{}, false
		}
		var ok bool
		if denominator, ok = lcmInt(denominator, t.coefficient.den); !ok {
			return fraction{}, false
		}
		symbolic = append(symbolic, t)
	}
	scaled, ok := constant.mul(rational{denominator, 1})
	numerator := Mul(ofTerms(symbolic), Int(denominator))
	if !ok || numerator.e == nil || denominator == 1 {
		return fraction{}, false
	}
	f := fraction{numerator, scaled.floor(), denominator}
	return f, f.constant >= 0 && f.constant < denominator
}

func (f fraction) dim() Dim { return Div(Add(f.numerator, Int(f.constant)), Int(f.denominator)) }

// mirror returns the fraction g with floor(f) = -floor(g): for an integer x, floor(x/n) = -floor((-x + n - 1)/n).
func (f fraction) mirror() fraction {
	return fraction{Neg(f.numerator), f.denominator - 1 - f.constant, f.denominator}
}

func (f fraction) floor() Dim {
	if inner, ok := f.dissolve(); ok {
		return inner
	}
	if f.numerator.e == nil || f.numerator.e == integerMark {
		return Floor(f.dim())
	}
	if f.numerator.e.terms[0].coefficient.sign() < 0 {
		return Neg(f.mirror().atom())
	}
	return f.atom()
}

func (f fraction) atom() Dim { return floorAtomOf(f.dim()) }

// dissolve removes a floor that stands in the numerator with coefficient 1 or -1: for any real y and integers x and n > 0,
// floor((floor(y) + x)/n) = floor((y + x)/n).
func (f fraction) dissolve() (Dim, bool) {
	for _, t := range f.numerator.terms() {
		if len(t.factors) != 1 || t.factors[0].exponent != 1 || t.factors[0].atom.kind != floorAtom || t.coefficient.den != 1 {
			continue
		}
		argument := t.factors[0].atom.args[0]
		switch t.coefficient.num {
		case 1:
		case -1:
			inner, ok := fractionOf(argument)
			if !ok {
				return Neg(f.mirror().floor()), true
			}
			argument = inner.mirror().dim()
		default:
			continue
		}
		others := Sub(Add(f.numerator, Int(f.constant)), ofTerms([]term{t}))
		return Floor(Div(Add(argument, others), Int(f.denominator))), true
	}
	return Dim{}, false
}

// floorAtomOf makes the atom floor(d), or the integer that the bounds of d leave.
func floorAtomOf(d Dim) Dim {
	if d.e == nil || d.e == integerMark {
		return d
	}
	b := quickBounds(d)
	if d.e.has&(hasFloor|hasExtremum|hasDataDependent) != 0 {
		b = provenBounds(d, 1)
	}
	if b.hasLow && b.hasHigh && b.low.floor() == b.high.floor() {
		return Int(b.low.floor())
	}
	a := newAtom(floorAtom, d)
	a.bounds = b.floor()
	return ofAtom(a)
}
