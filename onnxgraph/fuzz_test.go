package onnxgraph_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/internal/onnxpb"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/cost"
)

// FuzzRead reads arbitrary bytes: no panic, no allocation out of proportion, and
// the same model as generated code reads when both accept them. Whatever is
// accepted can be walked, and its tensors read.
func FuzzRead(f *testing.F) {
	for _, file := range corpus.FuzzSeeds(f) {
		f.Add(file)
	}
	f.Add(modeltest.New(17).
		Input("x", onnxgraph.Float, 1, "n", nil).
		Init("w", []int64{2}, []float32{1, 2}).
		InitTensor(modeltest.TypedTensor("v", onnxgraph.Int4, []int64{3}, 5, []byte{0x21, 0x03})).
		Node("If", []string{"x"}, []string{"y"}, modeltest.Subgraph("then_branch", modeltest.Body().Output("z")), modeltest.Ints("i", 1, 2)).
		Function("d", "F", modeltest.Body().Inputs("a").Output("b").Param("p").Default(modeltest.Float("q", 1))).
		Output("y").Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		if n, limit := cost.Of(func() { readText(string(file)) }).Allocated, uint64(len(file)*allocPerByte+allocBase); n > limit {
			t.Errorf("%d bytes allocate %d", len(file), n)
		}
		got, err := readText(string(file))
		if err != nil {
			_ = err.Error()
			return
		}
		for _, w := range got.AllTensors() {
			readAnyValues(w)
		}
		var want onnxpb.ModelProto
		if proto.Unmarshal(file, &want) == nil {
			compare(t, "fuzzed", file, got, &want)
		}
	})
}

// readAnyValues reads the values of t in every way. What comes back is checked
// elsewhere; here only that it comes back.
func readAnyValues(w *onnxgraph.Tensor) {
	const limit = 1 << 16
	w.ReadBytes(limit)
	w.Int64s(limit)
	w.Uint64s(limit)
	w.Float64s(limit)
	w.StringsData(limit)
	w.StoredBytes()
	w.Open()
}
