package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// full is a report with everything in it, as JSON.
func full(t testing.TB, name string, model *onnxgraph.Model, infer shapeinfer.Options) []byte {
	t.Helper()
	a, err := report.Analyze(model, report.Options{
		Infer: infer, PerNode: true, Timeline: true, Advice: true,
	})
	if err != nil {
		return nil // what is no model has no report
	}
	text, err := json.Marshal(resultOf(t, a))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestNumbersOfOddModels: whatever a file says, no size and no count is below
// zero, and the parts of the runtime's memory add up where they are known.
func TestNumbersOfOddModels(t *testing.T) {
	for _, fixture := range corpus.Audit(t) {
		data, err := os.ReadFile(fixture.Path)
		if err != nil {
			t.Fatal(err)
		}
		if model, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data))); err == nil {
			checkNumbers(t, fixture.Name, full(t, fixture.Name, model, shapeinfer.Options{}))
		}
	}
	made := 0
	for _, list := range []string{corpus.Node, corpus.Infer} { // strings, sequences, optionals, sizes that a run decides
		for _, c := range corpus.Manifest(t, list) {
			data := c.Bytes(t)
			if model, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data))); err == nil {
				checkNumbers(t, c.Name, full(t, c.Name, model, shapeinfer.Options{}))
				made++
			}
		}
	}
	if made < 500 {
		t.Errorf("only %d models of single nodes", made)
	}
	for _, c := range corpus.Cases(t) {
		checkNumbers(t, c.Name, full(t, c.Name, runs.Model(t, c.Model), shapeinfer.Options{}))
	}
}

func checkNumbers(t *testing.T, name string, text []byte) {
	t.Helper()
	if text == nil {
		return
	}
	var r report.Result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if rt := r.Inference.Runtime; rt.Bytes != nil && *rt.Bytes != *r.Weights.Bytes-r.Weights.UnreadBytes+*r.Inputs.Bytes+*rt.ActivationBytes {
		t.Errorf("%s: runtime %d of weights %d, inputs %d, node outputs %d", name, *rt.Bytes, *r.Weights.Bytes, *r.Inputs.Bytes, *rt.ActivationBytes)
	}
	if r.Inference.PeakBytes == nil && r.Inference.PeakAtLeast == nil || r.Inference.PeakActivationBytes == nil && r.Inference.PeakActivationAtLeast == nil {
		t.Errorf("%s: a peak that is not known has no lower limit", name)
	}
	if tr := r.Training; tr.PeakBytes == nil && tr.Reason == nil {
		t.Errorf("%s: training is not known, and no reason given", name)
	}
	var all any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	noneNegative(t, name, all)
}

// noneNegative looks at all numbers but dims, which are as the file has them.
func noneNegative(t *testing.T, path string, value any) {
	switch x := value.(type) {
	case float64:
		if x < 0 {
			t.Errorf("%s is %g", path, x)
		}
	case []any:
		for _, e := range x {
			noneNegative(t, path, e)
		}
	case map[string]any:
		for k, e := range x {
			if k != "shape" {
				noneNegative(t, path+"."+k, e)
			}
		}
	}
}

// Vectors of 2^60 floats: each has a size, two of them together have more bytes
// than an int64 holds, and trained they are too large.
func TestSumsThatOverflow(t *testing.T) {
	b := modeltest.New(17).Input("x", onnxgraph.Float, 1).Init("shape", []int64{1}, []int64{1 << 60})
	for _, name := range []string{"a", "b", "c"} {
		b.Node("Expand", []string{"x", "shape"}, []string{name}).Output(name)
	}
	text := full(t, "overflow", b.Model(t), shapeinfer.Options{})
	checkNumbers(t, "overflow", text)
	var r report.Result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if inf := r.Inference; inf.PeakBytes != nil || inf.SumBytes != nil || inf.ArenaBytes != nil || inf.Runtime.Bytes != nil {
		t.Errorf("exact sizes for what overflows: %s", text)
	}
}

// TestSameReportEachTime makes the same report again and again from the same
// file: to the byte, in spite of the maps on the way.
func TestSameReportEachTime(t *testing.T) {
	for _, name := range []string{"bert_base_ts14", "ssdlite320_mobilenet_v3_large_ts17", "googlenet_ts9", "gpt2_dyn18"} {
		m := corpus.ZooNamed(t, name)
		first := full(t, m.Name, runs.Model(t, m.Model), shapeinfer.Options{})
		for range 3 {
			if again := full(t, m.Name, runs.Model(t, m.Model), shapeinfer.Options{}); !bytes.Equal(first, again) {
				t.Errorf("%s: two reports differ", m.Name)
				break
			}
		}
	}
}
