package dim_test

import (
	"errors"
	"testing"
	"time"

	"onnxmem/shapeinfer/dim"
	"onnxmem/testdata/cost"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"batch", "12*batch", "floor((height - 1)/2) + 1", "past + seq", "-a**2 // (b - c) % 7", "min(max(a, 0), b, 3)",
		"((((1))))", "9223372036854775808", "-9223372036854775808", "2**-1", "1/0", "a/(b+c)**2", "mod(x, 8)", "Größe.1:$",
		"(a+b+c+d)**8*(e+f+g)**7", "abs(a-b)", "3d_points", "2.5", "max(a,b)*max(b,c)*max(c,d)*max(d,a)", "floor(a/b)//ceil(b/a)",
		"FloorDiv(s0, 2) + PythonMod(s0, 16)", "CeilToInt(IntTrueDiv(h, 2))", "ModularIndexing(16s0, 8, 5)", "floor(0.5*h)", "pow(a, -3)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var d dim.Dim
		var err error
		if took := cost.Processor(func() { d, err = dim.Parse(s) }); took > 5*time.Second {
			t.Errorf("%q takes %v of the processor", s, took)
		}
		if err != nil {
			var parse *dim.ParseError
			if !errors.As(err, &parse) || parse.Offset < 0 || parse.Offset > len(s) || d.IsKnown() {
				t.Errorf("Parse(%q) = %v, %v", s, d, err)
			}
			return
		}
		if !d.IsKnown() {
			t.Errorf("Parse(%q) is unknown without an error", s)
		}
		text := d.String()
		back, err := dim.Parse(text)
		if len(text) < 1000 && (err != nil || !dim.Equal(d, back)) {
			t.Errorf("Parse(%q) prints %q, which reads as %v (%v)", s, text, back, err)
		}
	})
}
