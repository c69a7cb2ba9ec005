package report_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
)

// residual is a stem whose output a later node adds again.
func residual() *modeltest.Builder {
	return modeltest.New(17).
		Input("x", onnxgraph.Float, "n", 6).
		InitZeros("w", onnxgraph.Float, 6, 6).
		Node("MatMul", []string{"x", "w"}, []string{"a"}).
		Node("Relu", []string{"a"}, []string{"b"}).
		Node("Concat", []string{"b", "b"}, []string{"c"}, modeltest.Int("axis", 1)).
		Node("Slice", []string{"c", "from", "to"}, []string{"d"}).
		Init("from", []int64{2}, []int64{0, 0}).
		Init("to", []int64{2}, []int64{9223372036854775807, 6}).
		Node("Add", []string{"a", "d"}, []string{"y"}).
		Output("y")
}

func timelineOf(t *testing.T, dims map[string]int64, freeInputs bool) *report.Result {
	t.Helper()
	a, err := report.Analyze(residual().Model(t), report.Options{Infer: shapeinfer.Options{Dims: dims}, Timeline: true, FreeInputs: freeInputs})
	if err != nil {
		t.Fatal(err)
	}
	return resultOf(t, a)
}

// By hand, at n = 1, in bytes: a, b, d and y take 24, c takes 48. MatMul holds
// a: 24. Relu a b: 48. Concat a b c: 96. Slice a c d: 96. Add a d y: 72.
func TestTimelineByHand(t *testing.T) {
	r := timelineOf(t, nil, false)
	want := []int64{24, 48, 96, 96, 72}
	if len(r.Inference.Timeline) != len(want) || len(r.Inference.Steps) != len(want) {
		t.Fatalf("%d entries for %d steps, want %d", len(r.Inference.Timeline), len(r.Inference.Steps), len(want))
	}
	alive := sums(t, r, map[string]int64{"n": 1})
	for i, n := range want {
		if r.Inference.Timeline[i] != n || alive[i] != n {
			t.Errorf("step %d: %d bytes, %d by the lifetimes, want %d", i, r.Inference.Timeline[i], alive[i], n)
		}
	}
	if r.Formula.Symbols["n"] != 1 || r.Formula.InputsBytes != "24*n" {
		t.Errorf("open dims %v, inputs %q", r.Formula.Symbols, r.Formula.InputsBytes)
	}
}

// The formulas of an open model and the numbers of a bound one are the same
// memory.
func TestLifetimeFormulasAtOtherSizes(t *testing.T) {
	for _, freeInputs := range []bool{false, true} {
		open := timelineOf(t, nil, freeInputs)
		bound := timelineOf(t, map[string]int64{"n": 13}, freeInputs)
		for i, n := range sums(t, open, map[string]int64{"n": 13}) {
			if n != bound.Inference.Timeline[i] {
				t.Errorf("step %d at n = 13: %d bytes by the formulas, want %d", i, n, bound.Inference.Timeline[i])
			}
		}
	}
}

// sums adds up what is alive in each step.
func sums(t *testing.T, r *report.Result, values map[string]int64) []int64 {
	t.Helper()
	alive := make([]int64, len(r.Inference.Steps))
	for _, l := range r.Inference.Lifetimes {
		size, err := dim.Parse(l.Formula)
		if err != nil {
			t.Fatalf("%s: %v", l.Name, err)
		}
		n, ok := size.Eval(values)
		if !ok {
			t.Fatalf("%s: %s has no value", l.Name, l.Formula)
		}
		for i := l.First; i <= l.Last; i++ {
			alive[i] += n
		}
	}
	return alive
}

// Inference follows up to 256 floats: ones of [n] are known before the model
// runs until then, and take 4*n bytes beyond. By hand, at n = 300: Shape's
// result is always known; the ones take 1200, and so does y.
func TestFormulaOfValuesThatAppear(t *testing.T) {
	model := modeltest.New(17).
		Input("x", onnxgraph.Float, "n").
		Node("Shape", []string{"x"}, []string{"s"}).
		Node("ConstantOfShape", []string{"s"}, []string{"ones"}).
		Node("Add", []string{"x", "ones"}, []string{"y"}).
		Output("y")
	a, err := report.Analyze(model.Model(t), report.Options{Timeline: true})
	if err != nil {
		t.Fatal(err)
	}
	r := resultOf(t, a)
	for n, want := range map[int64][]int64{1: {0, 0, 4}, 256: {0, 0, 1024}, 300: {0, 1200, 2400}} {
		for i, got := range sums(t, r, map[string]int64{"n": n}) {
			if got != want[i] {
				t.Errorf("step %d at n = %d: %d bytes, want %d", i, n, got, want[i])
			}
		}
	}
	all, err := dim.Parse(r.Formula.ActivationsBytes)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := all.Eval(map[string]int64{"n": 300}); got != 2400 {
		t.Errorf("node outputs at n = 300: %d bytes, want 2400", got)
	}
}
