package dim_test

import (
	"fmt"
	"strconv"
	"testing"

	"onnxmem/shapeinfer/dim"
)

// box is the number of boxes that a detector keeps: none to all of its candidates.
func box(candidates dim.Dim) dim.Dim { return dim.DataDependent("kept", 0, candidates) }

func TestBounds(t *testing.T) {
	s, n := dim.Symbol("s"), dim.DataDependent("n", 0, dim.Int(100))
	const none = -1 << 40
	for _, test := range []struct {
		d            dim.Dim
		lower, upper int64
	}{
		{dim.Int(7), 7, 7},
		{dim.Rat(7, 2), 3, 4},
		{s, 1, none},
		{dim.Neg(s), none, -1},
		{n, 0, 100},
		{dim.Sub(dim.Int(5), n), -95, 5},
		{dim.DataDependent("m", 3, dim.Unknown()), 3, none},
		{dim.DataDependent("m", -3, dim.Unknown()), 0, none},
		{dim.FloorDiv(n, dim.Int(8)), 0, 12},
		{dim.CeilDiv(s, dim.Int(2)), 1, none},
		{dim.Mod(s, dim.Int(8)), 0, 7},
		{dim.Min(s, dim.Int(6)), 1, 6},
		{dim.Max(n, dim.Int(6)), 6, 100},
		// s*t - s - t + 1 = (s - 1)*(t - 1).
		{parse(t, "s*t - s - t + 1"), 0, none},
		{parse(t, "s/(s + t)"), 0, 1},
		{parse(t, "s - floor(s/2)"), 1, none},
		{dim.Unknown(), none, none},
	} {
		lower, ok := test.d.Lower()
		if ok != (test.lower != none) || (ok && lower != test.lower) {
			t.Errorf("Lower of %v = %d, %v, want %d", test.d, lower, ok, test.lower)
		}
		upper, ok := test.d.Upper()
		if ok != (test.upper != none) || (ok && upper != test.upper) {
			t.Errorf("Upper of %v = %d, %v, want %d", test.d, upper, ok, test.upper)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		a, b string
		sign int // 2: not provable
	}{
		{"s + p", "s", 1},
		{"s", "s + 1", -1},
		{"s", "s", 0},
		{"s", "0", 1},
		{"s", "1", 2},
		{"s", "t", 2},
		{"s*t + 1", "s", 1},
		{"2*s*t + 1", "s + t", 1},
		{"floor(s/2)", "s", -1},
		{"2*floor(s/2)", "s + 1", -1},
		{"min(s, t)", "s + 1", -1},
		{"max(s, t) + 1", "min(s, t)", 1},
		{"max(s, t) + min(s, t)", "s + t", 0},
		{"a/(a + b)", "1", -1},
		{"a/b + 1", "a/b", 1},
		{"x % 8", "8", -1},
		{"3", "2", 1},
	} {
		sign, ok := dim.Compare(parse(t, test.a), parse(t, test.b))
		if ok != (test.sign != 2) || (ok && sign != test.sign) {
			t.Errorf("Compare(%s, %s) = %d, %v, want %d", test.a, test.b, sign, ok, test.sign)
		}
		back, ok := dim.Compare(parse(t, test.b), parse(t, test.a))
		if ok != (test.sign != 2) || (ok && back != -test.sign) {
			t.Errorf("Compare(%s, %s) = %d, %v, want %d", test.b, test.a, back, ok, -test.sign)
		}
	}
}

func TestLessEq(t *testing.T) {
	s, w := dim.Symbol("s"), dim.Symbol("w")
	candidates := dim.Mul(s, w)
	kept := box(candidates)
	for _, test := range []struct {
		a, b       dim.Dim
		result, ok bool
	}{
		{dim.Int(1), s, true, true},
		{dim.Int(2), s, false, false},
		{s, dim.Int(0), false, true},
		{kept, candidates, true, true},
		{dim.Mul(kept, dim.Int(3)), dim.Mul(candidates, dim.Int(3)), true, true},
		{kept, dim.Sub(candidates, dim.Int(1)), false, false},
		{dim.Add(candidates, dim.Int(1)), kept, false, true},
		{dim.Unknown(), s, false, false},
	} {
		if result, ok := dim.LessEq(test.a, test.b); result != test.result || ok != test.ok {
			t.Errorf("LessEq(%v, %v) = %v, %v", test.a, test.b, result, ok)
		}
	}
	if less, ok := dim.Less(dim.Int(0), s); !ok || !less {
		t.Error("0 < s is not proven")
	}
	if less, ok := dim.Less(s, s); !ok || less {
		t.Error("s < s is not refuted")
	}
	if _, ok := dim.Less(kept, candidates); ok {
		t.Error("kept < candidates is decided, though both may be the same")
	}
}

func TestNotEqual(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"s", "s + 1", true},
		{"s", "0", true},
		{"s", "1", false},
		{"s", "t", false},
		{"2*s", "2*t + 1", true},
		{"6*s", "4*t + 2", false},
		{"6*s", "9*t + 2", true},
		{"3", "4", true},
		{"3", "3", false},
		{"s", "s", false},
	} {
		if got := dim.NotEqual(parse(t, test.a), parse(t, test.b)); got != test.want {
			t.Errorf("NotEqual(%s, %s) = %v", test.a, test.b, got)
		}
	}
}

func TestUpperExpr(t *testing.T) {
	s, w := dim.Symbol("s"), dim.Symbol("w")
	kept := box(dim.Mul(s, w))
	inner := dim.DataDependent("inner", 0, kept)
	for _, test := range []struct {
		d    dim.Dim
		want string
	}{
		{s, "s"},
		{kept, "s*w"},
		{dim.Mul(dim.Int(7), kept), "7*s*w"},
		{inner, "s*w"},
		{dim.FloorDiv(dim.Add(kept, dim.Int(1)), dim.Int(2)), "ceil(s*w/2)"},
		{dim.Sub(s, kept), "s"},
		// kept*(s - 1) grows as a whole, to s*w*(s - 1).
		{dim.Sub(dim.Mul(kept, s), kept), "s**2*w - s*w"},
		{dim.Min(kept, dim.Int(100)), "min(s*w, 100)"},
		{dim.Div(s, dim.Add(kept, dim.Int(1))), "s"},
		{dim.Div(s, kept), "?"},
		{dim.DataDependent("free", 0, dim.Unknown()), "?"},
		{dim.Sub(s, dim.DataDependent("free", 2, dim.Unknown())), "s - 2"},
	} {
		if got := test.d.UpperExpr().String(); got != test.want {
			t.Errorf("UpperExpr of %v = %s, want %s", test.d, got, test.want)
		}
	}
}

func TestDataDependentStaysSo(t *testing.T) {
	// By its name the symbol is met again as a plain one, of which Parse knows only that it is at least 1.
	kept, plain := box(dim.Int(10)), dim.Symbol("kept")
	for _, d := range []dim.Dim{dim.Add(plain, kept), dim.Add(kept, plain), dim.Mul(plain, kept)} {
		if lower, ok := d.Lower(); !ok || lower != 0 || !d.HasDataDependent() {
			t.Errorf("%v is at least %d, %v", d, lower, ok)
		}
	}
	if !dim.Equal(kept, plain) {
		t.Error("one name is two symbols")
	}
}

// TestBoundsOfManyParts: a detector keeps at most 300 boxes of each of 90
// classes, 16 bytes each: 432,000 bytes. Symbols that are tied by a bound must
// not be taken apart: n - kept is at least 0 where kept <= n.
func TestBoundsOfManyParts(t *testing.T) {
	sum := dim.Int(4)
	for i := range 90 {
		kept := dim.DataDependent(fmt.Sprintf("kept%d", i), 0, dim.Symbol("n"))
		sum = dim.Add(sum, dim.Mul(dim.Int(16), dim.Min(dim.FloorDiv(kept, dim.Int(2)), dim.Int(300))))
	}
	if low, ok := sum.Lower(); !ok || low != 4 {
		t.Errorf("lower bound %d, %v", low, ok)
	}
	if high, ok := sum.Upper(); !ok || high != 432_004 {
		t.Errorf("upper bound %d, %v", high, ok)
	}
	n, m := dim.Symbol("n"), dim.Symbol("m")
	rest := dim.Add(dim.Sub(n, dim.DataDependent("kept", 0, n)), dim.Sub(m, dim.DataDependent("left", 0, m)))
	if low, ok := rest.Lower(); !ok || low != 0 {
		t.Errorf("what is not kept is at least %d, %v", low, ok)
	}
}

// TestSubstInBounds: a symbol for how many of batch*4 elements are kept is at
// most 4*3 = 12 at batch = 3.
func TestSubstInBounds(t *testing.T) {
	kept := dim.DataDependent("kept", 0, parse(t, "4*batch"))
	inner := dim.DataDependent("inner", 0, kept)
	for _, d := range []dim.Dim{kept, inner, dim.Floor(dim.Div(inner, dim.Int(1)))} {
		bound := d.EvalPartial(map[string]int64{"batch": 3})
		if top, ok := bound.Upper(); !ok || top != 12 {
			t.Errorf("%s at batch = 3 is at most %d, %v, want 12", d, top, ok)
		}
		if low, ok := bound.Lower(); !ok || low != 0 {
			t.Errorf("%s at batch = 3 is at least %d, %v, want 0", d, low, ok)
		}
	}
}

// TestBoundsThatFollowBounds: n - 2*kept with kept at most n, itself at most
// 10, is -10 at n = kept = 10. Replacing n by its least value must not take the
// bound of kept along.
func TestBoundsThatFollowBounds(t *testing.T) {
	n := dim.DataDependent("n", 0, dim.Int(10))
	kept := dim.DataDependent("kept", 0, n)
	d := dim.Sub(n, dim.Mul(dim.Int(2), kept))
	if low, ok := d.Lower(); ok && low > -10 {
		t.Errorf("%s is at least %d, want at most -10", d, low)
	}
}

// TestLongChainOfBounds: a thousand symbols, each at most the one before and
// the input, take no longer each than a few do, and keep their bound.
func TestLongChainOfBounds(t *testing.T) {
	n := dim.Symbol("n")
	kept := n
	for i := range 1000 {
		kept = dim.DataDependent("kept"+strconv.Itoa(i), 0, dim.Min(kept, n))
	}
	if less, ok := dim.LessEq(kept, n); !less || !ok {
		t.Errorf("the last one is at most n: %v, %v", less, ok)
	}
	if !dim.Equal(kept.UpperExpr(), n) {
		t.Errorf("the last one is at most %s, want n", kept.UpperExpr())
	}
}
