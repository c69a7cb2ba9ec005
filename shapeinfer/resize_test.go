package shapeinfer_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/tensor"
)

// TestScalesRoundInFloat32: ONNX Runtime multiplies a size by its scale in
// float32 (onnxruntime/core/providers/cpu/tensor/upsamplebase.h), so that 37 times
// the float32 next to 3/37 is 2.9999998, and 10 times that next to 0.7 is 7,
// whether the size is known at first or given to the finished result.
func TestScalesRoundInFloat32(t *testing.T) {
	for _, test := range []struct{ size, from, want int64 }{{3, 37, 2}, {7, 10, 7}, {74, 37, 74}, {1, 49, 1}, {13, 37, 13}} {
		m := modeltest.New(17).Input("x", onnxgraph.Float, "size").InitZeros("table", onnxgraph.Float, test.from).
			Init("whole", []int64{1}, []float32{float32(test.from)}).
			Node("Shape", []string{"x"}, []string{"dims"}).
			Node("Cast", []string{"dims"}, []string{"floats"}, modeltest.Int("to", int64(onnxgraph.Float))).
			Node("Div", []string{"floats", "whole"}, []string{"scales"}).
			Node("Resize", []string{"table", "", "scales"}, []string{"y"}).Output("y")
		p := onnxgraph.Resolve(m.Model(t))
		numbers, err := shapeinfer.InferProgram(p, shapeinfer.Options{Dims: map[string]int64{"size": test.size}})
		if err != nil {
			t.Fatal(err)
		}
		symbols, err := shapeinfer.InferProgram(p, shapeinfer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		bound, err := symbols.Bind(map[string]int64{"size": test.size})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*shapeinfer.Result{numbers, bound} {
			if y, _ := r.Lookup("y"); !y.Type.Shape.Equal(tensor.IntShape(test.want)) {
				t.Errorf("%d resized to %d is %s, want %d", test.from, test.size, y.Type, test.want)
			}
		}
	}
}
