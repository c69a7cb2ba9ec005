package ort_test

import (
	"strings"
	"testing"

	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// TestGeneration: of an operator that generates text the number is a lower limit
// that says so. It is not above what the runtime requested, and not below what
// the decoder alone took in its last step.
func TestGeneration(t *testing.T) {
	kernels, found := corpus.Kernels(t), 0
	for _, c := range corpus.Manifest(t, corpus.Contrib) {
		steps := kernels[corpus.Contrib+"/"+c.Name]
		if steps == nil || !strings.Contains(c.Name, "Search__") && !strings.HasPrefix(c.Name, "Sampling__") {
			continue
		}
		found++
		e := estimate(t, runs.Model(t, c.Model), corpus.Binding{Inputs: c.Inputs, Feed: c.Feed})
		if !e.ActivationBytes.Open || e.Reason == "" {
			t.Errorf("%s: %v (%q) does not say that it is a lower limit", c.Name, e.ActivationBytes, e.Reason)
		}
		// The zero level of the record holds what the operator itself requested:
		// after it only its outputs are left, of four bytes an element.
		decoder, last := int64(0), len(steps)-1
		for _, s := range steps[:last] {
			decoder = max(decoder, s.InUse)
		}
		truth := decoder - steps[last].InUse
		for _, out := range c.Outputs {
			n := int64(4)
			for _, d := range out.Shape {
				n *= d.Number()
			}
			truth += n
		}
		if low := e.ActivationBytes.Low; low > truth || low < decoder {
			t.Errorf("%s: at least %d, the record has %d, of it %d in the decoder", c.Name, low, truth, decoder)
		}
	}
	if found < 7 {
		t.Errorf("only %d records of such operators", found)
	}
}
