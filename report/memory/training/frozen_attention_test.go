package training_test

import (
	"bytes"
	"maps"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
)

// The models below hold the parts of attention that need no gradient: what is
// computed from inputs, constants and frozen weights alone. Their right values
// follow from PyTorch's tools/autograd/derivatives.yaml:
//   - bmm and mm have a formula for each operand, so each operand is kept only
//     where the other one needs a gradient;
//   - the attention kernels have one formula for queries, keys and values
//     together, so that all three, the result and the logarithms are kept as
//     soon as one of them needs a gradient (the logarithms: 4 bytes a row, of
//     rows rounded up to 32 in the kernel for 32 bits, and 16 bytes of seeds);
//   - what autograd keeps of the network's inputs and parameters takes no
//     memory of its own, and views keep their whole storage.

// attended adds q, k and v of 2x4x16 each (512 bytes), each from an input of
// its own by a weight of its own, and attention over them.
func attended(mask bool) *modeltest.Builder {
	m := modeltest.New(17)
	for _, x := range []string{"q", "k", "v"} {
		m.Input("x"+x, onnxgraph.Float, 2, 4, 16).InitZeros("w"+x, onnxgraph.Float, 16, 16).Node("MatMul", []string{"x" + x, "w" + x}, []string{x})
	}
	m.Node("Transpose", []string{"k"}, []string{"kt"}, modeltest.Ints("perm", 0, 2, 1))
	op(m, "MatMul", "s", "q", "kt")
	scores := "s"
	if mask {
		m.Input("hidden", onnxgraph.Float, 2, 4, 4)
		op(m, "Neg", "lower", "hidden")
		op(m, "Add", "masked", "s", "lower")
		scores = "masked"
	}
	op(m, "Softmax", "p", scores)
	op(m, "MatMul", "z", "p", "v")
	return m.Output("z")
}

// TestFrozenOperandsOfAttention holds what attention keeps where only some of
// queries, keys and values need a gradient.
func TestFrozenOperandsOfAttention(t *testing.T) {
	const (
		tensor = 2 * 4 * 16 * 4 // q, k, v or z
		scores = 2 * 4 * 4 * 4
		logs   = 2*32*4 + 16
	)
	const kernel = "ScaledDotProductEfficientAttention"
	fused := map[string]int64{kernel: 4*tensor + logs}
	for _, c := range []struct {
		name         string
		trains       []string
		eager, fused map[string]int64
	}{
		{"all", []string{"w*"}, map[string]int64{"Bmm": 3 * tensor, "Softmax": scores}, fused},
		// q wants k; p wants v, and is kept as the softmax's result.
		{"queries", []string{"wq"}, map[string]int64{"Bmm": 2 * tensor, "Softmax": scores}, fused},
		// k wants q.
		{"keys", []string{"wk"}, map[string]int64{"Bmm": 2 * tensor, "Softmax": scores}, fused},
		// v wants p, which no derivative of the softmax keeps.
		{"values", []string{"wv"}, map[string]int64{"Bmm": scores}, fused},
		{"queries and values", []string{"wq", "wv"}, map[string]int64{"Bmm": 2 * tensor, "Softmax": scores}, fused},
		{"keys and values", []string{"wk", "wv"}, map[string]int64{"Bmm": 2 * tensor, "Softmax": scores}, fused},
		{"nothing", nil, map[string]int64{}, map[string]int64{}},
	} {
		for _, mask := range []bool{false, true} {
			for kind, want := range map[training.Attention]map[string]int64{training.AttentionEager: c.eager, training.AttentionFused: c.fused} {
				opts := training.Options{Attention: kind}
				opts.Names.Trainable = c.trains
				if c.trains == nil {
					opts.Names = weights.NameGlobs{Freeze: []string{"*"}}
				}
				if got := simulate(t, attended(mask), opts).SavedByOp; !maps.Equal(nonZero(got), want) {
					t.Errorf("%s need a gradient, %s, mask %v: keeps %v, must be %v", c.name, kind, mask, got, want)
				}
			}
		}
	}
}

func nonZero(m map[string]int64) map[string]int64 {
	maps.DeleteFunc(m, func(_ string, n int64) bool { return n == 0 })
	return m
}

// TestMaskIsAlsoKey holds that a value stays which is a mask for one attention
// and the keys of another.
func TestMaskIsAlsoKey(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, 2, 4, 4).Input("other", onnxgraph.Float, 2, 4, 4).InitZeros("w", onnxgraph.Float, 4, 4)
	op(m, "MatMul", "q", "x", "w")
	op(m, "Sigmoid", "both", "other")
	for _, n := range []string{"1", "2"} {
		op(m, "MatMul", "s"+n, "q", "both")
		op(m, "Add", "m"+n, "s"+n, "both")
		op(m, "Softmax", "p"+n, "m"+n)
		op(m, "MatMul", "z"+n, "p"+n, "both")
	}
	m.Output("z1", "z2")
	// Each of four tensors of 2x4x4x4 = 128 bytes: both for q's gradient and the
	// probabilities', and two matrices of probabilities.
	if got := simulate(t, m, training.Options{}).SavedBytes; got != 3*128 {
		t.Errorf("keeps %d, must be %d", got, 3*128)
	}
}

// TestFaultsOfAttention holds what is kept in models on which attention broke
// once, as it follows from the rules above.
func TestFaultsOfAttention(t *testing.T) {
	for _, c := range []struct {
		name  string
		names weights.NameGlobs
		saved int64
		why   string
	}{
		{"cross_past", weights.NameGlobs{}, 256 + 256 + 2*32*4 + 16, "q, the result, the logarithms; keys and values are inputs"},
		{"attn_nomask", weights.NameGlobs{}, 4, "the matrix of one probability; keys and values are an input"},
		{"attn4d_kv_inputs", weights.NameGlobs{}, 1024 + 1024 + 4*32*4 + 16, "q, the result, the logarithms"},
		{"attn4d_k_input_v_weight", weights.NameGlobs{}, 1024 + 1024 + 1024 + 4*32*4 + 16, "q, v, the result, the logarithms"},
		{"d4", weights.NameGlobs{Trainable: []string{"emb"}}, 1024 + 256, "the frozen keys, which are the values too, and the probabilities; the indices are an input"},
		{"r7_frozen_encoder", weights.NameGlobs{Trainable: []string{"emb"}}, 2 * (1024 + 256), "twice frozen keys and probabilities"},
		{"r7_frozen_encoder", weights.NameGlobs{Freeze: []string{"w0", "b0", "g", "s", "wk", "bk"}}, 1024 + 256 + 1024 + 1024 + 512 + 256 + 512,
			"k1, p1; e for wk2; k2, o1, p2; o2 for wo"},
		{"r7_frozen_encoder", weights.NameGlobs{Freeze: []string{"w*", "b*", "emb"}}, 1024 + 128 + 512 + 256 + 1024 + 512 + 1024 + 256,
			"the normalisation's input, means and deviations; d, p1, k1; o1, k2, p2"},
		{"r7_frozen_encoder", weights.NameGlobs{Freeze: []string{"*"}}, 0, "nothing trains"},
	} {
		opts := training.Options{}
		opts.Names = c.names
		res, err := training.Simulate(inferFault(t, c.name), opts)
		if err != nil {
			t.Errorf("%s %v: %v", c.name, c.names, err)
		} else if res.SavedBytes != c.saved {
			t.Errorf("%s %v: keeps %d, must be %d: %s", c.name, c.names, res.SavedBytes, c.saved, c.why)
		}
	}
}

func inferFault(t *testing.T, name string) *shapeinfer.Result {
	t.Helper()
	data := corpus.FaultBytes(t, name)
	m, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := shapeinfer.Infer(m, shapeinfer.Options{DefaultDims: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAnyFault trains every model on which something broke once, in all ways.
func TestAnyFault(t *testing.T) {
	for _, f := range corpus.Faults(t) {
		anyModel(t, f.Name, f.Bytes(t))
	}
}
