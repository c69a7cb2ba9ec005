package shapeinfer_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
)

// TestImportsThatLeaveVersionsOpen: what is read, and said, where a model does
// not say which version of its operators it means (IR spec, operator sets), or
// names one that did not exist yet.
func TestImportsThatLeaveVersionsOpen(t *testing.T) {
	relu := func(m *modeltest.Builder, options ...modeltest.NodeOption) *modeltest.Builder {
		return m.Input("x", onnxgraph.Float, 2).Node("Relu", []string{"x"}, []string{"y"}, options...).Output("y")
	}
	gelu := modeltest.New(17).Input("x", onnxgraph.Float, 2).
		Node("Gelu", []string{"x"}, []string{"y"}, modeltest.Domain("com.microsoft")).Output("y")
	for _, test := range []struct {
		clause   string
		model    *modeltest.Builder
		code     string
		severity shapeinfer.Severity
	}{
		{"a version that is known", relu(modeltest.New(17)), "", ""},
		{"a version beyond", relu(modeltest.New(99)), "opset-newer", shapeinfer.Note},
		{"no import, which IR version 2 has not", relu(modeltest.Body().IR(2)), "", ""},
		{"no import in IR version 3", relu(modeltest.Body().IR(3)), "opset-missing", shapeinfer.Error},
		{"a domain that is not imported", gelu, "opset-missing", shapeinfer.Warning},
	} {
		t.Run(test.clause, func(t *testing.T) {
			r, err := shapeinfer.Infer(test.model.Model(t), shapeinfer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got shapeinfer.Diagnostic
			for _, d := range r.Diagnostics {
				if got.Code != "" {
					t.Errorf("a second diagnostic: %v", d)
				}
				got = d
			}
			if got.Code != test.code || got.Severity != test.severity {
				t.Errorf("diagnostic %v, want %q of severity %q", got, test.code, test.severity)
			}
			if y, _ := r.Lookup("y"); y.Type.String() != "FLOAT[2]" {
				t.Errorf("y is %s, want FLOAT[2]", y.Type)
			}
		})
	}
}

// TestCoverageCountsEachNodeOnce: a body of two nodes is inferred once for
// every turn, and counts as two nodes beside the Loop and the Constant.
func TestCoverageCountsEachNodeOnce(t *testing.T) {
	body := modeltest.Body().Input("turn", onnxgraph.Int64).Input("go", onnxgraph.Bool).InputOf("s", nil).
		Node("Identity", []string{"go"}, []string{"again"}).
		Node("Mystery", []string{"s"}, []string{"next"}, modeltest.Domain("custom")).Output("again", "next")
	m := modeltest.New(17).Input("x", onnxgraph.Float, 2).Constant("turns", nil, []int64{5}).
		Node("Loop", []string{"turns", "", "x"}, []string{"y"}, modeltest.Subgraph("body", body)).Output("y")
	r, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Coverage; c.Nodes != 4 || c.Inferred != 2 || c.UnknownOps["custom::Mystery"] != 1 || len(c.UnknownOps) != 1 {
		t.Errorf("coverage %+v, want 4 nodes, 2 of them inferred, one of custom::Mystery", c)
	}
}

// TestLoopsInLoopsEnd: every loop infers its body at least twice, so that 25
// nested ones ask for 2^25 inferences of the innermost.
func TestLoopsInLoopsEnd(t *testing.T) {
	inner := modeltest.Body().Input("t", onnxgraph.Int64).Input("c", onnxgraph.Bool).InputOf("s", nil).
		Node("Identity", []string{"c"}, []string{"d"}).
		Node("Concat", []string{"s", "x"}, []string{"r"}, modeltest.Int("axis", 0)).Output("d", "r")
	for range 24 { // a loop is three messages deep, of a hundred
		inner = modeltest.Body().Input("t", onnxgraph.Int64).Input("c", onnxgraph.Bool).InputOf("s", nil).
			Node("Identity", []string{"c"}, []string{"d"}).
			Node("Loop", []string{"turns", "", "s"}, []string{"r"}, modeltest.Subgraph("body", inner)).Output("d", "r")
	}
	m := modeltest.New(17).Input("x", onnxgraph.Float, 2).Input("turns", onnxgraph.Int64).
		Node("Loop", []string{"turns", "", "x"}, []string{"y"}, modeltest.Subgraph("body", inner)).Output("y")
	r, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Diagnostics {
		if d.Code == "too-much-work" {
			return
		}
	}
	t.Errorf("diagnostics %v, want too-much-work", r.Diagnostics)
}
