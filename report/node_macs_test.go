package report_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
)

// A node of an unknown operator, or one that breaks its operator's rule, does
// an unknown amount of work; no total with it is known either.
func TestUnknownWorkIsNotZero(t *testing.T) {
	// [n,6] x [6,6]: n*6*6 multiply-accumulates, 36 at n = 1.
	model := func(op string, options ...modeltest.NodeOption) *modeltest.Builder {
		return modeltest.New(17).Opset("example.com", 1).
			Input("x", onnxgraph.Float, "n", 6).
			InitZeros("w", onnxgraph.Float, 6, 6).InitZeros("v", onnxgraph.Float, 5, 5).
			Node("MatMul", []string{"x", "w"}, []string{"a"}).
			Node(op, []string{"a", "v"}, []string{"y"}, options...).
			Output("y")
	}
	for name, b := range map[string]*modeltest.Builder{
		"unknown operator": model("Nonesuch", modeltest.Domain("example.com")),
		"broken rule":      model("MatMul"), // 6 columns against 5 rows
	} {
		t.Run(name, func(t *testing.T) {
			a, err := report.Analyze(b.Model(t), report.Options{PerNode: true})
			if err != nil {
				t.Fatal(err)
			}
			r := resultOf(t, a)
			if n := r.Nodes[0].MACs; n == nil || *n != 36 {
				t.Errorf("the product takes %v MACs, want 36", n)
			}
			if n := r.Nodes[1].MACs; n != nil {
				t.Errorf("the other node takes %d MACs, want unknown", *n)
			}
			if r.Compute.MACs != nil || r.Formula.MACs != "" {
				t.Errorf("a total is given: %v, formula %q", r.Compute.MACs, r.Formula.MACs)
			}
			if n := r.Compute.MACsAtLeast; n == nil || *n != 36 {
				t.Errorf("at least %v, want 36", n)
			}
		})
	}
}

// Of an If the larger branch counts: 2*6*6 against 2*6*3.
func TestBranchWork(t *testing.T) {
	branch := func(columns int64) *modeltest.Builder {
		return modeltest.Body().Name("branch").InitZeros("w", onnxgraph.Float, 6, columns).
			Node("MatMul", []string{"x", "w"}, []string{"z"}).Output("z")
	}
	b := modeltest.New(17).Input("x", onnxgraph.Float, 2, 6).Input("c", onnxgraph.Bool).
		Node("If", []string{"c"}, []string{"y"}, modeltest.Subgraph("then_branch", branch(3)), modeltest.Subgraph("else_branch", branch(6))).
		Output("y")
	a, err := report.Analyze(b.Model(t), report.Options{PerNode: true})
	if err != nil {
		t.Fatal(err)
	}
	r := resultOf(t, a)
	if n := r.Nodes[0].MACs; n == nil || *n != 72 {
		t.Errorf("the If takes %v MACs, want 72", n)
	}
	if n := r.Compute.MACs; n == nil || *n != 72 {
		t.Errorf("a run takes %v MACs, want 72", n)
	}
}
