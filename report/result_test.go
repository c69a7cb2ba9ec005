package report_test

import (
	"context"
	"errors"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
)

// resultOf is the report of an analysis.
func resultOf(t testing.TB, a *report.Analysis) *report.Result {
	t.Helper()
	r, err := a.Result(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCancelled gives the context's error, and no result.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := modeltest.New(17).Input("x", onnxgraph.Float, "batch", 8).InitZeros("w", onnxgraph.Float, 8, 8).
		Node("MatMul", []string{"x", "w"}, []string{"y"}).Output("y")
	if r, err := analyze(t, m, report.Options{Advice: true}).Result(ctx); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("%v, error %v", r, err)
	}
}
