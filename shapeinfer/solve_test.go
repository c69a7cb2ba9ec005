package shapeinfer_test

import (
	"errors"
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
	"onnxmem/testdata/corpus"
)

// detections: as many boxes as there are scores above zero, at most 100, whose
// number the file declares as the first output's dim.
func detections(declared string) *modeltest.Builder {
	return modeltest.New(17).Input("scores", onnxgraph.Float, 100).InitZeros("boxes", onnxgraph.Float, 100, 4).
		Init("last", []int64{1}, []int64{-1}).
		Node("NonZero", []string{"scores"}, []string{"r"}).
		Node("Reshape", []string{"r", "last"}, []string{"at"}).
		Node("Gather", []string{"boxes", "at"}, []string{"kept"}).
		TypedOutput("kept", onnxgraph.Float, declared, 4).Output("r")
}

// TestSizesOfTheRunAreGiven: a symbol that inference makes can be set, by the
// name that is printed or by the one that the file declares for an output; it
// has that value everywhere, and no impossible one.
func TestSizesOfTheRunAreGiven(t *testing.T) {
	for _, test := range []struct {
		clause, declared string
		dims             map[string]int64
		kept, r          string // types
		err              string
	}{
		{"nothing given, no name", "?", nil, "FLOAT[r_dim1,4]", "INT64[1,r_dim1]", ""},
		{"nothing given, a name", "found", nil, "FLOAT[found,4]", "INT64[1,found]", ""},
		{"by the symbol", "?", map[string]int64{"r_dim1": 9}, "FLOAT[9,4]", "INT64[1,9]", ""},
		{"by the symbol that has a name", "found", map[string]int64{"r_dim1": 9}, "FLOAT[9,4]", "INT64[1,9]", ""},
		{"by the name", "found", map[string]int64{"found": 9}, "FLOAT[9,4]", "INT64[1,9]", ""},
		{"none at all", "found", map[string]int64{"found": 0}, "FLOAT[0,4]", "INT64[1,0]", ""},
		{"more than there are", "?", map[string]int64{"r_dim1": 101}, "", "", "at most 100"},
		{"a symbol that is not there", "?", map[string]int64{"s_dim1": 9}, "", "", "no dimension of that name"},
	} {
		t.Run(test.clause, func(t *testing.T) {
			r, err := shapeinfer.Infer(detections(test.declared).Model(t), shapeinfer.Options{Dims: test.dims})
			if test.err != "" {
				var refused *shapeinfer.BindingError
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want one of %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]string{"kept": test.kept, "r": test.r} {
				if fact, _ := r.Lookup(name); fact.Type.String() != want {
					t.Errorf("%s is %s, want %s", name, fact.Type, want)
				}
			}
			if fact, _ := r.Lookup("kept"); fact.Type.Shape.At(0).IsSymbolic() {
				if top, ok := fact.Type.Shape.At(0).Upper(); !ok || top != 100 {
					t.Errorf("%s is at most %d, %v, want 100", fact.Type, top, ok)
				}
			}
		})
	}
}

// TestMergedDecoder: an export of optimum with one branch for the first token
// and one for all others, whose branch without a cache hands on dummies for the
// encoder's keys. Unless the caller says which one runs, the outputs are what the
// file declares.
func TestMergedDecoder(t *testing.T) {
	m, err := onnxgraph.Read(strings.NewReader(string(corpus.FaultBytes(t, "op_t5_decoder_merged"))), int64(len(corpus.FaultBytes(t, "op_t5_decoder_merged"))))
	if err != nil {
		t.Fatal(err)
	}
	want := func(r *shapeinfer.Result, name, shape string) {
		t.Helper()
		if fact, ok := r.Lookup(name); !ok || fact.Type.Shape.String() != shape {
			t.Errorf("%s is %s, want %s", name, fact.Type, shape)
		}
	}
	r, err := shapeinfer.Infer(m, shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(r, "present.0.decoder.key", "[batch_size,6,decoder_sequence_length + past_decoder_sequence_length,64]")
	want(r, "present.0.encoder.value", "[batch_size,6,encoder_sequence_length,64]")
	for _, cached := range []int64{0, 1} {
		in, err := shapeinfer.Infer(m, shapeinfer.Options{
			Dims:  map[string]int64{"batch_size": 2, "encoder_sequence_length": 5, "decoder_sequence_length": 1, "past_decoder_sequence_length": 3},
			Feeds: boolFeed("use_cache_branch", cached),
		})
		if err != nil {
			t.Fatal(err)
		}
		if in.HasErrors() {
			t.Errorf("use_cache_branch %d: %v", cached, in.Diagnostics)
		}
		want(in, "present.0.decoder.key", map[int64]string{0: "[2,6,1,64]", 1: "[2,6,4,64]"}[cached])
	}
	if list := r.BranchInputs(); len(list) != 1 || list[0] != "use_cache_branch" {
		t.Errorf("inputs that choose a branch: %q", list)
	}
}

// TestTies: a dim that is tied to others follows them; what can't be resolved
// is refused.
func TestTies(t *testing.T) {
	past := dim.Symbol("past")
	m := modeltest.New(17).Input("x", onnxgraph.Float, "past").Input("y", onnxgraph.Float, "total").Input("z", onnxgraph.Float, "past + total").
		Node("Relu", []string{"y"}, []string{"r"}).Output("r", "z").Model(t)
	for _, test := range []struct {
		clause string
		ties   map[string]dim.Dim
		dims   map[string]int64
		y, z   string
		err    string
	}{
		{"to a symbol", map[string]dim.Dim{"total": dim.Add(past, dim.Int(1))}, nil, "[past + 1]", "[2*past + 1]", ""},
		{"to a number", map[string]dim.Dim{"total": dim.Add(past, dim.Int(1))}, map[string]int64{"past": 7}, "[8]", "[15]", ""},
		{"and a contradiction", map[string]dim.Dim{"total": dim.Add(past, dim.Int(1))}, map[string]int64{"past": 7, "total": 7}, "", "", "8"},
		{"to itself", map[string]dim.Dim{"total": dim.Symbol("past"), "past": dim.Symbol("total")}, nil, "", "", "tied"},
		{"to nothing", map[string]dim.Dim{"total": dim.Symbol("pats")}, nil, "", "", "the model has no dimension of that name; similar names: past"},
		{"the sum is given, and one of its dims", nil, map[string]int64{"past": 7, "past + total": 10}, "[3]", "[10]", ""},
		{"the sum is given, and not the dims", nil, map[string]int64{"past + total": 10}, "", "", "past, total"},
		{"the sum is less than one of the dims", nil, map[string]int64{"past": 7, "past + total": 5}, "", "", "no size"},
	} {
		t.Run(test.clause, func(t *testing.T) {
			r, err := shapeinfer.Infer(m, shapeinfer.Options{Dims: test.dims, Ties: test.ties})
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want one of %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]string{"r": test.y, "z": test.z} {
				if fact, _ := r.Lookup(name); fact.Type.Shape.String() != want {
					t.Errorf("%s is %s, want %s", name, fact.Type, want)
				}
			}
		})
	}
}

func boolFeed(name string, value int64) map[string]*tensor.Value {
	return map[string]*tensor.Value{name: {DType: onnxgraph.Bool, Dims: []int64{1}, Elems: []tensor.Scalar{tensor.Int(value)}}}
}
