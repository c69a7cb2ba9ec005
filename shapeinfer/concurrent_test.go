package shapeinfer_test

import (
	"fmt"
	"sync"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
)

// TestInferencesAtOnce: one program is inferred by several goroutines, which
// share its names, its stored tensors, the catalogue and the schemas, and all
// find the same in the same order.
func TestInferencesAtOnce(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, "n", 6).Init("shape", []int64{2}, []int64{-1, 3}).
		Node("Reshape", []string{"x", "shape"}, []string{"r"}).Node("NonZero", []string{"r"}, []string{"places"}).
		Node("Softmax", []string{"r"}, []string{"s"}, modeltest.Int("axis", 9)).
		Node("Mystery", []string{"s"}, []string{"m"}, modeltest.Domain("custom")).
		Node("MatMul", []string{"r", "r"}, []string{"y"}).Output("r", "places", "y", "m").Model(t)
	p := onnxgraph.Resolve(m)
	results := make([]string, 8)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			r, err := shapeinfer.InferProgram(p, shapeinfer.Options{})
			if err != nil {
				results[i] = err.Error()
				return
			}
			results[i] = fmt.Sprint(r.Diagnostics, r.Coverage)
			for _, fact := range r.Main.Facts {
				results[i] += fact.Type.String() + fact.Reason
			}
		})
	}
	all.Wait()
	for i, r := range results {
		if r != results[0] {
			t.Errorf("inference %d found\n%s\nthe first\n%s", i, r, results[0])
		}
	}
}
