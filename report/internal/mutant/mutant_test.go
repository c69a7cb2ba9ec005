package mutant_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/internal/mutant"
)

// TestOriginalStays holds that changes to a copy leave the model as it was, and
// that most decisions change something.
func TestOriginalStays(t *testing.T) {
	build := func() *onnxgraph.Model {
		body := modeltest.Body().Node("Relu", []string{"y"}, []string{"z"}).Output("z")
		return modeltest.New(17).Input("x", onnxgraph.Float, "n", 4).InitZeros("w", onnxgraph.Float, 4, 4).Input("c", onnxgraph.Bool).
			Node("MatMul", []string{"x", "w"}, []string{"y"}).Node("Softmax", []string{"y"}, []string{"p"}, modeltest.Int("axis", 1)).
			Node("If", []string{"c"}, []string{"out"}, modeltest.Subgraph("then_branch", body), modeltest.Subgraph("else_branch", body)).
			Output("out").Model(t)
	}
	m, same := build(), build()
	rnd := rand.New(rand.NewPCG(1, 2))
	changed := 0
	for range 2000 {
		data := make([]byte, 40)
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		if len(mutant.Mutate(mutant.NewChoices(data), mutant.Copy(m), 4)) > 0 {
			changed++
		}
	}
	if changed < 1900 {
		t.Errorf("only %d of 2,000 copies were changed", changed)
	}
	if !reflect.DeepEqual(m.Graph.Nodes, same.Graph.Nodes) || !reflect.DeepEqual(m.Graph.Inputs, same.Graph.Inputs) ||
		!reflect.DeepEqual(m.OpsetImports, same.OpsetImports) || len(m.Functions) != 0 || m.Graph.Initializers[0].Dims[0] != 4 {
		t.Error("changes to copies changed the model")
	}
}

// TestChoices holds that decisions stay in range and end at the first of their
// kind.
func TestChoices(t *testing.T) {
	c := mutant.NewChoices([]byte{7, 255, 255, 9})
	if got := c.Of(5); got != 2 {
		t.Errorf("7 of 5: %d", got)
	}
	if got := c.Of(1000); got != 65535%1000 {
		t.Errorf("two bytes: %d", got)
	}
	taken := c.Take(5)
	if got := taken.Of(10); got != 9 || c.Left() || taken.Left() {
		t.Errorf("taken: %d, left %v %v", got, c.Left(), taken.Left())
	}
	if got := c.Of(10); got != 0 {
		t.Errorf("without bytes: %d", got)
	}
}
