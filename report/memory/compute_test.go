package memory_test

import (
	"math"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
)

// otherMACs says where the recorded count is of another run than the first
// binding.
var otherMACs = map[string]string{
	"llama_4l_gqa_dyn23": "counted at a batch of 2, bound to a batch of 1",
}

// TestZooMACs holds multiply-accumulates against PyTorch's own count.
func TestZooMACs(t *testing.T) {
	for _, m := range corpus.Zoo(t) {
		if m.MACs == nil {
			continue
		}
		w := memory.NewProgram(bound(t, readModel(t, m.Model), m.Bindings[0]), memory.Options{}).Work()
		if why, other := otherMACs[m.Name]; other {
			if w.MACs == *m.MACs {
				t.Errorf("%s: equals the record, which is %s: take it off the list", m.Name, why)
			}
			continue
		}
		if off := float64(w.MACs)/float64(*m.MACs) - 1; math.Abs(off) > 0.005 {
			t.Errorf("%s: %d multiply-accumulates, is %d: %+.2f%%", m.Name, w.MACs, *m.MACs, 100*off)
		}
		if w.MACsOpen {
			t.Errorf("%s: the count is a lower limit only", m.Name)
		}
	}
}

// y = Relu(Flatten(x) W) over x [2,1,3], W [3,4]: 2*3*4 = 24 multiply-accumulates,
// 48 FLOPs; Relu computes 2*4 = 8 elements; Flatten moves nothing. Bytes: MatMul
// reads 24 + 48 and writes 32, Relu reads 32 and writes 32.
func TestWorkByHand(t *testing.T) {
	r, err := shapeinfer.Infer(modeltest.New(17).Input("x", onnxgraph.Float, 2, 1, 3).InitZeros("W", onnxgraph.Float, 3, 4).
		Node("Flatten", []string{"x"}, []string{"f"}).
		Node("MatMul", []string{"f", "W"}, []string{"h"}).
		Node("Relu", []string{"h"}, []string{"y"}).Output("y").Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := memory.NewProgram(r, memory.Options{}).Work()
	want := memory.Work{MACs: 24, Elementwise: 8, Read: 104, Written: 64}
	if w != want || w.FLOPs() != 48 || w.Traffic() != 168 {
		t.Errorf("%+v, is %+v", w, want)
	}
}
