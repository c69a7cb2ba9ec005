package shapeinfer_test

import (
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

func unusedNotes(t *testing.T, m *onnxgraph.Model) (notes []string) {
	t.Helper()
	r, err := shapeinfer.Infer(m, shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Diagnostics {
		if d.Code == "unused-weights" {
			notes = append(notes, d.Message)
		}
	}
	return notes
}

// TestUnusedWeights: what a body reads of its outer scope, and what is an
// output of the model, is used; the case of that name stores more than it reads.
func TestUnusedWeights(t *testing.T) {
	body := modeltest.Body().InitZeros("inside", onnxgraph.Float, 2).InitZeros("idle", onnxgraph.Float, 5).
		Node("Add", []string{"read_below", "inside"}, []string{"r"}).Output("r")
	m := modeltest.New(17).Input("c", onnxgraph.Bool).
		InitZeros("read_below", onnxgraph.Float, 2).InitZeros("given", onnxgraph.Float, 3).InitZeros("unread", onnxgraph.Float, 4).
		Node("If", []string{"c"}, []string{"y"}, modeltest.Subgraph("then_branch", body),
			modeltest.Subgraph("else_branch", modeltest.Body().Node("Identity", []string{"read_below"}, []string{"r"}).Output("r"))).
		Output("y", "given")
	notes := unusedNotes(t, m.Model(t))
	if len(notes) != 2 || !strings.Contains(notes[0]+notes[1], `"unread"`) || !strings.Contains(notes[0]+notes[1], `"idle"`) ||
		!strings.Contains(notes[0]+notes[1], "(1, 16 bytes in all)") {
		t.Errorf("notes %q, want unread and idle", notes)
	}
	for _, c := range corpus.Cases(t) {
		if c.Name == "unused_weights" && len(unusedNotes(t, runs.Model(t, c.Model))) == 0 {
			t.Error("the weights of the case unused_weights are not named")
		}
	}
}

// TestRangesThatWereWidened: what a later version of an operator takes and an
// earlier one, and ONNX Runtime with it, refuses.
func TestRangesThatWereWidened(t *testing.T) {
	flatten := func(opset int64) *modeltest.Builder {
		return modeltest.New(opset).Input("x", onnxgraph.Float, 2, 3, 4).
			Node("Flatten", []string{"x"}, []string{"y"}, modeltest.Int("axis", -1)).Output("y")
	}
	shrink := func(opset int64, operator string) *modeltest.Builder {
		return modeltest.New(opset).Input("x", onnxgraph.Float, 1, 1, 4, 4).Init("scales", []int64{4}, []float32{1, 1, 0.5, 0.5}).
			Node(operator, []string{"x", "scales"}, []string{"y"}).Output("y")
	}
	for name, test := range map[string]struct {
		model *modeltest.Builder
		wrong bool
	}{
		"a negative axis of Flatten 9":  {flatten(9), true},
		"a negative axis of Flatten 11": {flatten(11), false},
		"a scale of 0.5 of Upsample 9":  {shrink(9, "Upsample"), true},
		"a scale of 0.5 of Resize 10":   {shrink(10, "Resize"), false},
	} {
		r, err := shapeinfer.Infer(test.model.Model(t), shapeinfer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.HasErrors() != test.wrong {
			t.Errorf("%s: %v", name, r.Diagnostics)
		}
	}
}
