package compute_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/compute"
	"onnxmem/report/memory/liveness"
	"onnxmem/shapeinfer"
)

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
	w := compute.Count(liveness.NewProgram(r, liveness.Options{}))
	want := compute.Work{MACs: 24, Elementwise: 8, Read: 104, Written: 64}
	if w != want || w.FLOPs() != 48 || w.Traffic() != 168 {
		t.Errorf("%+v, is %+v", w, want)
	}
}
