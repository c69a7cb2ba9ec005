package ort_test

import (
	"slices"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/internal/ort"
	"onnxmem/shapeinfer"
)

// inUse are the bytes that a run requests after each kernel.
func inUse(t *testing.T, b *modeltest.Builder) []int64 {
	t.Helper()
	r, err := shapeinfer.Infer(b.Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := ort.CPU(r, shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var levels []int64
	for _, s := range e.Steps {
		levels = append(levels, s.InUse)
	}
	return levels
}

// TestRunningStatisticsAreUpdatedInPlace: in training mode the kernel's second
// and third output are the buffers of the mean and the variance that it gets,
// whoever else reads them. The levels are those of ONNX Runtime 1.32.0: of
// 3,200 bytes an image, of 400 a vector.
func TestRunningStatisticsAreUpdatedInPlace(t *testing.T) {
	vector := make([]float32, 100)
	begin := func() *modeltest.Builder {
		return modeltest.New(15).Input("x", onnxgraph.Float, 2, 100, 4).Init("s", []int64{100}, vector).Init("b", []int64{100}, vector)
	}
	end := func(b *modeltest.Builder) *modeltest.Builder {
		return b.Node("Exp", []string{"x"}, []string{"e"}).
			Node("BatchNormalization", []string{"x", "s", "b", "m", "v"}, []string{"y", "rm", "rv"}, modeltest.Int("training_mode", 1)).
			Node("Add", []string{"rm", "rv"}, []string{"q"}).Node("Add", []string{"y", "e"}, []string{"z"}).Output("z", "q")
	}
	made := end(begin().Node("ReduceMean", []string{"x"}, []string{"m"}, modeltest.Ints("axes", 0, 2), modeltest.Int("keepdims", 0)).
		Node("Abs", []string{"m"}, []string{"v"}))
	stored := end(begin().Init("m", []int64{100}, vector).Init("v", []int64{100}, vector))
	for _, c := range []struct {
		name  string
		model *modeltest.Builder
		want  []int64
	}{
		{"statistics of the batch", made, []int64{400, 800, 4000, 7200, 10400, 4400}},
		{"stored ones", stored, []int64{3200, 6400, 9600, 3600}},
	} {
		if got := inUse(t, c.model); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v bytes in use, are %v", c.name, got, c.want)
		}
	}
}

// TestSingleFeature: the runtime does not know how many features a scalar index
// takes, so that nothing is written over the one that it took, as it is over
// that of a list of one index. The levels are those of ONNX Runtime 1.32.0.
func TestSingleFeature(t *testing.T) {
	for _, c := range []struct {
		index []int64 // dims of it
		want  []int64
	}{
		{nil, []int64{20, 40, 40}},
		{[]int64{1}, []int64{20, 20, 40}},
	} {
		b := modeltest.New(15).Opset("ai.onnx.ml", 1).Input("x", onnxgraph.Float, 5, 6).Init("i", c.index, []int64{2}).Output("y").
			Node("ArrayFeatureExtractor", []string{"x", "i"}, []string{"c"}, modeltest.Domain("ai.onnx.ml")).
			Node("Relu", []string{"c"}, []string{"r"}).Node("Exp", []string{"r"}, []string{"y"})
		if got := inUse(t, b); !slices.Equal(got, c.want) {
			t.Errorf("index of dims %v: %v bytes in use, are %v", c.index, got, c.want)
		}
	}
}
