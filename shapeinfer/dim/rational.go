package dim

import (
	"cmp"
	"math"
	"math/bits"
)

// rational is an exact number in lowest terms, with den at least 1. Every operation reports whether its result fits;
// none rounds.
type rational struct{ num, den int64 }

var (
	zero = rational{0, 1}
	one  = rational{1, 1}
)

func makeRational(num, den int64) (rational, bool) {
	if den == 0 {
		return rational{}, false
	}
	g := gcd(magnitude(num), magnitude(den))
	n, d := magnitude(num)/g, magnitude(den)/g
	negative := (num < 0) != (den < 0)
	if d > math.MaxInt64 {
		return rational{}, false
	}
	signed, ok := signedInt(n, negative)
	return rational{signed, int64(d)}, ok
}

// magnitude is the absolute value, which for the smallest integer fits only without a sign.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func signedInt(magnitude uint64, negative bool) (int64, bool) {
	if negative {
		return -int64(magnitude), magnitude <= 1<<63
	}
	return int64(magnitude), magnitude <= math.MaxInt64
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func addInt(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}

func mulInt(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 {
		return 0, false
	}
	return signedInt(lo, (a < 0) != (b < 0))
}

// floorDivInt rounds a/b towards minus infinity.
func floorDivInt(a, b int64) (int64, bool) {
	if b == 0 || (a == math.MinInt64 && b == -1) {
		return 0, false
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q, true
}

// lcmInt is the least common multiple of two positive numbers.
func lcmInt(a, b int64) (int64, bool) {
	return mulInt(a/int64(gcd(uint64(a), uint64(b))), b)
}

func (a rational) add(b rational) (rational, bool) {
	if a.den == 1 && b.den == 1 {
		n, ok := addInt(a.num, b.num)
		return rational{n, 1}, ok
	}
	den, ok1 := lcmInt(a.den, b.den)
	if !ok1 {
		return rational{}, false
	}
	x, ok2 := mulInt(a.num, den/a.den)
	y, ok3 := mulInt(b.num, den/b.den)
	n, ok4 := addInt(x, y)
	if !ok2 || !ok3 || !ok4 {
		return rational{}, false
	}
	return makeRational(n, den)
}

func (a rational) sub(b rational) (rational, bool) {
	nb, ok := b.neg()
	if !ok {
		return rational{}, false
	}
	return a.add(nb)
}

func (a rational) mul(b rational) (rational, bool) {
	if a.den == 1 && b.den == 1 {
		n, ok := mulInt(a.num, b.num)
		return rational{n, 1}, ok
	}
	// Reducing across first keeps products that fit from overflowing on the way.
	x, ok1 := makeRational(a.num, b.den)
	y, ok2 := makeRational(b.num, a.den)
	if !ok1 || !ok2 {
		return rational{}, false
	}
	n, ok3 := mulInt(x.num, y.num)
	d, ok4 := mulInt(x.den, y.den)
	return rational{n, d}, ok3 && ok4
}

func (a rational) neg() (rational, bool) {
	return rational{-a.num, a.den}, a.num != math.MinInt64
}

func (a rational) inverse() (rational, bool) { return makeRational(a.den, a.num) }

// pow returns a to the n-th, n at least 0.
func (a rational) pow(n int) (rational, bool) {
	result := one
	for range n {
		var ok bool
		if result, ok = result.mul(a); !ok || result == zero {
			return result, ok
		}
	}
	return result, true
}

func (a rational) sign() int { return cmp.Compare(a.num, 0) }

func (a rational) isInt() bool { return a.den == 1 }

func (a rational) floor() int64 {
	q, _ := floorDivInt(a.num, a.den)
	return q
}

func (a rational) ceil() int64 {
	if a.den == 1 {
		return a.num
	}
	return a.floor() + 1
}

// compare never fails: the cross products are taken in 128 bits.
func (a rational) compare(b rational) int {
	if s := cmp.Compare(a.sign(), b.sign()); s != 0 || a.num == 0 {
		return s
	}
	h1, l1 := bits.Mul64(magnitude(a.num), uint64(b.den))
	h2, l2 := bits.Mul64(magnitude(b.num), uint64(a.den))
	c := cmp.Compare(h1, h2)
	if c == 0 {
		c = cmp.Compare(l1, l2)
	}
	return c * a.sign()
}
