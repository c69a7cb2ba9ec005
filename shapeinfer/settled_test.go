package shapeinfer_test

import (
	"slices"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
)

// TestHeadSizeIsSettled: the last dim of the caches of kv_cache_dim, an export
// in the manner of onnxruntime-genai's builder, is a symbol, and ONNX Runtime
// 1.32 takes no other size than the head size: 2,560 channels of 24 + 2*8 heads
// are 64 each. A default for open symbols does not change that, and the caller
// can't either.
func TestHeadSizeIsSettled(t *testing.T) {
	m := faultModel(t, "kv_cache_dim")
	for name, opts := range map[string]shapeinfer.Options{"symbols": {}, "a default": {DefaultDims: 1}} {
		r, err := shapeinfer.Infer(m, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, cache := range []string{"past_key", "past_value", "present_key", "present_value"} {
			if fact, _ := r.Lookup(cache); !isSize(fact.Type.Shape.At(3), 64) {
				t.Errorf("%s: %s is %s, want a head size of 64", name, cache, fact.Type)
			}
		}
		noted := slices.ContainsFunc(r.Diagnostics, func(d shapeinfer.Diagnostic) bool {
			return d.Code == "settled-dim" && d.Severity == shapeinfer.Note
		})
		if !noted || r.HasErrors() {
			t.Errorf("%s: diagnostics %v, want a note alone", name, r.Diagnostics)
		}
		if _, bound := r.Bindings["kv_cache_dim"]; bound || slices.Contains(r.FreeSymbols, "kv_cache_dim") {
			t.Errorf("%s: kv_cache_dim is bound by the caller, or free", name)
		}
	}
	r, err := shapeinfer.Infer(m, shapeinfer.Options{Dims: map[string]int64{"kv_cache_dim": 32}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.HasErrors() {
		t.Error("a head size of 32 is accepted")
	}
}

// TestCachesAreSettled: other attentions with a cache whose heads or head size
// the file leaves open.
func TestCachesAreSettled(t *testing.T) {
	mha := modeltest.New(17).Opset("com.microsoft", 1).
		Input("q", onnxgraph.Float, "b", "s", 64).Input("k", onnxgraph.Float, "b", "s", 64).Input("v", onnxgraph.Float, "b", "s", 64).
		Input("pk", onnxgraph.Float, "b", "h", "p", "d").Input("pv", onnxgraph.Float, "b", "h", "p", nil).
		Node("MultiHeadAttention", []string{"q", "k", "v", "", "", "", "pk", "pv"}, []string{"y", "nk", "nv"}, modeltest.Domain("com.microsoft"), modeltest.Int("num_heads", 4)).
		Output("y", "nk", "nv")
	standard := modeltest.New(23).
		Input("q", onnxgraph.Float, "b", "s", 64).Input("k", onnxgraph.Float, "b", "s", 64).Input("v", onnxgraph.Float, "b", "s", 64).
		Input("pk", onnxgraph.Float, "b", "h", "p", "d").Input("pv", onnxgraph.Float, "b", "h", "p", nil).
		Node("Attention", []string{"q", "k", "v", "", "pk", "pv"}, []string{"y", "nk", "nv"}, modeltest.Int("q_num_heads", 4), modeltest.Int("kv_num_heads", 4)).
		Output("y", "nk", "nv")
	for name, m := range map[string]*modeltest.Builder{"MultiHeadAttention": mha, "Attention": standard} {
		for _, byDefault := range []int64{0, 1} {
			r, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{DefaultDims: byDefault})
			if err != nil {
				t.Fatal(err)
			}
			for _, cache := range []string{"pk", "pv", "nk", "nv"} {
				fact, _ := r.Lookup(cache)
				if s := fact.Type.Shape; !isSize(s.At(1), 4) || !isSize(s.At(3), 16) {
					t.Errorf("%s: %s is %s, want 4 heads of 16", name, cache, fact.Type)
				}
			}
			if r.HasErrors() {
				t.Errorf("%s: %v", name, r.Diagnostics)
			}
		}
	}
}

func isSize(d dim.Dim, want int64) bool {
	n, ok := d.Int()
	return ok && n == want
}
