package weights_test

import (
	"slices"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
)

// A model with a module's name (body.0.weight), a generated one whose reader
// has a name behind a Transpose (/head/fc), and one in a function.
func TestSelectByName(t *testing.T) {
	f := modeltest.Body().Opset("", 17).Inputs("in", "k").Node("MatMul", []string{"in", "k"}, []string{"out"}, modeltest.NodeName("inner")).Output("out")
	floats := make([]float32, 16)
	m := modeltest.New(17).Opset("my", 1).Function("my", "f", f).Input("x", onnxgraph.Float, 4, 4).
		Init("body.0.weight", []int64{4, 4}, floats).Init("val_7", []int64{4, 4}, floats).Init("w", []int64{4, 4}, floats).
		Node("MatMul", []string{"x", "body.0.weight"}, []string{"a"}, modeltest.NodeName("mm")).
		Node("Transpose", []string{"val_7"}, []string{"turned"}, modeltest.NodeName("turn")).
		Node("MatMul", []string{"a", "turned"}, []string{"b"}, modeltest.NodeName("/head/fc/MatMul")).
		Node("f", []string{"b", "w"}, []string{"y"}, modeltest.Domain("my"), modeltest.NodeName("call")).Output("y").Model(t)
	r, err := shapeinfer.Infer(m, shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := weights.Collect(r.Program, weights.Options{})
	for _, c := range []struct {
		globs             weights.NameGlobs
		trains, unmatched []string
	}{
		{weights.NameGlobs{}, []string{"body.0.weight", "val_7", "w"}, nil},
		{weights.NameGlobs{Freeze: []string{"body.*"}}, []string{"val_7", "w"}, nil},
		{weights.NameGlobs{Trainable: []string{"/head/*"}}, []string{"val_7"}, nil},
		{weights.NameGlobs{Trainable: []string{"call/inner"}}, []string{"w"}, nil},
		{weights.NameGlobs{Freeze: []string{"*"}}, nil, nil},
		{weights.NameGlobs{Trainable: []string{"val_?", "w"}, Freeze: []string{"w", "no*"}}, []string{"val_7"}, []string{"no*"}},
	} {
		w, unmatched := all.Select(r.Program, c.globs)
		var trains []string
		for i := range w.Tensors {
			if w.Tensors[i].Role == weights.Trainable {
				trains = append(trains, w.Tensors[i].Name)
			}
		}
		if !slices.Equal(trains, c.trains) || !slices.Equal(unmatched, c.unmatched) {
			t.Errorf("%+v: %v train, must be %v; unmatched %v, must be %v", c.globs, trains, c.trains, unmatched, c.unmatched)
		}
		if want := int64(16 * len(c.trains)); w.Trainable != want || w.Count != all.Count || w.Bytes != all.Bytes {
			t.Errorf("%+v: %d elements train, must be %d; %d of %d in all", c.globs, w.Trainable, want, w.Count, all.Count)
		}
	}
}
