package main

import (
	"testing"

	"onnxmem/report"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// makeReport reports on a model of the corpus.
func makeReport(t *testing.T, m corpus.Model, opts report.Options) *report.Result {
	t.Helper()
	opts.PanicOnBug = true
	a, err := report.Analyze(runs.Model(t, m), opts)
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	r, err := a.Result(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return r
}

// trainableDiffers lists the exports that do not store the parameters of their
// module one to one, with what the file has more than the module, in elements.
var trainableDiffers = map[string]int64{
	// The output projection is tied to the embedding of 50,257 tokens by 768
	// and stored again, transposed.
	"gpt2_2l_past_ts17": 50257 * 768,
	// The same with 7,968 tokens by 256.
	"mamba_2l_ts17": 7968 * 256,
	// The pooler, 768 x 768 and a bias, is no part of the exported outputs.
	"bert_2l_dyn23": -(768*768 + 768),
	// Convolutions with a bias before a BatchNormalization: folding adds the
	// bias into the shift. One of 64 channels, and 14 with 1,408 together.
	"timm_maxvit_tiny_tf_224_ts17": -64,
	"own_unet3_ts17":               -1408,
	// Quantised: of BERT the float tensors are left, which are 25 LayerNorms
	// of 2 x 768, the biases of 12 layers (5 x 768 + 3,072) and the pooler's;
	// in the QDQ form of ResNet-18 none.
	"bert_base_dynamic_int8": 25*2*768 + 12*(5*768+3072) + 768 - 109482240,
	"resnet18_qdq_int8":      -11689512,
}

// TestParameters compares with the counts of the frameworks' modules and the
// bytes of all stored tensors.
func TestParameters(t *testing.T) {
	reports := compare(t).first.Reports
	for _, m := range corpus.Zoo(t) {
		r := reports[m.Name]
		if want := m.Parameters.InitializerBytes; want != nil && (r.Weights.Bytes == nil || *r.Weights.Bytes != *want) {
			t.Errorf("%s: weights of %v bytes, the file stores %d", m.Name, r.Weights.Bytes, *want)
		}
		p := r.Parameters
		if p.Count != p.Trainable-p.FoldedBatchNorm+p.Buffers+p.Constants {
			t.Errorf("%s: parameters do not add up: %+v", m.Name, p)
		}
		if want := m.Parameters.Count; want != nil && p.Trainable != *want+trainableDiffers[m.Name] {
			t.Errorf("%s: %d elements train, the module has %d", m.Name, p.Trainable, *want)
		}
		// What an export left out leaves no trace in the file; of all else the
		// report says that the count may not be the module's.
		if trainableDiffers[m.Name] != 0 && m.Name != "bert_2l_dyn23" && len(p.Notes) == 0 {
			t.Errorf("%s: no note says why the count is not the module's", m.Name)
		}
	}
}

// TestMACs compares with PyTorch's FlopCounterMode, which counts
// convolutions, matrix products and attention.
func TestMACs(t *testing.T) {
	// The module that was counted does more than the file where this says so.
	module := map[string]func(file int64) int64{
		// Counted at batch 2; the file runs at batch 1 only.
		"llama_4l_gqa_dyn23": func(file int64) int64 { return 2 * file },
		// The pooler, 768 x 768 for each of 2 texts, is not exported.
		"bert_2l_dyn23": func(file int64) int64 { return file + 2*768*768 },
	}
	reports := compare(t).first.Reports
	for _, m := range corpus.Zoo(t) {
		if m.MACs == nil {
			continue
		}
		r := reports[m.Name]
		if r.Compute.MACs == nil {
			t.Errorf("%s: MACs are not known", m.Name)
			continue
		}
		got := *r.Compute.MACs
		if f := module[m.Name]; f != nil {
			got = f(got)
		}
		if got != *m.MACs {
			t.Errorf("%s: %d MACs, PyTorch counts %d", m.Name, got, *m.MACs)
		}
	}
}

// TestCasesMemory holds every number that a bug report's case gives.
func TestCasesMemory(t *testing.T) {
	checked := 0
	for _, c := range corpus.Cases(t) {
		if c.Memory == nil {
			continue
		}
		inputs := map[string]corpus.Type{}
		for name, shape := range c.Inputs {
			inputs[name] = corpus.Type{Shape: shape}
		}
		infer := runs.Bound(t, corpus.Binding{Inputs: inputs})
		r := makeReport(t, c.Model, report.Options{Infer: infer})
		freed := makeReport(t, c.Model, report.Options{Infer: infer, FreeInputs: true})
		params, floats := r.Parameters.Count, int64(0)
		for _, name := range []string{"FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE"} {
			floats += r.Parameters.ByDType[name]
		}
		for _, x := range []struct {
			what      string
			want, got *int64
		}{
			{"params", c.Memory.Params, &params},
			{"params_float", c.Memory.ParamsFloat, &floats},
			{"weight_bytes", c.Memory.WeightBytes, r.Weights.Bytes},
			{"input_bytes", c.Memory.InputBytes, r.Inputs.Bytes},
			{"sum_node_outputs", c.Memory.NodeOutputBytes, r.Inference.ActivationsBytes},
			{"peak_inputs_kept", c.Memory.PeakInputsKept, r.Inference.PeakBytes},
			{"peak_inputs_freed_after_last_use", c.Memory.PeakInputsFreedAfterLastUse, freed.Inference.PeakBytes},
			{"matmul_macs", c.Memory.MatMulMACs, r.Compute.MACs},
			{"macs", c.Memory.MACs, r.Compute.MACs},
		} {
			switch {
			case x.want == nil:
				continue
			case x.got == nil:
				t.Errorf("%s: %s is not known, want %d", c.Name, x.what, *x.want)
			case *x.got != *x.want:
				t.Errorf("%s: %s is %d, want %d", c.Name, x.what, *x.got, *x.want)
			}
			checked++
		}
	}
	if checked < 15 {
		t.Errorf("only %d numbers were compared", checked)
	}
}
