package tape_test

import (
	"strings"
	"testing"

	"onnxmem/report/memory/internal/tape"
)

// heads are queries, turned keys and values of 2 heads of 4 from y, in
// operators that leave no autograd node of their own but views.
const heads = `h = ints 2 4 2 4
s = Reshape y h
q = Transpose s perm=0,2,1,3
kt = Transpose s perm=0,2,3,1
v = Transpose s perm=0,2,1,3
`

// attention is what fused attention is on the tape.
const attention = "ScaledDotProductEfficientAttention"

// TestMatchAttention: softmax(scale q k' + mask) v is one operator of the
// framework; what misses it by one thing keeps its softmax.
func TestMatchAttention(t *testing.T) {
	const (
		scores = "a = MatMul q kt \n b = Mul a scale \n "
		rest   = "p = Softmax b axis=-1 \n z = MatMul p v"
	)
	for _, c := range []struct {
		name, nodes string
		fused       bool
	}{
		{"scaled after", scores + rest, true},
		{"divided after", "a = MatMul q kt \n b = Div a two \n " + rest, true},
		{"scaled before", "q1 = Mul q scale \n k1 = Mul scale kt \n b = MatMul q1 k1 \n " + rest, true},
		{"not scaled", "b = MatMul q kt \n " + rest, true},
		{"a mask that is fed", "m = input 2 1 4 4 \n a = MatMul q kt \n a1 = Mul a scale \n b = Add a1 m \n " + rest, true},
		{"a mask that is chosen", "m = input 2 1 4 4 \n c = Greater m zero \n a = MatMul q kt \n a1 = Mul a scale \n b = Where c a1 minus \n " + rest, true},
		{"rows without a key", scores + "p = Softmax b axis=-1 \n i = IsNaN p \n g = Where i zero p \n z = MatMul g v", true},
		{"keys turned as a stack", "h = ints 2 4 2 4 \n st = ints 4 4 4 \n un = ints 2 2 4 4 \n s = Reshape y h \n q = Transpose s perm=0,2,1,3 \n v = Transpose s perm=0,2,1,3 \n" +
			"k1 = Reshape v st \n k2 = Transpose k1 perm=0,2,1 \n kt = Reshape k2 un \n" + scores + rest, true},

		{"by a vector", "r = weight 4 \n a = MatMul q kt \n b = Mul a r \n " + rest, false},
		{"another curve", scores + "p = Sigmoid b \n z = MatMul p v", false},
		{"values first", scores + "p = Softmax b axis=-1 \n z = MatMul v p", false},
		{"no values", scores + "p = Softmax b axis=-1 \n z = Relu p", false},
		{"no product before", "m = input 2 2 4 4 \n b = Add q m \n " + rest, false},
		{"scores that others read", scores + rest + " \n z2 = Relu b", false},
		{"probabilities that others read", scores + rest + " \n z2 = Relu p", false},
		{"a guard the other way round", scores + "p = Softmax b axis=-1 \n i = IsNaN p \n g = Where i p zero \n z = MatMul g v", false},
		{"a difference of scores", "m = input 2 1 4 4 \n a = MatMul q kt \n b = Sub a m \n " + rest, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			nodes := c.nodes
			if !strings.Contains(nodes, "h = ints") {
				nodes = heads + nodes
			}
			got := kinds(t, graphOf(t, nodes), tape.Options{})
			fused, whole := strings.Contains(got, attention), strings.Contains(got, "Softmax") || strings.Contains(got, "Sigmoid")
			if fused != c.fused || whole == c.fused {
				t.Errorf("it is %q; fused must be %v", got, c.fused)
			}
		})
	}
}

// TestMatchGroupedKeys: keys that are repeated for groups of heads are a
// matter of the framework in 32 bits, for which no kernel takes them.
func TestMatchGroupedKeys(t *testing.T) {
	const (
		queries = "h = ints 2 4 2 4 \n s = Reshape y h \n q = Transpose s perm=0,2,1,3 \n "
		keys    = "wk = weight 8 4 \n k0 = MatMul x wk \n h1 = ints 2 4 1 4 \n k1 = Reshape k0 h1 \n k2 = Transpose k1 perm=0,2,1,3 \n "
		rest    = "kt = Transpose kk perm=0,1,3,2 \n a = MatMul q kt \n b = Mul a scale \n p = Softmax b axis=-1 \n z = MatMul p kk"
		grouped = "g = ints 2 1 2 4 4 \n m = ints 2 2 4 4 \n n = ints 2 1 1 4 4 \n k3 = Reshape k2 n \n k4 = Expand k3 g \n kk = Reshape k4 m \n "
		same    = "n = ints 2 1 4 4 \n kk = Expand k2 n \n " // expands nothing
	)
	for _, c := range []struct {
		name, nodes, want string
		opts              tape.Options
	}{
		{"repeated", queries + keys + grouped + rest, "SafeSoftmax", tape.Options{}},
		{"repeated, in 16 bits", queries + keys + grouped + rest, "ScaledDotProductFlashAttention", tape.Options{Half: true}},
		{"expanded by nothing", queries + keys + same + rest, attention, tape.Options{}},
		{"every head its own", queries + "kk = Transpose s perm=0,2,1,3 \n " + rest, attention, tape.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := kinds(t, graphOf(t, c.nodes), c.opts); !strings.Contains(got, c.want) {
				t.Errorf("it is %q, must have %s", got, c.want)
			}
		})
	}
}

// TestMatchCaches: an output that appends to an input is a cache of keys, over
// which no loss is taken; one that joins two results is none.
func TestMatchCaches(t *testing.T) {
	const past = "past = input 2 3 8 \n "
	for _, c := range []struct {
		name, nodes string
		want        int // outputs that the loss is taken over
	}{
		{"appended to an input", past + "z = Concat past y axis=1 \n z2 = Relu y", 1},
		{"two results", past + "r = Relu past \n z = Concat r y axis=1 \n z2 = Relu y", 2},
		{"read by another node", past + "c = Concat past y axis=1 \n z = Relu c \n z2 = Relu y", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if n := len(record(t, graphOf(t, c.nodes), tape.Options{}).Outputs); n != c.want {
				t.Errorf("%d outputs, must be %d", n, c.want)
			}
		})
	}
}
