package dim_test

import (
	"math"
	"testing"

	"onnxmem/shapeinfer/dim"
)

// parse reads an expression that the test relies on.
func parse(t testing.TB, s string) dim.Dim {
	t.Helper()
	d, err := dim.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestCanonicalText holds what each expression is by hand, and so which expressions are one.
func TestCanonicalText(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"batch", "batch"},
		{"batch*12", "12*batch"},
		{"seq + past", "past + seq"},
		{"(a + b)*c", "a*c + b*c"},
		{"(a - b)*(a + b)", "a**2 - b**2"},
		{"b*a*b", "a*b**2"},
		{"-h + 5", "5 - h"},
		{"-h - w", "-h - w"},
		{"a - a", "0"},
		{"x**0", "1"},
		{"h/2 + h/2", "h"},
		{"5*h/2", "5*h/2"},
		{"h/2 + 1/2", "(h + 1)/2"},

		// Exact quotients.
		{"batch*seq*768/(batch*12)", "64*seq"},
		{"(a*b + a*c)/(b + c)", "a"},
		{"(a**2 - 1)/(a - 1)", "a + 1"},
		{"a/(b + c)*(b + c)", "a"},
		{"a/b*b", "a"},
		{"a/b/c", "a/(b*c)"},
		{"(a + b)/c", "(a + b)/c"},
		{"a/(2*b + 2*c)", "a/(2*(b + c))"},
		{"1/(a/b)", "b/a"},
		{"x*y/(y + 1) + x/(y + 1)", "x"},
		{"a*b//b", "a"},
		{"a//b", "floor(a/b)"},

		// floor((h - 1)/2) + 1 = floor((h + 1)/2) = ceil(h/2) for an integer h.
		{"floor((h - 1)/2) + 1", "ceil(h/2)"},
		{"floor(h/2 - 1/2) + 1", "ceil(h/2)"},
		{"floor((h + 1)/2)", "ceil(h/2)"},
		{"-floor(-h/2)", "ceil(h/2)"},
		{"floor((h - 3)/4) + 1", "floor((h + 1)/4)"},
		{"floor((2*h + 3)/2)", "h + 1"},
		{"floor((2*h + w)/2)", "h + floor(w/2)"},
		{"floor(5*h/2)", "floor(5*h/2)"},
		// 2h + 1 over 4: the halves of the quarter do not matter.
		{"floor((2*h + 1)/4)", "floor(h/2)"},
		{"floor(h/3 + 1/2)", "floor((h + 1)/3)"},
		{"ceil(a/b)", "ceil(a/b)"},
		{"floor(floor(h/2)/2)", "floor(h/4)"},
		{"floor((floor(h/2) + 3)/5)", "floor((h + 6)/10)"},
		// ceil(ceil(h/2)/2) = ceil(h/4).
		{"ceil(ceil(h/2)/2)", "ceil(h/4)"},
		{"floor((floor((h - 1)/2) + 1 - 1)/2) + 1", "ceil(h/4)"},
		// h - floor(h/2) = ceil(h/2), and half of that rounded up is ceil(h/4).
		{"ceil((h - floor(h/2))/2)", "ceil(h/4)"},
		{"floor(floor(a/b)/2)", "floor(a/(2*b))"},
		{"floor(h/(h + 1)) * 0 + 1", "1"},

		{"x % 8", "mod(x, 8)"},
		{"(8*x) % 8", "0"},
		{"(8*x + 3) % 8", "3"},
		{"(x % 8) % 8", "mod(x, 8)"},
		{"a % b", "mod(a, b)"},
		{"(a*b) % b", "0"},
		// Padding to a multiple: x + mod(-x, 8) = 8*ceil(x/8).
		{"x + (-x) % 8", "8*ceil(x/8)"},
		{"(x % 8) // 8", "0"},

		{"min(s, s + p)", "s"},
		{"max(b, 1)", "b"},
		{"max(b, 0)", "b"},
		{"min(a, b, a)", "min(a, b)"},
		{"min(b, min(c, a))", "min(a, b, c)"},
		{"min(a + 1, b + 1) - 1", "min(a, b)"},
		{"min(2*a, 2*b)", "2*min(a, b)"},
		{"max(b*h, b*w)", "b*max(h, w)"},
		{"-max(-a, -b)", "min(a, b)"},
		{"max(h - 3, 0)", "max(h - 3, 0)"},
		{"max(b - a, 0)", "max(b - a, 0)"},
		{"min(9223372036854775807, s)", "s"},
		{"max(s, -9223372036854775808)", "s"},
		{"min(max(s - 1, 0), s)", "s - 1"},
		{"abs(a - b)", "abs(a - b)"},
		{"abs(b - a)", "abs(a - b)"},
		{"abs(-s)", "s"},
		{"min(3, max(5, h))", "3"},
	} {
		d := parse(t, test.text)
		if got := d.String(); got != test.want {
			t.Errorf("%s is %s, want %s", test.text, got, test.want)
		}
		if back := parse(t, test.want); !dim.Equal(back, d) || back.String() != test.want {
			t.Errorf("%s is not the same as %s, which is %s", test.text, test.want, back)
		}
	}
}

func TestEqualDecidesIdentitiesOfFloors(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"h - floor(h/2)", "ceil(h/2)", true},
		{"floor(h/2) + ceil(h/2)", "h", true},
		{"2*h + floor(h/2)", "floor(5*h/2)", true},
		{"batch*(h - floor(h/2))", "batch*ceil(h/2)", true},
		{"floor(h/2)", "ceil(h/2)", false},
		{"floor(h/2)", "h", false},
		{"2*floor(h/2)", "h", false},
	} {
		if got := dim.Equal(parse(t, test.a), parse(t, test.b)); got != test.want {
			t.Errorf("Equal(%s, %s) = %v, want %v", test.a, test.b, got, test.want)
		}
		if sign, ok := dim.Compare(parse(t, test.a), parse(t, test.b)); test.want && (!ok || sign != 0) {
			t.Errorf("Compare(%s, %s) = %d, %v, want 0", test.a, test.b, sign, ok)
		}
	}
}

func TestIntegers(t *testing.T) {
	i := dim.Int
	for _, test := range []struct {
		name string
		got  dim.Dim
		want int64
	}{
		{"7//2", dim.FloorDiv(i(7), i(2)), 3},
		{"-7//2", dim.FloorDiv(i(-7), i(2)), -4},
		{"7//-2", dim.FloorDiv(i(7), i(-2)), -4},
		{"ceil(7/2)", dim.CeilDiv(i(7), i(2)), 4},
		{"ceil(-7/2)", dim.CeilDiv(i(-7), i(2)), -3},
		{"7 mod 3", dim.Mod(i(7), i(3)), 1},
		{"-7 mod 3", dim.Mod(i(-7), i(3)), 2},
		{"7 mod -3", dim.Mod(i(7), i(-3)), -2},
		{"floor(-7/2)", dim.Floor(dim.Rat(-7, 2)), -4},
		{"ceil(-7/2)", dim.Ceil(dim.Rat(-7, 2)), -3},
		{"trunc(-7/2)", dim.Trunc(dim.Rat(-7, 2)), -3},
		{"trunc(7/2)", dim.Trunc(dim.Rat(7, 2)), 3},
		{"round(1/2)", dim.Round(dim.Rat(1, 2)), 0},
		{"round(3/2)", dim.Round(dim.Rat(3, 2)), 2},
		{"round(5/2)", dim.Round(dim.Rat(5, 2)), 2},
		{"round(-5/2)", dim.Round(dim.Rat(-5, 2)), -2},
		{"round(-3/2)", dim.Round(dim.Rat(-3, 2)), -2},
		{"round(8/3)", dim.Round(dim.Rat(8, 3)), 3},
		{"abs(-3)", dim.Abs(i(-3)), 3},
		{"min", dim.Min(i(3), i(-2)), -2},
		{"max", dim.Max(i(3), i(-2)), 3},
		{"6/3", dim.Div(i(6), i(3)), 2},
		{"-6/-3", dim.Div(i(-6), i(-3)), 2},
		{"10/4*2", dim.Mul(dim.Div(i(10), i(4)), i(2)), 5},
		{"empty product", dim.Product(), 1},
		{"empty sum", dim.Sum(), 0},
		{"2**10", dim.Pow(i(2), 10), 1024},
		{"2**-1 * 2", dim.Mul(dim.Pow(i(2), -1), i(2)), 1},
		{"(-1)**99", dim.Pow(i(-1), 99), -1},
		{"smallest mod -1", dim.Mod(i(math.MinInt64), i(-1)), 0},
	} {
		if n, ok := test.got.Int(); !ok || n != test.want {
			t.Errorf("%s = %v, want %d", test.name, test.got, test.want)
		}
	}
}

// TestOverflowIsUnknown tries what does not fit, what divides by zero, and what has no operand.
func TestOverflowIsUnknown(t *testing.T) {
	i, h, unknown := dim.Int, dim.Symbol("h"), dim.Unknown()
	biggest, smallest := i(math.MaxInt64), i(math.MinInt64)
	for name, d := range map[string]dim.Dim{
		"max + 1":       dim.Add(biggest, i(1)),
		"min - 1":       dim.Sub(smallest, i(1)),
		"0 - min":       dim.Sub(i(0), smallest),
		"-min":          dim.Neg(smallest),
		"|min|":         dim.Abs(smallest),
		"min // -1":     dim.FloorDiv(smallest, i(-1)),
		"ceil(min/-1)":  dim.CeilDiv(smallest, i(-1)),
		"min / -1":      dim.Div(smallest, i(-1)),
		"max * 2":       dim.Mul(biggest, i(2)),
		"min * -1":      dim.Mul(smallest, i(-1)),
		"2**63":         dim.Pow(i(2), 63),
		"1/0":           dim.Div(i(1), i(0)),
		"1//0":          dim.FloorDiv(i(1), i(0)),
		"ceil(1/0)":     dim.CeilDiv(i(1), i(0)),
		"1 mod 0":       dim.Mod(i(1), i(0)),
		"h/0":           dim.Div(h, i(0)),
		"h//0":          dim.FloorDiv(h, i(0)),
		"h mod 0":       dim.Mod(h, i(0)),
		"0**-1":         dim.Pow(i(0), -1),
		"Rat(1, 0)":     dim.Rat(1, 0),
		"Rat(1, min)":   dim.Rat(1, math.MinInt64),
		"h*max*2":       dim.Mul(dim.Mul(h, biggest), i(2)),
		"h*max + h":     dim.Add(dim.Mul(h, biggest), h),
		"-(h*min)":      dim.Neg(dim.Mul(h, smallest)),
		"h**65":         dim.Pow(h, 65),
		"unknown + 1":   dim.Add(unknown, i(1)),
		"1 - unknown":   dim.Sub(i(1), unknown),
		"h * unknown":   dim.Mul(h, unknown),
		"unknown / h":   dim.Div(unknown, h),
		"max(unknown)":  dim.Max(i(1), unknown),
		"min(unknown)":  dim.Min(h, unknown),
		"floor unknown": dim.Floor(unknown),
		"round unknown": dim.Round(unknown),
		"trunc unknown": dim.Trunc(unknown),
		"abs unknown":   dim.Abs(unknown),
		"unknown**0":    dim.Pow(unknown, 0),
		"mod unknown":   dim.Mod(i(4), unknown),
		"sum":           dim.Sum(h, unknown),
		"product":       dim.Product(unknown, h),
		"upper":         unknown.UpperExpr(),
		"subst":         unknown.Subst(nil),
	} {
		if d.IsKnown() || d.IsInteger() || d.IsSymbolic() || d.String() != "?" {
			t.Errorf("%s = %v, want unknown", name, d)
		}
	}
	if dim.Equal(unknown, unknown) || dim.NotEqual(unknown, i(1)) {
		t.Error("unknown is comparable")
	}
	var zero dim.Dim
	if zero.IsKnown() {
		t.Error("the zero Dim is known")
	}
}

// TestLimits grows expressions until they are given up: a sum of 300 symbols, a product that would have 400 terms,
// and floors nested deeper than can be.
func TestLimits(t *testing.T) {
	sum, nested := dim.Int(0), dim.Symbol("h")
	for i := range 300 {
		sum = dim.Add(sum, dim.Symbol("s"+string(rune('a'+i))))
	}
	if sum.IsKnown() {
		t.Error("a sum of 300 symbols is known")
	}
	left, right := dim.Int(0), dim.Int(0)
	for i := range 20 {
		left = dim.Add(left, dim.Symbol("l"+string(rune('a'+i))))
		right = dim.Add(right, dim.Symbol("r"+string(rune('a'+i))))
	}
	if !left.IsKnown() || dim.Mul(left, right).IsKnown() {
		t.Error("a product of 400 terms is known")
	}
	for range 30 {
		// (3x + h)/2 keeps the inner floor, which does not stand alone.
		nested = dim.FloorDiv(dim.Add(dim.Mul(dim.Int(3), nested), dim.Symbol("h")), dim.Int(2))
	}
	if nested.IsKnown() {
		t.Error("30 nested floors are known")
	}
}

func TestRoundOfSymbols(t *testing.T) {
	h := dim.Symbol("h")
	half, third := dim.Round(dim.Div(h, dim.Int(2))), dim.Round(dim.Div(h, dim.Int(3)))
	// 1/2 -> 0, 1, 3/2 -> 2, 2, 5/2 -> 2, 3, 7/2 -> 4, and 1/3 -> 0, 2/3 -> 1, 1, 4/3 -> 1, 5/3 -> 2, 2, 7/3 -> 2.
	for i, want := range []struct{ half, third int64 }{{0, 0}, {1, 1}, {2, 1}, {2, 1}, {2, 2}, {3, 2}, {4, 2}} {
		bind := map[string]int64{"h": int64(i + 1)}
		if got, ok := half.Eval(bind); !ok || got != want.half {
			t.Errorf("round(%d/2) = %d, want %d", i+1, got, want.half)
		}
		if got, ok := third.Eval(bind); !ok || got != want.third {
			t.Errorf("round(%d/3) = %d, want %d", i+1, got, want.third)
		}
	}
	if got := third.String(); got != "floor((h + 1)/3)" {
		t.Errorf("round(h/3) = %s", got)
	}
}

func TestFromFloat(t *testing.T) {
	for _, test := range []struct {
		f        float64
		num, den int64
	}{{2.5, 5, 2}, {0.25, 1, 4}, {-3, -3, 1}, {0, 0, 1}, {1 << 62, 1 << 62, 1}, {1. / (1 << 30), 1, 1 << 30},
		// The float32 nearest to 1/3 is 11184811/2^25.
		{float64(float32(1) / 3), 11184811, 1 << 25}} {
		d, ok := dim.FromFloat(test.f)
		if num, den, constant := d.Rational(); !ok || !constant || num != test.num || den != test.den {
			t.Errorf("FromFloat(%v) = %v, %v, want %d/%d", test.f, d, ok, test.num, test.den)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.1, 1 << 63, math.MaxFloat64, 1. / (1 << 31), math.SmallestNonzeroFloat64} {
		if d, ok := dim.FromFloat(f); ok || d.IsKnown() {
			t.Errorf("FromFloat(%v) = %v", f, d)
		}
	}
}

func TestDivideExact(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"batch*seq*768", "batch*12", "64*seq"},
		{"a*b + a*c", "b + c", "a"},
		{"64*b*floor(h/2)*floor(w/2)", "64*b", "floor(h/2)*floor(w/2)"},
		{"64*b*floor(h/2)*floor(w/2)", "b*floor(h/2)", "64*floor(w/2)"},
		{"a**2 + 2*a*b + b**2", "a + b", "a + b"},
		{"0", "h", "0"},
		{"12", "4", "3"},
		{"h/2", "2", "h/4"},
		{"a*x/b", "x", "a/b"},
		{"12", "5", ""},
		{"3*h", "2", ""},
		{"h", "w", ""},
		{"a*b + c", "b", ""},
		{"a*b + a + c", "b + 1", ""},
		{"h", "0", ""},
		{"a/b", "c", ""},
		{"a", "a**2", ""},
	} {
		got, ok := dim.DivideExact(parse(t, test.a), parse(t, test.b))
		if ok != (test.want != "") || (ok && got.String() != test.want) {
			t.Errorf("DivideExact(%s, %s) = %v, %v, want %q", test.a, test.b, got, ok, test.want)
		}
	}
	if _, ok := dim.DivideExact(dim.Unknown(), dim.Int(1)); ok {
		t.Error("unknown is divisible")
	}
}

// TestProductOfMany: factors that are multiplied all at once give what they
// give one after the other, powers that cancel among them.
func TestProductOfMany(t *testing.T) {
	a, b := dim.Symbol("a"), dim.Symbol("b")
	half := dim.Div(a, dim.Int(2))
	factors := []dim.Dim{a, b, half, dim.Div(dim.Int(1), b), dim.Int(3), dim.Symbol("c"), b, a, dim.FloorDiv(a, dim.Int(3)), b, dim.Div(dim.Int(1), a), dim.Pow(b, 3)}
	want := dim.Int(1)
	for _, f := range factors {
		want = dim.Mul(want, f)
	}
	if got := dim.Product(factors...); !dim.Equal(got, want) || got.String() != want.String() {
		t.Errorf("the product is %s, one after the other %s", got, want)
	}
	if dim.Product(append(factors, dim.Pow(a, 64))...).IsKnown() {
		t.Error("a power above the limit is known")
	}
}
