package dim_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"onnxmem/shapeinfer/dim"
)

// expression is a tree that is computed twice: as a Dim, and with numbers for its symbols by math/big.
type expression struct {
	op   string
	n    int64 // of a number, and the exponent of a power
	name string
	args []*expression
}

// symbols that expressions are made of, with the bounds that bindings keep. "n" is data-dependent: at most 2*a.
var symbolNames = []string{"a", "b", "c", "n"}

func symbolNamed(name string) dim.Dim {
	if name == "n" {
		return dim.DataDependent("n", 0, dim.Mul(dim.Int(2), dim.Symbol("a")))
	}
	return dim.Symbol(name)
}

func drawBinding(t *rapid.T, top int64) map[string]int64 {
	bind := map[string]int64{}
	for _, name := range []string{"a", "b", "c"} {
		bind[name] = rapid.Int64Range(1, top).Draw(t, name)
	}
	bind["n"] = rapid.Int64Range(0, 2*bind["a"]).Draw(t, "n")
	return bind
}

var binaryOps = []string{"+", "-", "*", "+", "-", "*", "/", "//", "ceildiv", "%", "min", "max"}

var unaryOps = []string{"neg", "floor", "ceil", "trunc", "round", "abs", "half", "pow"}

func drawExpression(t *rapid.T, depth int) *expression {
	choice := rapid.IntRange(0, 9).Draw(t, "choice")
	switch {
	case depth == 0 && choice < 4:
		return &expression{op: "number", n: rapid.Int64Range(-5, 9).Draw(t, "number")}
	case depth == 0 || choice == 0:
		return &expression{op: "symbol", name: rapid.SampledFrom(symbolNames).Draw(t, "symbol")}
	case choice < 7:
		op := rapid.SampledFrom(binaryOps).Draw(t, "op")
		return &expression{op: op, args: []*expression{drawExpression(t, depth-1), drawExpression(t, depth-1)}}
	}
	op := rapid.SampledFrom(unaryOps).Draw(t, "op")
	return &expression{op: op, n: rapid.Int64Range(0, 3).Draw(t, "n"), args: []*expression{drawExpression(t, depth-1)}}
}

func (e *expression) String() string {
	switch e.op {
	case "number":
		return fmt.Sprint(e.n)
	case "symbol":
		return e.name
	case "pow":
		return fmt.Sprintf("pow(%v, %d)", e.args[0], e.n)
	}
	return fmt.Sprintf("%s%v", e.op, e.args)
}

func (e *expression) dim() dim.Dim {
	var args []dim.Dim
	for _, arg := range e.args {
		args = append(args, arg.dim())
	}
	switch e.op {
	case "number":
		return dim.Int(e.n)
	case "symbol":
		return symbolNamed(e.name)
	case "+":
		return dim.Add(args[0], args[1])
	case "-":
		return dim.Sub(args[0], args[1])
	case "*":
		return dim.Mul(args[0], args[1])
	case "/":
		return dim.Div(args[0], args[1])
	case "//":
		return dim.FloorDiv(args[0], args[1])
	case "ceildiv":
		return dim.CeilDiv(args[0], args[1])
	case "%":
		return dim.Mod(args[0], args[1])
	case "min":
		return dim.Min(args[0], args[1])
	case "max":
		return dim.Max(args[0], args[1])
	case "neg":
		return dim.Neg(args[0])
	case "floor":
		return dim.Floor(args[0])
	case "ceil":
		return dim.Ceil(args[0])
	case "trunc":
		return dim.Trunc(args[0])
	case "round":
		return dim.Round(args[0])
	case "abs":
		return dim.Abs(args[0])
	case "half":
		return dim.Mul(args[0], dim.Rat(e.n, 2))
	case "pow":
		return dim.Pow(args[0], int(e.n))
	}
	panic(e.op)
}

// value is nil where the expression divides by zero.
func (e *expression) value(bind map[string]int64) *big.Rat {
	var args []*big.Rat
	for _, arg := range e.args {
		v := arg.value(bind)
		if v == nil {
			return nil
		}
		args = append(args, v)
	}
	r := new(big.Rat)
	switch e.op {
	case "number":
		return r.SetInt64(e.n)
	case "symbol":
		return r.SetInt64(bind[e.name])
	case "+":
		return r.Add(args[0], args[1])
	case "-":
		return r.Sub(args[0], args[1])
	case "*":
		return r.Mul(args[0], args[1])
	case "/", "//", "ceildiv", "%":
		return quotientValue(e.op, args[0], args[1])
	case "min", "max":
		if (args[0].Cmp(args[1]) < 0) == (e.op == "min") {
			return args[0]
		}
		return args[1]
	case "neg":
		return r.Neg(args[0])
	case "floor":
		return bigFloor(args[0])
	case "ceil":
		return r.Neg(bigFloor(r.Neg(args[0])))
	case "trunc":
		return r.SetInt(new(big.Int).Quo(args[0].Num(), args[0].Denom()))
	case "round":
		return bigRound(args[0])
	case "abs":
		return r.Abs(args[0])
	case "half":
		return r.Mul(args[0], big.NewRat(e.n, 2))
	case "pow":
		r.SetInt64(1)
		for range e.n {
			r.Mul(r, args[0])
		}
		return r
	}
	panic(e.op)
}

func quotientValue(op string, a, b *big.Rat) *big.Rat {
	if b.Sign() == 0 {
		return nil
	}
	q := new(big.Rat).Quo(a, b)
	switch op {
	case "//":
		return bigFloor(q)
	case "ceildiv":
		return q.Neg(bigFloor(q.Neg(q)))
	case "%":
		q = bigFloor(q)
		return q.Sub(a, q.Mul(q, b))
	}
	return q
}

func bigFloor(x *big.Rat) *big.Rat {
	// Div is Euclidean; with a positive divisor that is the floor.
	return new(big.Rat).SetInt(new(big.Int).Div(x.Num(), x.Denom()))
}

// bigRound finds the even neighbour of a half by trying: the nearest integers are floor and floor + 1.
func bigRound(x *big.Rat) *big.Rat {
	low := bigFloor(x)
	rest := new(big.Rat).Sub(x, low)
	high := new(big.Rat).Add(low, big.NewRat(1, 1))
	switch rest.Cmp(big.NewRat(1, 2)) {
	case -1:
		return low
	case 1:
		return high
	}
	if low.Num().Bit(0) == 0 {
		return low
	}
	return high
}

// exact returns the value of d for a binding, also where it is no integer: times the denominator of the expected value
// it has to be one.
func exact(d dim.Dim, bind map[string]int64, want *big.Rat) (*big.Rat, bool) {
	if !want.Denom().IsInt64() {
		return nil, false
	}
	n, ok := dim.Mul(d, dim.Int(want.Denom().Int64())).Eval(bind)
	return new(big.Rat).SetFrac(big.NewInt(n), want.Denom()), ok
}

func TestValueMatchesBigRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpression(t, 3)
		d := e.dim()
		if !d.IsKnown() {
			t.Skip("unknown")
		}
		for range 3 {
			bind := drawBinding(t, 12)
			want := e.value(bind)
			if want == nil {
				continue
			}
			got, ok := exact(d, bind, want)
			if !ok {
				t.Fatalf("%v = %v with %v has no value, want %v", e, d, bind, want.RatString())
			}
			if got.Cmp(want) != 0 {
				t.Fatalf("%v = %v with %v is %v, want %v", e, d, bind, got.RatString(), want.RatString())
			}
			if _, integral := d.Eval(bind); integral != want.IsInt() {
				t.Fatalf("%v = %v with %v: integer %v, want %v", e, d, bind, integral, want.RatString())
			}
			if d.IsInteger() && !want.IsInt() {
				t.Fatalf("%v = %v claims to be an integer, with %v it is %v", e, d, bind, want.RatString())
			}
		}
	})
}

func TestBoundsContainEveryValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpression(t, 3)
		d := e.dim()
		lower, hasLower := d.Lower()
		upper, hasUpper := d.Upper()
		above := d.UpperExpr()
		if above.HasDataDependent() {
			t.Fatalf("UpperExpr of %v holds a bounded symbol: %v", d, above)
		}
		for range 4 {
			bind := drawBinding(t, 9)
			v := e.value(bind)
			if v == nil {
				continue
			}
			if hasLower && v.Cmp(new(big.Rat).SetInt64(lower)) < 0 {
				t.Fatalf("%v = %v with %v is %v, below %d", e, d, bind, v.RatString(), lower)
			}
			if hasUpper && v.Cmp(new(big.Rat).SetInt64(upper)) > 0 {
				t.Fatalf("%v = %v with %v is %v, above %d", e, d, bind, v.RatString(), upper)
			}
			// The floor of the bound is a bound of the floor.
			if top, ok := dim.Floor(above).Eval(bind); ok && bigFloor(v).Cmp(new(big.Rat).SetInt64(top)) > 0 {
				t.Fatalf("%v = %v with %v is %v, above %v = %d", e, d, bind, v.RatString(), above, top)
			}
		}
	})
}

func TestComparisonsHoldForEveryValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, f := drawExpression(t, 2), drawExpression(t, 2)
		a, b := e.dim(), f.dim()
		sign, hasSign := dim.Compare(a, b)
		lessEq, hasLessEq := dim.LessEq(a, b)
		less, hasLess := dim.Less(a, b)
		for range 4 {
			bind := drawBinding(t, 6)
			x, y := e.value(bind), f.value(bind)
			if x == nil || y == nil {
				continue
			}
			c := x.Cmp(y)
			if hasSign && c != sign {
				t.Fatalf("Compare(%v, %v) = %d, with %v it is %d", a, b, sign, bind, c)
			}
			if hasLessEq && lessEq != (c <= 0) {
				t.Fatalf("LessEq(%v, %v) = %v, with %v Compare is %d", a, b, lessEq, bind, c)
			}
			if hasLess && less != (c < 0) {
				t.Fatalf("Less(%v, %v) = %v, with %v Compare is %d", a, b, less, bind, c)
			}
			if dim.Equal(a, b) && c != 0 {
				t.Fatalf("Equal(%v, %v), with %v Compare is %d", a, b, bind, c)
			}
			if dim.NotEqual(a, b) && c == 0 {
				t.Fatalf("NotEqual(%v, %v), with %v they are equal", a, b, bind)
			}
		}
	})
}

func TestParseReadsWhatStringWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpression(t, 3)
		d := e.dim()
		if !d.IsKnown() || d.HasDataDependent() {
			t.Skip("no text, or a symbol that Parse knows less of")
		}
		back, err := dim.Parse(d.String())
		if err != nil {
			t.Fatalf("%v prints %q: %v", e, d, err)
		}
		if !dim.Equal(back, d) || back.String() != d.String() {
			t.Fatalf("%v prints %q, which reads as %q", e, d, back)
		}
	})
}

func TestEqualExpressionsAreOne(t *testing.T) {
	two, one := dim.Int(2), dim.Int(1)
	laws := map[string]func(a, b, c dim.Dim) (dim.Dim, dim.Dim){
		"a+b = b+a": func(a, b, _ dim.Dim) (dim.Dim, dim.Dim) { return dim.Add(a, b), dim.Add(b, a) },
		"a*b = b*a": func(a, b, _ dim.Dim) (dim.Dim, dim.Dim) { return dim.Mul(a, b), dim.Mul(b, a) },
		"(a+b)+c = a+(b+c)": func(a, b, c dim.Dim) (dim.Dim, dim.Dim) {
			return dim.Add(dim.Add(a, b), c), dim.Add(a, dim.Add(b, c))
		},
		"(a+b)*c = a*c+b*c": func(a, b, c dim.Dim) (dim.Dim, dim.Dim) {
			return dim.Mul(dim.Add(a, b), c), dim.Add(dim.Mul(a, c), dim.Mul(b, c))
		},
		"a-b+b = a": func(a, b, _ dim.Dim) (dim.Dim, dim.Dim) { return dim.Add(dim.Sub(a, b), b), a },
		"min(a,b) = min(b,a)": func(a, b, _ dim.Dim) (dim.Dim, dim.Dim) {
			return dim.Min(a, b), dim.Min(b, a)
		},
		"max(a,b) = -min(-a,-b)": func(a, b, _ dim.Dim) (dim.Dim, dim.Dim) {
			return dim.Max(a, b), dim.Neg(dim.Min(dim.Neg(a), dim.Neg(b)))
		},
		"floor(a)+1 = floor(a+1)": func(a, _, _ dim.Dim) (dim.Dim, dim.Dim) {
			return dim.Add(dim.Floor(a), one), dim.Floor(dim.Add(a, one))
		},
		"ceil(a) = -floor(-a)": func(a, _, _ dim.Dim) (dim.Dim, dim.Dim) {
			return dim.Ceil(a), dim.Neg(dim.Floor(dim.Neg(a)))
		},
		"2*a = a+a": func(a, _, _ dim.Dim) (dim.Dim, dim.Dim) { return dim.Mul(two, a), dim.Add(a, a) },
	}
	for name, law := range maps.All(laws) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			a, b, c := drawExpression(t, 2).dim(), drawExpression(t, 2).dim(), drawExpression(t, 2).dim()
			left, right := law(a, b, c)
			if !left.IsKnown() || !right.IsKnown() {
				t.Skip("unknown")
			}
			if !dim.Equal(left, right) || left.String() != right.String() {
				t.Fatalf("a = %v, b = %v, c = %v: %v and %v", a, b, c, left, right)
			}
		}))
	}
}

func TestBindingInTwoStepsIsBinding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawExpression(t, 3).dim()
		bind := drawBinding(t, 9)
		want, ok := d.Eval(bind)
		if !ok {
			t.Skip("no value")
		}
		first := map[string]int64{}
		for _, name := range []string{"a", "n"} {
			if rapid.Bool().Draw(t, name+" first") {
				first[name] = bind[name]
			}
		}
		part := d.EvalPartial(first)
		for name := range first {
			if slices.Contains(part.Symbols(), name) {
				t.Fatalf("%v with %v is %v", d, first, part)
			}
		}
		if got, ok := part.Eval(bind); !ok || got != want {
			t.Fatalf("%v with %v is %v, and with %v %d, %v, want %d", d, first, part, bind, got, ok, want)
		}
	})
}
