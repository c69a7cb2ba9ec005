package dim

import (
	"math"
	"slices"
)

// Add returns a + b.
func Add(a, b Dim) Dim {
	if a.e == integerMark && b.e == integerMark {
		if n, ok := addInt(a.n, b.n); ok {
			return Int(n)
		}
		return Dim{}
	}
	if a.e == nil || b.e == nil {
		return Dim{}
	}
	terms, ok := addTerms(a.terms(), b.terms())
	if !ok {
		return Dim{}
	}
	return ofUnreduced(terms)
}

// Sub returns a - b.
func Sub(a, b Dim) Dim {
	if a.e == integerMark && b.e == integerMark {
		if n := a.n - b.n; (n < a.n) == (b.n > 0) {
			return Int(n)
		}
		return Dim{}
	}
	return Add(a, Neg(b))
}

// Neg returns -a.
func Neg(a Dim) Dim { return Mul(Int(-1), a) }

// Mul returns a * b.
func Mul(a, b Dim) Dim {
	if a.e == integerMark && b.e == integerMark {
		if n, ok := mulInt(a.n, b.n); ok {
			return Int(n)
		}
		return Dim{}
	}
	if a.e == nil || b.e == nil {
		return Dim{}
	}
	if a.e == integerMark && a.n == 1 {
		return b
	}
	if b.e == integerMark && b.n == 1 {
		return a
	}
	terms, ok := mulTerms(a.terms(), b.terms())
	if !ok {
		return Dim{}
	}
	return ofUnreduced(terms)
}

// Sum returns the sum of all; that of none is 0.
func Sum(ds ...Dim) Dim {
	sum := Int(0)
	for _, d := range ds {
		sum = Add(sum, d)
	}
	return sum
}

// Product returns the product of all; that of none, as of a scalar's dimensions, is 1.
func Product(ds ...Dim) Dim {
	// The numbers first: one multiplication of an expression for all of them.
	expressions, number := make([]Dim, 0, 8), int64(1)
	for _, d := range ds {
		if d.e != integerMark {
			expressions = append(expressions, d)
			continue
		}
		n, ok := mulInt(number, d.n)
		if !ok {
			return Dim{}
		}
		number = n
	}
	return Mul(productOf(expressions), Int(number))
}

// productOf multiplies expressions, so that a product of thousands of factors is not copied once for each of them.
func productOf(ds []Dim) Dim {
	switch {
	case len(ds) == 0:
		return Int(1)
	case len(ds) == 1:
		return ds[0]
	case len(ds) > 8 && allMonomials(ds):
		return productOfMonomials(ds)
	}
	return Mul(productOf(ds[:len(ds)/2]), productOf(ds[len(ds)/2:]))
}

func allMonomials(ds []Dim) bool {
	for _, d := range ds {
		if d.e == nil || len(d.terms()) != 1 {
			return false
		}
	}
	return true
}

// productOfMonomials sorts all factors at once.
func productOfMonomials(ds []Dim) Dim {
	product := term{coefficient: one}
	var factors []factor
	for _, d := range ds {
		t := d.terms()[0]
		var ok bool
		if product.coefficient, ok = product.coefficient.mul(t.coefficient); !ok {
			return Dim{}
		}
		factors = append(factors, t.factors...)
	}
	slices.SortStableFunc(factors, func(a, b factor) int { return compareAtoms(a.atom, b.atom) })
	merged := factors[:0]
	for _, f := range factors {
		if n := len(merged); n == 0 || compareAtoms(merged[n-1].atom, f.atom) != 0 {
			merged = append(merged, f)
			continue
		}
		last := &merged[len(merged)-1]
		last.atom = weaker(last.atom, f.atom)
		if last.exponent += f.exponent; last.exponent > maxExponent || last.exponent < -maxExponent {
			return Dim{}
		}
	}
	product.factors = slices.DeleteFunc(merged, func(f factor) bool { return f.exponent == 0 })
	return ofUnreduced([]term{product})
}

// Pow returns a to the n-th power; a negative n divides. 0 to the 0 is 1.
func Pow(a Dim, n int) Dim {
	if a.e == nil || n == math.MinInt {
		return Dim{}
	}
	if n < 0 {
		return Div(Int(1), Pow(a, -n))
	}
	result := Int(1)
	for {
		if n&1 == 1 {
			result = Mul(result, a)
		}
		if n >>= 1; n == 0 {
			return result
		}
		if a = Mul(a, a); a.e == nil {
			return Dim{}
		}
	}
}
