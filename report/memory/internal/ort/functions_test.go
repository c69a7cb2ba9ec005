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

// notTakenApart are the functions of the standard that the runtime never puts the
// body of in place, each with the reason.
var notTakenApart = map[string]string{
	"Celu":                      "kernels for all types",
	"Clip":                      "the body needs comparisons that have no kernel for the remaining types",
	"DynamicQuantizeLinear":     "a kernel for its only type",
	"FlexAttention":             "its domain is not known",
	"LayerNormalization":        "kernels for all types",
	"MeanVarianceNormalization": "the types of the body do not agree for other types than float: the model is refused",
	"RMSNormalization":          "the body has no kernels for bfloat16, the remaining type",
	"RotaryEmbedding":           "the body has no kernels for bfloat16, the remaining type",
	"Shrink":                    "kernels for all types",
	"SwiGLU":                    "the body of Swish in it no longer holds at the opset that has it: the model is refused",
}

// TestEveryFunction: each operator of the standard that is a function has a
// recorded run, or a reason. The names are those of onnx 1.23.2
// (has_function, has_context_dependent_function).
func TestEveryFunction(t *testing.T) {
	run := map[string]bool{}
	for _, r := range functionRuns(t) {
		for _, n := range r.model.Graph.Nodes {
			run[n.OpType] = true
		}
	}
	for _, name := range strings.Fields(`AffineGrid Attention Bernoulli BlackmanWindow CastLike CausalConvWithState Celu CenterCropPad Clip
		DepthToSpace DynamicQuantizeLinear Elu FlexAttention Gelu GreaterOrEqual GroupNormalization HammingWindow HannWindow HardSigmoid
		HardSwish LayerNormalization LeakyRelu LessOrEqual LinearAttention LogSoftmax MeanVarianceNormalization Mish
		NegativeLogLikelihoodLoss PRelu RMSNormalization Range ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare Relu
		RotaryEmbedding Selu SequenceMap Shrink Softmax SoftmaxCrossEntropyLoss Softplus Softsign SpaceToDepth SwiGLU Swish ThresholdedRelu`) {
		if reason := notTakenApart[name]; !run[name] && reason == "" {
			t.Errorf("%s is in no recorded run", name)
		}
	}
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
