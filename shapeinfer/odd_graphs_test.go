package shapeinfer_test

import (
	"slices"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
)

// TestOddGraphs: graphs that the format allows and few exporters write, and
// some that it does not.
func TestOddGraphs(t *testing.T) {
	overloads := modeltest.New(17).Opset("local", 1).Input("x", onnxgraph.Float, 2)
	for overload, shape := range map[string][]int64{"": {3}, "long": {30}} {
		overloads.OverloadedFunction("local", "Make", overload, modeltest.Body().Opset("", 17).
			Node("Constant", nil, []string{"s"}, modeltest.TensorAttr("value", modeltest.NewTensor("", []int64{1}, shape))).
			Node("ConstantOfShape", []string{"s"}, []string{"r"}).Output("r"))
	}
	for _, overload := range []string{"", "long", "none"} {
		overloads.Node("Make", nil, []string{"made_" + overload}, modeltest.Domain("local"), modeltest.Overload(overload))
	}
	shadow := modeltest.Body().InputOf("x", nil).Node("Shape", []string{"x"}, []string{"dims"}).Output("dims")
	for _, test := range []struct {
		clause string
		model  *modeltest.Builder
		want   map[string]string
		codes  []string
	}{
		{"no nodes", modeltest.New(17), nil, nil},
		{"an input and a stored tensor as outputs, one twice",
			modeltest.New(17).Input("x", onnxgraph.Float, "n").InitZeros("w", onnxgraph.Int8, 4).Output("x", "w", "x"),
			map[string]string{"x": "FLOAT[n]", "w": "INT8[4]"}, nil},
		{"a stored tensor that nothing reads",
			modeltest.New(17).Input("x", onnxgraph.Float, 2).InitZeros("w", onnxgraph.Float, 4).Node("Relu", []string{"x"}, []string{"y"}).Output("y"),
			map[string]string{"w": "FLOAT[4]", "y": "FLOAT[2]"}, nil},
		{"two nodes that make one value: the first counts",
			modeltest.New(17).Input("x", onnxgraph.Float, 2).Node("Relu", []string{"x"}, []string{"y"}).
				Node("Shape", []string{"x"}, []string{"y"}).Output("y"),
			map[string]string{"y": "FLOAT[2]"}, []string{"duplicate-name"}},
		{"a name of a body that hides one outside",
			modeltest.New(17).Input("x", onnxgraph.Float, 2, 3).Node("SequenceConstruct", []string{"v"}, []string{"s"}).InitZeros("v", onnxgraph.Float, 5, 6, 7).
				Node("SequenceMap", []string{"s"}, []string{"all"}, modeltest.Subgraph("body", shadow)).
				Constant("first", nil, []int64{0}).Node("SequenceAt", []string{"all", "first"}, []string{"y"}).Output("y"),
			map[string]string{"y": "INT64[3]"}, nil},
		{"a constant of another rank than declared, which ONNX Runtime 1.32 loads without a word",
			modeltest.New(17).Constant("c", []int64{1}, []int64{5}).Value("c", onnxgraph.Int64).Node("Identity", []string{"c"}, []string{"y"}).Output("y"),
			map[string]string{"c": "INT64[1]", "y": "INT64[1]"}, []string{"declared-type (warning)"}},
		{"a constant of another element type than declared",
			modeltest.New(17).Constant("c", []int64{1}, []int64{5}).Value("c", onnxgraph.Float, 1).Node("Identity", []string{"c"}, []string{"y"}).Output("y"),
			map[string]string{"c": "INT64[1]"}, []string{"declared-type"}},
		{"overloads of a function, and one that is not defined", overloads.Output("made_", "made_long", "made_none"),
			map[string]string{"made_": "FLOAT[3]", "made_long": "FLOAT[30]", "made_none": "?"}, []string{"unknown-operator"}},
	} {
		t.Run(test.clause, func(t *testing.T) {
			r, err := shapeinfer.Infer(test.model.Model(t), shapeinfer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range test.want {
				if fact, _ := r.Lookup(name); fact.Type.String() != want {
					t.Errorf("%s is %s, want %s", name, fact.Type, want)
				}
			}
			var codes []string
			for _, d := range r.Diagnostics {
				if d.Code == "declared-type" && d.Severity == shapeinfer.Warning {
					d.Code += " (warning)"
				}
				codes = append(codes, d.Code)
			}
			if !slices.Equal(codes, test.codes) {
				t.Errorf("diagnostics %v, want %v", r.Diagnostics, test.codes)
			}
		})
	}
}

// TestDeclaredSizesOfTheRun: a declared number stands for a size that only the
// run knows, unless the run can't come to it: of 100 elements at most 100 are
// not zero.
func TestDeclaredSizesOfTheRun(t *testing.T) {
	for declared, want := range map[int64]string{40: "INT64[1,40]", 400: "INT64[1,y_dim1]"} {
		m := modeltest.New(17).Input("x", onnxgraph.Float, 100).Node("NonZero", []string{"x"}, []string{"y"}).
			TypedOutput("y", onnxgraph.Int64, 1, declared)
		r, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if y, _ := r.Lookup("y"); y.Type.String() != want {
			t.Errorf("declared %d: y is %s, want %s", declared, y.Type, want)
		}
		if r.HasErrors() != (declared > 100) {
			t.Errorf("declared %d: diagnostics %v", declared, r.Diagnostics)
		}
	}
}
