package dim_test

import (
	"slices"
	"testing"

	"onnxmem/shapeinfer/dim"
)

func TestEval(t *testing.T) {
	bind := map[string]int64{"h": 7, "w": 4, "z": 0}
	for _, test := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"12", 12, true},
		{"h*w - 3", 25, true},
		{"floor((h - 1)/2) + 1", 4, true},
		{"ceil(h/w)", 2, true},
		{"h % w", 3, true},
		{"max(h, w)*min(h, w, 5)", 28, true},
		{"h/w*w", 7, true},
		{"h/w", 0, false},
		{"h/z", 0, false},
		{"h + missing", 0, false},
		{"h*4611686018427387904", 0, false},
		{"w*z", 0, true},
		{"abs(w - h)", 3, true},
	} {
		if got, ok := parse(t, test.text).Eval(bind); got != test.want && ok || ok != test.ok {
			t.Errorf("%s = %d, %v, want %d, %v", test.text, got, ok, test.want, test.ok)
		}
	}
	if _, ok := dim.Unknown().Eval(bind); ok {
		t.Error("unknown has a value")
	}
}

func TestSubst(t *testing.T) {
	for _, test := range []struct {
		text string
		bind map[string]dim.Dim
		want string
	}{
		{"b*floor(h/2)", map[string]dim.Dim{"h": dim.Int(9)}, "4*b"},
		{"b*floor(h/2)", map[string]dim.Dim{"h": parse(t, "2*k")}, "b*k"},
		// All at once: a and b change places.
		{"a - b", map[string]dim.Dim{"a": dim.Symbol("b"), "b": dim.Symbol("a")}, "b - a"},
		{"min(a, b) + a/(b + c)", map[string]dim.Dim{"a": parse(t, "b + c")}, "b + 1"},
		{"a", map[string]dim.Dim{"a": dim.Unknown()}, "?"},
		{"a/b", map[string]dim.Dim{"b": dim.Int(0)}, "?"},
		{"a*b", map[string]dim.Dim{"c": dim.Int(2)}, "a*b"},
		{"5", map[string]dim.Dim{"c": dim.Int(2)}, "5"},
	} {
		if got := parse(t, test.text).Subst(test.bind).String(); got != test.want {
			t.Errorf("%s with %v is %s, want %s", test.text, test.bind, got, test.want)
		}
	}
	if got := parse(t, "a*b + c").EvalPartial(map[string]int64{"a": 3}).String(); got != "3*b + c" {
		t.Errorf("a*b + c with a = 3 is %s", got)
	}
}

func TestSymbols(t *testing.T) {
	d := parse(t, "z + floor(min(b, c)/d)*a/(x + y) + z")
	if got := d.Symbols(); !slices.Equal(got, []string{"a", "b", "c", "d", "x", "y", "z"}) {
		t.Errorf("Symbols = %v", got)
	}
	if got := dim.Int(3).Symbols(); len(got) != 0 {
		t.Errorf("Symbols of 3 = %v", got)
	}
}

func TestPredicates(t *testing.T) {
	n := dim.DataDependent("n", 0, dim.Unknown())
	for _, test := range []struct {
		d                          dim.Dim
		symbolic, integer, bounded bool
	}{
		{dim.Int(3), false, true, false},
		{dim.Rat(3, 2), false, false, false},
		{dim.Rat(6, 2), false, true, false},
		{dim.Symbol("s"), true, true, false},
		{parse(t, "s/2"), true, false, false},
		{parse(t, "floor(s/2)*min(a, b)"), true, true, false},
		{parse(t, "min(s/2, a)"), true, false, false},
		{parse(t, "a/b"), true, false, false},
		{n, true, true, true},
		{dim.FloorDiv(dim.Add(n, dim.Symbol("s")), dim.Int(3)), true, true, true},
	} {
		if test.d.IsSymbolic() != test.symbolic || test.d.IsInteger() != test.integer || test.d.HasDataDependent() != test.bounded {
			t.Errorf("%v: symbolic %v, integer %v, bounded %v", test.d, test.d.IsSymbolic(), test.d.IsInteger(), test.d.HasDataDependent())
		}
	}
}

func TestPolynomial(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"3*b**2*s + b*floor(s/2) - b + s + 4", []string{"s + 4", "s + floor(s/2) - 1 - s", "3*s"}},
		{"s", []string{"s"}},
		{"5", []string{"5"}},
		{"b**2", []string{"0", "0", "1"}},
		{"floor(b/2)", nil},
		{"b + min(b, s)", nil},
		{"s/b", nil},
		{"s/(b + 1)", nil},
	} {
		got, ok := parse(t, test.text).Polynomial("b")
		if ok != (test.want != nil) || len(got) != len(test.want) {
			t.Errorf("%s = %v, %v", test.text, got, ok)
			continue
		}
		for i, c := range got {
			if !dim.Equal(c, parse(t, test.want[i])) {
				t.Errorf("%s has coefficient %d %v, want %s", test.text, i, c, test.want[i])
			}
		}
	}
	if _, ok := dim.Unknown().Polynomial("b"); ok {
		t.Error("unknown is a polynomial")
	}
}
