package shapeinfer_test

import (
	"errors"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// dimsOf parses a list of dims.
func dimsOf(t *testing.T, texts ...string) []dim.Dim {
	t.Helper()
	dims := make([]dim.Dim, len(texts))
	for i, s := range texts {
		var err error
		if dims[i], err = dim.Parse(s); err != nil {
			t.Fatal(err)
		}
	}
	return dims
}

// TestShapesOfInputs: what the caller gives an input is what it has, and what
// a name means holds everywhere.
func TestShapesOfInputs(t *testing.T) {
	model := modeltest.New(17).Input("x", onnxgraph.Float, "n", 4).Input("y", onnxgraph.Float, "n", "m").
		Input("z", onnxgraph.Float, "m").Input("twice", onnxgraph.Float, "2*n").Output("x").Model(t)
	shapes := func(pairs ...[]string) map[string][]dim.Dim {
		m := map[string][]dim.Dim{}
		for _, p := range pairs {
			m[p[0]] = dimsOf(t, p[1:]...)
		}
		return m
	}
	for _, test := range []struct {
		clause string
		opts   shapeinfer.Options
		want   map[string]string
		fails  string // the name that the error is about
	}{
		{"a name for another", shapeinfer.Options{InputShapes: shapes([]string{"x", "batch", "4"})},
			map[string]string{"x": "[batch,4]", "y": "[batch,m]", "twice": "[2*batch]"}, ""},
		{"an expression over the name itself", shapeinfer.Options{InputShapes: shapes([]string{"x", "2*n", "4"})},
			map[string]string{"x": "[2*n,4]", "y": "[2*n,m]", "twice": "[4*n]"}, ""},
		{"the name itself, bound", shapeinfer.Options{InputShapes: shapes([]string{"x", "n", "4"}), Dims: map[string]int64{"n": 8}},
			map[string]string{"x": "[8,4]", "y": "[8,m]", "twice": "[16]"}, ""},
		{"a new name, bound", shapeinfer.Options{InputShapes: shapes([]string{"x", "batch", "4"}), Dims: map[string]int64{"batch": 8}},
			map[string]string{"x": "[8,4]", "y": "[8,m]", "twice": "[16]"}, ""},
		{"a name that another shape binds", shapeinfer.Options{InputShapes: shapes([]string{"z", "n + 1"}, []string{"x", "5", "4"})},
			map[string]string{"x": "[5,4]", "y": "[5,6]", "z": "[6]"}, ""},
		{"a new name with the default", shapeinfer.Options{InputShapes: shapes([]string{"x", "batch", "4"}), DefaultDims: 1},
			map[string]string{"x": "[1,4]", "y": "[1,1]"}, ""},
		{"the name itself with the default", shapeinfer.Options{InputShapes: shapes([]string{"x", "n", "4"}), DefaultDims: 1},
			map[string]string{"x": "[1,4]", "y": "[1,1]"}, ""},
		{"two numbers for one name", shapeinfer.Options{InputShapes: shapes([]string{"x", "5", "4"}, []string{"y", "6", "1"})}, nil, "n"},
		{"a number and an expression", shapeinfer.Options{InputShapes: shapes([]string{"x", "2*n", "4"}), Dims: map[string]int64{"n": 3}}, nil, "n"},
		{"a declared expression that does not come out", shapeinfer.Options{InputShapes: shapes([]string{"twice", "7"}), Dims: map[string]int64{"n": 3}}, nil, "twice"},
		{"another rank", shapeinfer.Options{InputShapes: shapes([]string{"z", "1", "2"})}, nil, "z"},
		{"a name that is none", shapeinfer.Options{Dims: map[string]int64{"q": 3, "r": 4}}, nil, "q"},
	} {
		t.Run(test.clause, func(t *testing.T) {
			r, err := shapeinfer.Infer(model, test.opts)
			var binding *shapeinfer.BindingError
			if errors.As(err, &binding) != (test.fails != "") || binding != nil && binding.Name != test.fails {
				t.Fatalf("error %v, want one about %q", err, test.fails)
			}
			for name, want := range test.want {
				if fact, _ := r.Lookup(name); fact.Type.Shape.String() != want {
					t.Errorf("%s is %s, want %s", name, fact.Type.Shape, want)
				}
			}
		})
	}
}

// TestFeeds: a value takes the place of a stored default, which IR version 3
// has for every initializer, and must be what the input declares.
func TestFeeds(t *testing.T) {
	model := modeltest.New(10).IR(3).Input("x", onnxgraph.Float, 2, 6).
		Input("shape", onnxgraph.Int64, 2).Init("shape", []int64{2}, []int64{3, 4}).
		Node("Reshape", []string{"x", "shape"}, []string{"y"}).Output("y").Model(t)
	feed := func(v *tensor.Value) shapeinfer.Options {
		return shapeinfer.Options{Feeds: map[string]*tensor.Value{"shape": v}}
	}
	narrow := tensor.IntVector(dim.Int(6), dim.Int(2))
	narrow.DType = onnxgraph.Int32
	other := feed(tensor.IntVector(dim.Int(6), dim.Int(2)))
	other.InputShapes = map[string][]dim.Dim{"shape": {dim.Int(3)}}
	for _, test := range []struct {
		clause string
		opts   shapeinfer.Options
		want   string // empty: a BindingError
	}{
		{"the default", shapeinfer.Options{}, "[3,4]"},
		{"another value", feed(tensor.IntVector(dim.Int(6), dim.Int(2))), "[6,2]"},
		{"a value of another type", feed(narrow), ""},
		{"a value of another shape than the one given", other, ""},
		{"another shape than the default's", shapeinfer.Options{InputShapes: map[string][]dim.Dim{"shape": {dim.Int(3)}}}, ""},
	} {
		t.Run(test.clause, func(t *testing.T) {
			r, err := shapeinfer.Infer(model, test.opts)
			var binding *shapeinfer.BindingError
			if errors.As(err, &binding) != (test.want == "") {
				t.Fatalf("error %v, want one: %v", err, test.want == "")
			}
			if test.want == "" {
				return
			}
			if y, _ := r.Lookup("y"); y.Type.Shape.String() != test.want {
				t.Errorf("y is %s, want %s", y.Type.Shape, test.want)
			}
		})
	}
}
