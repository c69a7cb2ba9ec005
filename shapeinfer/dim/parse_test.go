package dim_test

import (
	"errors"
	"strings"
	"testing"

	"onnxmem/shapeinfer/dim"
)

func TestParse(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{" 12 * batch ", "12*batch"},
		{"-2**2", "-4"},
		{"2**3**2", "512"},
		{"2**-1*4", "2"},
		{"7//2*2", "6"},
		{"-7 // 2", "-4"},
		{"-7 % 3", "2"},
		{"8/2/2", "2"},
		{"2 - 3 - 4", "-5"},
		{"--3", "3"},
		{"+-3", "-3"},
		{"2*-3", "-6"},
		{"-9223372036854775808", "-9223372036854775808"},
		{"Größe.1:$_x", "Größe.1:$_x"},
		{"past_sequence_length + 1", "past_sequence_length + 1"},
		{"3d_points", "3d_points"},
		{"floor", "floor"},
		{"Max(0, Min(3, 7))", "3"},
		{"ceiling(7/2)", "4"},
		{"Mod(7, 4)", "3"},
		{"max(1, 5, 3)", "5"},
		{"min(4)", "4"},
		{"floor(height/2 - 1/2) + 1", "ceil(height/2)"},
		{"((h))", "h"},
		{"16s0", "16*s0"},
		{"2*(3u12 - 1)", "6*u12 - 2"},
		{"16s0x", "16s0x"},
		{"FloorDiv(h, 2)", "floor(h/2)"},
		{"FloorDiv(7, 2)", "3"},
		{"CleanDiv(64*h, 64)", "h"},
		{"PythonMod(7, 4)", "3"},
		{"ceiltoint(IntTrueDiv(7, 2))", "4"},
		{"CeilToInt(h/2)", "ceil(h/2)"},
		{"FloorToInt(ToFloat(h))", "h"},
		{"TruncToInt(IntTrueDiv(-7, 2))", "-3"},
		{"RoundToInt(5/2)", "2"},
		{"CeilDiv(h, 2)", "ceil(h/2)"},
		{"ModularIndexing(100, 8, 5)", "2"},
		{"PowByNatural(s0, 2)", "s0**2"},
		{"Identity(s0) + 1", "s0 + 1"},
		{"floor(0.5*h)", "floor(h/2)"},
		{"2.0*h", "2*h"},
	} {
		d, err := dim.Parse(test.text)
		if err != nil || d.String() != test.want {
			t.Errorf("Parse(%q) = %v, %v, want %s", test.text, d, err, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct {
		text   string
		offset int
	}{
		{"", 0},
		{"  ", 2},
		{"a +", 3},
		{"a b", 2},
		{"(a", 2},
		{"a)", 1},
		{"a * * b", 4},
		{"0.0000000000000001*h", 0},
		{"FloorDiv(h, 0)", 0},
		{"FloorDiv(h)", 0},
		{"pow(h, h)", 0},
		{"2.5e3", 0},
		{"h*1e5", 2},
		{"9223372036854775808", 0},
		{"9223372036854775807 + 1", 20},
		{"a/0", 1},
		{"a//(b - b)", 1},
		{"0**-1", 1},
		{"a**b", 1},
		{"a**(1/2)", 1},
		{"2**100", 1},
		{"sin(a)", 0},
		{"floor(a, b)", 0},
		{"mod(a)", 0},
		{"min()", 4},
		{"a < b", 2},
		{"?", 0},
		{"a\xff", 1},
		{strings.Repeat("(", 100) + "a" + strings.Repeat(")", 100), 64},
		{strings.Repeat("a+", 3000) + "a", 4096},
	} {
		d, err := dim.Parse(test.text)
		var parse *dim.ParseError
		if d.IsKnown() || !errors.As(err, &parse) || parse.Offset != test.offset || parse.Text != test.text {
			t.Errorf("Parse(%.40q) = %v, %v, want an error at %d", test.text, d, err, test.offset)
		}
	}
}

func TestNamesPrintAsTheyAre(t *testing.T) {
	d := dim.Mul(dim.Symbol("batch size"), dim.Int(3))
	if got := d.String(); got != "3*batch size" {
		t.Errorf("got %q", got)
	}
}
