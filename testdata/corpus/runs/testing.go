package runs

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
)

// Model is [Read] for tests.
func Model(t testing.TB, m corpus.Model) *onnxgraph.Model {
	t.Helper()
	return must(Read(m))(t)
}

// Bound is [Options] for tests.
func Bound(t testing.TB, b corpus.Binding) shapeinfer.Options {
	t.Helper()
	return must(Options(b))(t)
}

// Infer infers a model at the sizes of a recorded run.
func Infer(t testing.TB, m *onnxgraph.Model, b corpus.Binding) *shapeinfer.Result {
	t.Helper()
	return must(shapeinfer.Infer(m, Bound(t, b)))(t)
}

// must fails the test on an error.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
