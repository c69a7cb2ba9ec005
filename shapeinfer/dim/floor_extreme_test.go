package dim_test

import (
	"testing"

	"onnxmem/shapeinfer/dim"
)

// Rounding down keeps the order: floor(k + c*max(a, b)) is the greater of both
// floors for c > 0, the smaller for c < 0.
func TestFloorWithinExtreme(t *testing.T) {
	h, one, two := dim.Symbol("h"), dim.Int(1), dim.Int(2)
	half := dim.Max(dim.FloorDiv(h, two), one)
	for _, c := range []struct {
		name string
		got  dim.Dim
		want string
	}{
		// floor(1/2) = 0 is never above floor(h/4).
		{"max by 2", dim.FloorDiv(half, two), "floor(h/4)"},
		{"max by 2, at least 1", dim.Max(dim.FloorDiv(half, two), one), "max(floor(h/4), 1)"},
		// -max(h, 5)/2 rounded down: -ceil(max(h, 5)/2) = -max(ceil(h/2), 3).
		{"negative factor", dim.FloorDiv(dim.Neg(dim.Max(h, dim.Int(5))), two), "-max(ceil(h/2), 3)"},
		// (min(h, 7) + 1)/2 rounded down.
		{"min and a constant", dim.FloorDiv(dim.Add(dim.Min(h, dim.Int(7)), one), two), "min(floor((h + 1)/2), 4)"},
	} {
		want, err := dim.Parse(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if !dim.Equal(c.got, want) {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
		for n := int64(1); n < 20; n++ {
			a, _ := c.got.Eval(map[string]int64{"h": n})
			b, _ := want.Eval(map[string]int64{"h": n})
			if a != b {
				t.Errorf("%s at h=%d: %d, want %d", c.name, n, a, b)
			}
		}
	}
}
