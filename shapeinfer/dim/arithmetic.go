package dim

import "math"

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
	product, number := Int(1), int64(1)
	for _, d := range ds {
		if d.e != integerMark {
			product = Mul(product, d)
			continue
		}
		n, ok := mulInt(number, d.n)
		if !ok {
			return Dim{}
		}
		number = n
	}
	return Mul(product, Int(number))
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
