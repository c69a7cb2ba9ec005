package ort_test

import (
	"fmt"
	"testing"

	"onnxmem/report/memory/internal/ort"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// TestKernels holds the memory after each kernel of the operator cases against
// the runtime's: which functions it takes apart, where it casts, and which
// operators write over their inputs.
func TestKernels(t *testing.T) {
	kernels, known := corpus.Kernels(t), corpus.NotExact(t, "ort")
	compared := 0
	for _, list := range []string{corpus.Node, corpus.NodeExpanded, corpus.Versions, corpus.Contrib} {
		for _, c := range corpus.Manifest(t, list) {
			name := list + "/" + c.Name
			want := kernels[name]
			if want == nil {
				continue
			}
			compared++
			opts := runs.Bound(t, corpus.Binding{Inputs: c.Inputs, Feed: c.Feed})
			r, err := shapeinfer.Infer(runs.Model(t, c.Model), opts)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			e, err := ort.CPU(r, opts)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			known.Check(t, name, differs(e.Steps, want))
			delete(known, name)
		}
	}
	if compared != len(kernels) {
		t.Errorf("%d of %d records were compared", compared, len(kernels))
	}
	for name := range known {
		t.Errorf("the list of exceptions has %s, of which there is no record", name)
	}
}

// differs says where the executed kernels differ from the record, after the
// first of which the numbers are others.
func differs(got []ort.Step, want []corpus.Kernel) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d kernels are executed, in the record %d", len(got), len(want))
	}
	for k, w := range want {
		if got[k].Op != w.Op {
			return fmt.Sprintf("kernel %d is %s, in the record %s", k, got[k].Op, w.Op)
		}
		if got[k].InUse != w.InUse {
			return fmt.Sprintf("after kernel %d, %s, %d bytes are held, in the record %d", k, w.Op, got[k].InUse, w.InUse)
		}
	}
	return ""
}
