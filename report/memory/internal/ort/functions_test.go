package ort_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/testdata/corpus"
)

// A functionRun is a recorded run of a model with operators that the runtime
// takes apart.
type functionRun struct {
	corpus.Binding
	Steps []corpus.Kernel `json:"steps"`
	model *onnxgraph.Model
}

func functionRuns(t *testing.T) map[string]*functionRun {
	t.Helper()
	z, err := zip.OpenReader(corpus.Path(t, "ort", "functions.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	list := map[string]*functionRun{}
	for _, f := range z.File {
		data := read(t, f)
		name, model := strings.CutSuffix(f.Name, ".onnx")
		name = strings.TrimSuffix(name, ".json")
		if list[name] == nil {
			list[name] = &functionRun{}
		}
		if model {
			list[name].model, err = onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
		} else {
			err = json.Unmarshal(data, list[name])
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
	}
	return list
}

func read(t *testing.T, f *zip.File) []byte {
	t.Helper()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// inexactFunctions are the runs that are not met to the byte.
var inexactFunctions = corpus.Exceptions{
	"affine_grid_float16_20": "the runtime casts three constants more, 1 byte of 1337 at the peak",
	"sequence_map":           "how long the sequence of a SplitToSequence with given lengths is, is not followed",
}

// TestFunctions holds the memory after each kernel against the runtime's for
// models with operators that the runtime takes apart, for some only at certain
// versions or in certain types: alone, in networks, in bodies and in functions.
func TestFunctions(t *testing.T) {
	list := functionRuns(t)
	if len(list) < 100 {
		t.Fatalf("there are %d runs", len(list))
	}
	for name, run := range list {
		inexactFunctions.Check(t, name, differs(estimate(t, run.model, run.Binding).Steps, run.Steps))
	}
}
