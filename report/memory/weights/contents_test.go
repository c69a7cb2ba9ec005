package weights_test

import (
	"math"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/finding"
	"onnxmem/report/memory/weights"
)

// collect counts the weights of a model.
func collect(t *testing.T, m *modeltest.Builder, opts weights.Options) *weights.Set {
	t.Helper()
	return weights.Collect(onnxgraph.Resolve(m.Model(t)), opts)
}

// roleOf is the role of the tensor of that name.
func roleOf(t *testing.T, w *weights.Set, name string) weights.Role {
	t.Helper()
	for i := range w.Tensors {
		if w.Tensors[i].Name == name {
			return w.Tensors[i].Role
		}
	}
	t.Fatalf("no tensor %s", name)
	return 0
}

func noteOf(w *weights.Set, code finding.Code) finding.Finding {
	for _, n := range w.Notes {
		if n.Code == code {
			return n
		}
	}
	return finding.Finding{}
}

// noise are numbers of which no two are alike.
func noise(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(math.Mod(float64(i+1)*0.6180339887, 1)) - .5
	}
	return v
}

// TestWhatNeverTrains: tables and kernels are told by what they hold, whatever
// their names are, and the caller may still name one to train it.
func TestWhatNeverTrains(t *testing.T) {
	cosines := make([]float32, 32*8)
	for i := range 32 {
		for j := range 8 {
			cosines[8*i+j] = float32(math.Cos(float64(i) * math.Pow(10000, -float64(j)/8)))
		}
	}
	shifted := append([]float32{}, cosines...)
	shifted[8*5+2] += .1
	var frequencies, repeated []float32
	for i := range 16 {
		frequencies = append(frequencies, float32(math.Pow(10000, -float64(i)/16)))
		repeated = append(repeated, float32(math.Pow(10000, float64(i/2)/8)))
	}
	bins := make([]float32, 16)
	for i := range bins {
		bins[i] = float32(i)
	}
	blur := make([]float32, 0, 16*9)
	for range 16 {
		blur = append(blur, 1./16, 2./16, 1./16, 2./16, 4./16, 2./16, 1./16, 2./16, 1./16)
	}
	uneven := append([]float32{}, blur...)
	uneven[9*7+4] = .3
	for _, c := range []struct {
		name   string
		op     string
		dims   []int64
		values []float32
		fixed  bool
	}{
		{"cosines that are looked up", "Gather", []int64{32, 8}, cosines, true},
		{"cosines but one", "Gather", []int64{32, 8}, shifted, false},
		{"an embedding", "Gather", []int64{32, 8}, noise(32 * 8), false},
		{"frequencies", "Mul", []int64{16}, frequencies, true},
		{"frequencies twice each", "Mul", []int64{16}, repeated, true},
		{"a scale", "Mul", []int64{16}, noise(16), false},
		{"a scale of ones", "Mul", []int64{16}, []float32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, false},
		{"bins", "Conv", []int64{1, 16, 1, 1}, bins, true},
		{"a projection to one channel", "Conv", []int64{1, 16, 1, 1}, noise(16), false},
		{"a blur", "DepthwiseConv", []int64{16, 1, 3, 3}, blur, true},
		{"a blur but one", "DepthwiseConv", []int64{16, 1, 3, 3}, uneven, false},
		{"depthwise", "DepthwiseConv", []int64{16, 1, 3, 3}, noise(16 * 9), false},
	} {
		m := modeltest.New(17).Init("t", c.dims, c.values).Output("y")
		switch c.op {
		case "Gather":
			m.Input("x", onnxgraph.Int64, 4).Node("Gather", []string{"t", "x"}, []string{"y"})
		case "Mul":
			m.Input("x", onnxgraph.Float, 4, 16).Node("Mul", []string{"x", "t"}, []string{"y"})
		case "Conv":
			m.Input("x", onnxgraph.Float, 1, 16, 8, 8).Node("Conv", []string{"x", "t"}, []string{"y"})
		case "DepthwiseConv":
			m.Input("x", onnxgraph.Float, 1, 16, 8, 8).Node("Conv", []string{"x", "t"}, []string{"y"}, modeltest.Int("group", 16))
		}
		want, bytes := weights.Trainable, int64(0)
		if c.fixed {
			want, bytes = weights.Buffer, 4*int64(len(c.values))
		}
		w := collect(t, m, weights.Options{})
		if got := roleOf(t, w, "t"); got != want || noteOf(w, finding.FixedWeights).Bytes != bytes {
			t.Errorf("%s: %v, must be %v; notes %+v", c.name, got, want, w.Notes)
		}
		if unread := collect(t, m, weights.Options{SkipContents: true}); roleOf(t, unread, "t") != weights.Trainable {
			t.Errorf("%s: told by contents that must not be read", c.name)
		}
		chosen, _ := w.Select(onnxgraph.Resolve(m.Model(t)), weights.NameGlobs{Trainable: []string{"t"}})
		if roleOf(t, chosen, "t") != weights.Trainable {
			t.Errorf("%s: does not train though it is named", c.name)
		}
	}
}

// TestTies: a weight that the file has twice counts as one, of 64x16 floats, and
// layers that start as copies of each other count each.
func TestTies(t *testing.T) {
	table := noise(64 * 16)
	turned := make([]float32, len(table))
	for i := range 64 {
		for j := range 16 {
			turned[64*j+i] = table[16*i+j]
		}
	}
	other := append([]float32{}, turned...)
	other[777] += .5
	ones := make([]float32, 16)
	for i := range ones {
		ones[i] = 1
	}
	language := func(second []float32, dims ...int64) *modeltest.Builder {
		m := modeltest.New(17).Input("ids", onnxgraph.Int64, 4).Init("table", []int64{64, 16}, table).Init("head", dims, second).
			Node("Gather", []string{"table", "ids"}, []string{"e"}).Output("y")
		if dims[0] == 16 {
			return m.Node("MatMul", []string{"e", "head"}, []string{"y"})
		}
		return m.Node("Gemm", []string{"e", "head"}, []string{"y"}, modeltest.Int("transB", 1))
	}
	layers := func(scale []float32) *modeltest.Builder {
		square := noise(16 * 16)
		return modeltest.New(17).Input("x", onnxgraph.Float, 4, 16).Init("a", []int64{16, 16}, square).Init("b", []int64{16, 16}, square).Init("scale", []int64{16}, scale).
			Node("MatMul", []string{"x", "a"}, []string{"h"}).Node("LayerNormalization", []string{"h", "scale"}, []string{"n"}).
			Node("MatMul", []string{"n", "b"}, []string{"y"}).Output("y")
	}
	for _, c := range []struct {
		name   string
		model  *modeltest.Builder
		trains int64 // elements
		tied   int64 // bytes
		equal  int64
	}{
		{"transposed", language(turned, 16, 64), 64 * 16, 4096, 0},
		{"as it is", language(table, 64, 16), 64 * 16, 4096, 0},
		{"transposed but one", language(other, 16, 64), 2 * 64 * 16, 0, 0},
		{"zeros", language(make([]float32, 64*16), 16, 64), 2 * 64 * 16, 0, 0},
		{"equal layers of a trained model", layers(noise(16)), 16*16 + 16, 1024, 0},
		{"equal layers of a new model", layers(ones), 2*16*16 + 16, 0, 1024},
	} {
		w, apart := collect(t, c.model, weights.Options{}), collect(t, c.model, weights.Options{Untie: true})
		if tied, equal := noteOf(w, finding.TiedWeights).Bytes, noteOf(w, finding.EqualWeights).Bytes; w.Trainable != c.trains || tied != c.tied || equal != c.equal {
			t.Errorf("%s: %d train, %d bytes tied, %d equal; must be %d, %d, %d", c.name, w.Trainable, tied, equal, c.trains, c.tied, c.equal)
		}
		if apart.Trainable != c.trains+(c.tied/4) || w.Count != apart.Count || w.Bytes != apart.Bytes {
			t.Errorf("%s: %d train untied, of %d", c.name, apart.Trainable, apart.Count)
		}
	}
}

// TestPackedWeights: 4-bit weights of 32x16, two in a byte, count as 512
// elements, and a table of 8x16 so packed as 256.
func TestPackedWeights(t *testing.T) {
	m := modeltest.New(17).Opset("com.microsoft", 1).Input("ids", onnxgraph.Int64, 4).
		InitZeros("table", onnxgraph.Uint8, 8, 16).InitZeros("ts", onnxgraph.Float, 8, 1).InitZeros("q", onnxgraph.Uint8, 16, 1, 16).InitZeros("s", onnxgraph.Float, 16).
		Node("GatherBlockQuantized", []string{"table", "ids", "ts"}, []string{"x"}, modeltest.Domain("com.microsoft"), modeltest.Int("bits", 4), modeltest.Int("block_size", 32)).
		Node("MatMulNBits", []string{"x", "q", "s"}, []string{"y"}, modeltest.Domain("com.microsoft"),
			modeltest.Int("K", 32), modeltest.Int("N", 16), modeltest.Int("bits", 4), modeltest.Int("block_size", 32)).Output("y")
	w := collect(t, m, weights.Options{})
	if want := int64(256 + 8 + 512 + 16); w.Count != want || w.Trainable != 0 {
		t.Errorf("%d elements, %d train; must be %d, 0", w.Count, w.Trainable, want)
	}
	if want := int64(8*16 + 4*8 + 16*16 + 4*16); w.Bytes != want {
		t.Errorf("%d bytes, must be %d", w.Bytes, want)
	}
}

// TestUnread: what no node reads is stored, and not loaded.
func TestUnread(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, 4).InitZeros("w", onnxgraph.Float, 4).InitZeros("never", onnxgraph.Float, 100).InitZeros("given", onnxgraph.Float, 7).
		Node("Add", []string{"x", "w"}, []string{"y"}).Output("y", "given")
	w := collect(t, m, weights.Options{})
	if n, ok := w.LoadedSize().Exact(); !ok || n != 4*11 || w.Bytes != 4*111 || w.UnreadBytes != 400 {
		t.Errorf("loads %d of %d bytes, %d unread; must be 44, 444, 400", n, w.Bytes, w.UnreadBytes)
	}
	if note := noteOf(w, finding.UnreadWeights); note.Tensor != "never" || note.Bytes != 400 {
		t.Errorf("note %+v", note)
	}
}

// TestFusedBeforeExport: ultralytics folds before it exports and keeps the
// names. Its convolutions before an activation had a BatchNormalization, the one
// that ends a head had none.
func TestFusedBeforeExport(t *testing.T) {
	build := func(author string) *modeltest.Builder {
		return modeltest.New(17).Meta("author", author).Input("x", onnxgraph.Float, 1, 2, 8, 8).
			InitZeros("model.0.conv.weight", onnxgraph.Float, 4, 2, 1, 1).InitZeros("model.0.conv.bias", onnxgraph.Float, 4).
			InitZeros("model.1.cv2.weight", onnxgraph.Float, 3, 4, 1, 1).InitZeros("model.1.cv2.bias", onnxgraph.Float, 3).
			Node("Conv", []string{"x", "model.0.conv.weight", "model.0.conv.bias"}, []string{"c"}).Node("Sigmoid", []string{"c"}, []string{"s"}).
			Node("Mul", []string{"c", "s"}, []string{"a"}).Node("Conv", []string{"a", "model.1.cv2.weight", "model.1.cv2.bias"}, []string{"y"}).Output("y")
	}
	for author, want := range map[string]int64{"Ultralytics": 4, "somebody": 0} {
		w := collect(t, build(author), weights.Options{})
		if w.FoldedBatchNorm != want || noteOf(w, finding.BatchNormByAuthor).Bytes != 4*want {
			t.Errorf("%s: %d restored, must be %d; notes %+v", author, w.FoldedBatchNorm, want, w.Notes)
		}
	}
}
