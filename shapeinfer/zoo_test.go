package shapeinfer_test

import (
	"fmt"
	"slices"
	"testing"

	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// TestZooBound infers every model of the zoo under each recorded binding and
// holds every tensor against what ONNX Runtime made.
func TestZooBound(t *testing.T) {
	known := corpus.NotExact(t, "conformance")
	for _, m := range corpus.WholeZoo(t) {
		model := runs.Model(t, m.Model)
		for i, b := range m.Bindings {
			opts := runs.Bound(t, b)
			label := fmt.Sprintf("zoo/%s#%d", m.Name, i)
			r, err := infer(t, model, opts)
			if err != nil {
				judge(t, known, label, verdict{refused, err.Error()})
				continue
			}
			var v verdict
			for name, want := range b.Tensors {
				v.compareTensor(name, want, lookup(r, name), slices.Contains(b.DataDependent, name))
			}
			judge(t, known, label, v)
		}
	}
}

// TestZooSymbolic infers every model with nothing bound; its expressions,
// evaluated, must give the recorded shapes at each binding.
func TestZooSymbolic(t *testing.T) {
	known := corpus.NotExact(t, "conformance")
	for _, m := range corpus.WholeZoo(t) {
		if !slices.ContainsFunc(m.Bindings, func(b corpus.Binding) bool { return len(b.Dims) > 0 }) {
			continue
		}
		label := "zoo/" + m.Name + " [symbolic]"
		r, err := infer(t, runs.Model(t, m.Model), shapeinfer.Options{Feeds: runs.Bound(t, corpus.Binding{Inputs: m.Bindings[0].Inputs, Feed: sameFeeds(m)}).Feeds})
		if err != nil {
			judge(t, known, label, verdict{refused, err.Error()})
			continue
		}
		var v verdict
		for _, b := range m.Bindings {
			for name, want := range b.Tensors {
				if want.Shape != nil && !slices.Contains(b.DataDependent, name) {
					v.compareAt(name, want.Shape, r, b.Dims)
				}
			}
		}
		judge(t, known, label, v)
	}
}

// sameFeeds are the fed values that all bindings of a model share.
func sameFeeds(m *corpus.ZooModel) map[string]corpus.Literal {
	same := map[string]corpus.Literal{}
	for name, value := range m.Bindings[0].Feed {
		shared := true
		for _, b := range m.Bindings {
			shared = shared && b.Feed[name].String() == value.String()
		}
		if shared {
			same[name] = value
		}
	}
	return same
}
