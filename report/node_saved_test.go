package report_test

import (
	"testing"

	"onnxmem/report"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// TestNodesSaveWhatTrainingKeeps: what the rows of nodes keep for the backward
// pass adds up to the whole. The same network is in the zoo as it is, and with
// its layers as functions, whose nodes are no rows of their own; GPT-2 has masks
// of dropouts, which count apart.
func TestNodesSaveWhatTrainingKeeps(t *testing.T) {
	for _, name := range []string{"resnet18_ts17", "resnet18_functions_ts17", "gpt2_dyn18"} {
		m := corpus.ZooNamed(t, name)
		a, err := report.Analyze(runs.Model(t, m.Model), report.Options{PerNode: true})
		if err != nil {
			t.Fatal(err)
		}
		r := resultOf(t, a)
		sum := int64(0)
		for _, n := range r.Nodes {
			sum += *n.SavedBytes
		}
		if sum == 0 || sum != *r.Training.SavedBytes {
			t.Errorf("%s: nodes keep %d, all %d", m.Name, sum, *r.Training.SavedBytes)
		}
	}
}
