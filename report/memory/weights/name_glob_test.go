package weights_test

import (
	"testing"

	"onnxmem/report/memory/weights"
)

// TestMatchName holds globs in which a star stands for anything.
func TestMatchName(t *testing.T) {
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"*", "a/b.c", true}, {"features.*", "features.0.weight", true},
		{"*layer.?.*", "encoder.layer.3.bias", true}, {"*layer.?.*", "encoder.layer.13.bias", false}, {"*layer.?/*", "/m/layer.3/q/MatMul", true},
		{"a*b*c", "a1b2c", true}, {"a*b*c", "a1c2b", false}, {"?", "", false}, {"??", "ab", true}, {"*a", "ba", true}, {"*a", "ab", false}, {"*ab*ab", "ab", false},
		{"layers[0].w", "layers[0].w", true}, {"layers[0]", "layers0", false}, {`a\*`, `a\b`, true},
	} {
		if got := weights.MatchName(c.glob, c.name); got != c.want {
			t.Errorf("%q matches %q: %v", c.glob, c.name, got)
		}
	}
}
