package ort_test

import (
	"testing"

	"onnxmem/report/memory/ort"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// otherKernels are operators whose cases differ from the record, some or all,
// with the reason.
var otherKernels = map[string]string{
	"Attention":                     "its function body, of windows and of version 25, is not taken apart",
	"CausalConvWithState":           "its function body is not taken apart",
	"LinearAttention":               "its function body is not taken apart",
	"CenterCropPad":                 "its function body is not taken apart",
	"Bernoulli":                     "its function body is not taken apart",
	"NegativeLogLikelihoodLoss":     "its function body is not taken apart",
	"SoftmaxCrossEntropyLoss":       "its function body is not taken apart",
	"ReduceLogSum":                  "the function body of version 28 is not taken apart",
	"ReduceLogSumExp":               "the function body of version 28 is not taken apart",
	"Range":                         "the float16 body of version 27 is not taken apart",
	"Mish":                          "Softplus is taken apart for float16, in Mish only",
	"Loop":                          "the first kernel is in its body: the record's zero level holds buffers of it already",
	"Scan":                          "the first kernel is in its body: the record's zero level holds buffers of it already",
	"SimplifiedLayerNormalization":  "of mixed types one input is cast",
	"ai.onnx.preview.FlexAttention": "Softmax does not write over a double input here",
	"com.microsoft.BeamSearch":      "its decoder runs inside",
	"com.microsoft.GreedySearch":    "its decoder runs inside",
	"com.microsoft.Sampling":        "its decoder runs inside",
	"SequenceConstruct":             "elements of sequences are copied",
	"SplitToSequence":               "elements of sequences are copied",
	"If":                            "elements of sequences are copied",
	"Optional":                      "an optional copies its element",

	"com.microsoft.BifurcationDetector": "the length of the output hangs on values",
	"com.microsoft.DynamicTimeWarping":  "the length of the output hangs on values",
}

// TestKernels holds the memory after each kernel of the operator cases against
// the runtime's: which functions it takes apart, where it casts, and which
// operators write over their inputs.
func TestKernels(t *testing.T) {
	kernels := corpus.Kernels(t)
	exact, listed := 0, map[string]int{}
	for _, name := range []string{corpus.Node, corpus.NodeExpanded, corpus.Versions, corpus.Contrib} {
		for _, c := range corpus.Manifest(t, name) {
			want := kernels[name+"/"+c.Name]
			if want == nil {
				continue
			}
			opts := runs.Bound(t, corpus.Binding{Inputs: c.Inputs, Feed: c.Feed})
			r, err := shapeinfer.Infer(runs.Model(t, c.Model), opts)
			if err != nil {
				continue // what cannot be bound is tested elsewhere
			}
			e, err := ort.CPU(r, opts)
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			if what := differs(e.Steps, want); what == "" {
				exact++
			} else if listed[c.Op]++; otherKernels[c.Op] == "" {
				t.Errorf("%s: %s", c.Name, what)
			}
		}
	}
	for op, why := range otherKernels {
		if listed[op] == 0 {
			t.Errorf("no case of %s differs, although %s: take it off the list", op, why)
		}
	}
	if exact < 2400 {
		t.Errorf("only %d cases are exact", exact)
	}
	t.Logf("%d of %d cases are exact", exact, len(kernels))
}

func differs(got []ort.Step, want []corpus.Kernel) string {
	if len(got) != len(want) {
		return "other kernels are executed"
	}
	for k, w := range want {
		if got[k].Op != w.Op {
			return got[k].Op + " in place of " + w.Op
		}
		if got[k].InUse != w.InUse {
			return w.Op + " takes another number of bytes"
		}
	}
	return ""
}
