package shapeinfer_test

import (
	"bytes"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
)

// faultModel is a model of testdata/faults.
func faultModel(t testing.TB, name string) *onnxgraph.Model {
	data := corpus.FaultBytes(t, name)
	m, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLimits: ONNX Runtime 1.32 refuses a run of context_limit whose total is
// above 4,096, the rows of its rotary table. Learned positions are of the same
// kind: a table that is read from 0 up to the length, or cut to the length.
func TestLimits(t *testing.T) {
	learned := modeltest.New(17).Input("ids", onnxgraph.Int64, "batch", "seq").InitZeros("words", onnxgraph.Float, 100, 8).
		InitZeros("positions", onnxgraph.Float, 64, 8).
		Constant("zero", nil, []int64{0}).Constant("one", nil, []int64{1}).
		Node("Shape", []string{"ids"}, []string{"shape"}).Node("Gather", []string{"shape", "one"}, []string{"length"}).
		Node("Range", []string{"zero", "length", "one"}, []string{"at"}).
		Node("Gather", []string{"words", "ids"}, []string{"x"}).Node("Gather", []string{"positions", "at"}, []string{"p"}).
		Node("Add", []string{"x", "p"}, []string{"y"}).Output("y")
	cut := modeltest.New(17).Input("x", onnxgraph.Float, "batch", "seq", 8).InitZeros("positions", onnxgraph.Float, 1, 64, 8).
		Init("zeros", []int64{1}, []int64{0}).Init("ones", []int64{1}, []int64{1}).Init("twos", []int64{1}, []int64{2}).
		Node("Shape", []string{"x"}, []string{"shape"}).Node("Slice", []string{"shape", "ones", "twos"}, []string{"length"}).
		Node("Slice", []string{"positions", "zeros", "length", "ones"}, []string{"p"}).
		Node("Add", []string{"x", "p"}, []string{"y"}).Output("y")
	for _, test := range []struct {
		name   string
		model  *onnxgraph.Model
		symbol string
		others map[string]int64
		want   int64
	}{
		{"rotary table", faultModel(t, "context_limit"), "past_sequence_length", map[string]int64{"sequence_length": 1}, 4095},
		{"rotary table", faultModel(t, "context_limit"), "sequence_length", map[string]int64{"past_sequence_length": 96}, 4000},
		{"learned positions", learned.Model(t), "seq", nil, 64},
		{"learned positions that are cut", cut.Model(t), "seq", map[string]int64{"batch": 3}, 64},
	} {
		r, err := shapeinfer.Infer(test.model, shapeinfer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		limits := r.Limits()
		if len(limits) != 1 {
			t.Errorf("%s: limits %v, want one", test.name, limits)
			continue
		}
		if most, ok := limits[0].Of(test.symbol, test.others); !ok || most != test.want {
			t.Errorf("%s: %s is at most %d, %v, want %d", test.name, test.symbol, most, ok, test.want)
		}
		if _, ok := limits[0].Of("batch", nil); ok {
			t.Errorf("%s limits the batch", test.name)
		}
	}
}
