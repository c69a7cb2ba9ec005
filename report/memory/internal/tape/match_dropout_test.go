package tape_test

import (
	"strings"
	"testing"

	"onnxmem/report/memory/internal/tape"
)

// words is a language model's first layers: embeddings of tokens and of
// positions, attention, and a linear layer that ends in a residual sum.
const words = `ids = tokens 2 4
pos = tokens 4
table = weight 10 8
places = weight 4 8
e1 = Gather table ids
e2 = Gather places pos
e = Add e1 e2
wq = weight 8 8
x1 = MatMul e wq
h = ints 2 4 2 4
s = Reshape x1 h
q = Transpose s perm=0,2,1,3
kt = Transpose s perm=0,2,3,1
v = Transpose s perm=0,2,1,3
a = MatMul q kt
b = Mul a scale
p = Softmax b axis=-1
o = MatMul p v
back = Transpose o perm=0,2,1,3
flat = ints 2 4 8
rows = Reshape back flat
wo = weight 8 8
proj = MatMul rows wo
`

// TestMatchDropout: where an export for inference lost its dropouts.
func TestMatchDropout(t *testing.T) {
	const (
		pool   = "i = input 2 3 4 4 \n k1 = weight 5 3 1 1 \n c = Conv i k1 \n "
		linear = "wc = weight 5 10 \n bc = weight 10 \n z = Gemm f wc bc"
	)
	for _, c := range []struct {
		name, nodes string
		dropout     float64
		want        int
	}{
		// After the embeddings, and after the projection.
		{"a language model", words + "z = Add proj e", 0, 2},
		{"not asked for", words + "z = Add proj e", -1, 0},
		{"no positions", strings.ReplaceAll(words, "e = Add e1 e2", "e = Add e1 one") + "z = Add proj e", 0, 0},
		{"no positions, asked for", strings.ReplaceAll(words, "e = Add e1 e2", "e = Add e1 one") + "z = Add proj e", .1, 1},
		{"no residual", words + "z = Relu proj", .1, 1},
		{"a residual of another size", words + "one8 = weight 1 1 8 \n z = Add proj one8", .1, 1},
		{"a residual that reads it twice", words + "z = Add proj e \n z2 = Relu proj", .1, 1},
		{"its own dropout", words + "d = Dropout proj \n z = Add d e", .1, 1},

		{"a classifier after a pool", pool + "g = GlobalAveragePool c \n f = Flatten g \n " + linear, .1, 1},
		{"a classifier, not asked for", pool + "g = GlobalAveragePool c \n f = Flatten g \n " + linear, 0, 0},
		{"a classifier after a convolution", pool + "wc = weight 80 10 \n bc = weight 10 \n f = Flatten c \n z = Gemm f wc bc", .1, 0},
		{"no classifier", pool + "g = GlobalAveragePool c \n z = Flatten g", .1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := kinds(t, graphOf(t, c.nodes), tape.Options{Dropout: c.dropout})
			if n := strings.Count(got, "NativeDropout"); n != c.want {
				t.Errorf("%d dropouts, must be %d: %s", n, c.want, got)
			}
		})
	}
}
