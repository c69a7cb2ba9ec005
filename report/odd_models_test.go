package report_test

import (
	"math"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
	"onnxmem/report/finding"
	"onnxmem/shapeinfer"
)

// TestWeightBehindLeftOutOperand: what is made of a weight alone is said to be,
// also where the first operand is left out. Its size is declared: 4,000 bytes.
func TestWeightBehindLeftOutOperand(t *testing.T) {
	f := explanation(t, modeltest.New(17).Input("x", onnxgraph.Float, 1000).InitZeros("w", onnxgraph.Float, 1000).
		Node("Add", []string{"", "w"}, []string{"y"}).TypedOutput("y", onnxgraph.Float, 1000), finding.PeakConstant)
	if f.Tensor != "y" || f.Related != "w" || f.TensorBytes != 4_000 {
		t.Errorf("%+v", f)
	}
}

// TestNegativeDims: a type that declares a dim below zero has no size.
func TestNegativeDims(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, 2, 3).Value("a", onnxgraph.Float, -2, 3).
		Node("Nowhere", []string{"x"}, []string{"a"}, modeltest.Domain("custom")).Node("MatMul", []string{"a", "x"}, []string{"y"}).Output("y").Model(t)
	r, err := shapeinfer.Infer(m, shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range report.Shapes(r).Tensors {
		if x.Bytes != nil && *x.Bytes < 0 {
			t.Errorf("%s has %d bytes", x.Name, *x.Bytes)
		}
	}
	checkNumbers(t, "negative", full(t, "negative", m, shapeinfer.Options{}))
}

// TestManyHugeWeights: elements and bytes of weights that a node reads stay at
// the largest number instead of wrapping around.
func TestManyHugeWeights(t *testing.T) {
	m := modeltest.New(17)
	for _, name := range []string{"a", "b"} {
		m.InitExternal(name, onnxgraph.Int8, []int64{math.MaxInt64}, "w.data", 0, 1)
	}
	node := resultOf(t, analyze(t, m.Node("Add", []string{"a", "b"}, []string{"y"}).Output("y"), report.Options{PerNode: true})).Nodes[0]
	if node.Params != math.MaxInt64 || node.WeightBytes != math.MaxInt64 {
		t.Errorf("%d elements in %d bytes", node.Params, node.WeightBytes)
	}
}
