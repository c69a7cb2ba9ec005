package ort

import (
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
)

// TestWithoutCPUKernel: the catalogue has every operator that is listed, else
// the name has no effect.
func TestWithoutCPUKernel(t *testing.T) {
	for _, name := range strings.Fields(withoutCPUKernel) {
		if !catalogue.Default().Has(op.DomainMicrosoft, name) {
			t.Errorf("the catalogue has no %s", name)
		}
	}
}

// TestFunctionKernels: every line of the list names a function that can be taken
// apart, and element types that exist.
func TestFunctionKernels(t *testing.T) {
	types := map[string]bool{}
	for d := onnxgraph.Float; d.Valid(); d++ {
		types[strings.ToLower(d.String())] = true
	}
	for name, kernels := range kernelsOfFunctions() {
		if bodies()[name] == nil {
			t.Errorf("%s has no body", name)
		}
		for _, k := range kernels {
			for _, s := range k.types {
				for _, typ := range s.types {
					if !types[typ] {
						t.Errorf("%s: unknown type %q", name, typ)
					}
				}
			}
		}
	}
}

// TestLowerLimits: what the runtime would not run, or what it runs is not known,
// is no exact number.
func TestLowerLimits(t *testing.T) {
	single := func(op, domain string, typ *onnxgraph.Type, opset int64) *onnxgraph.Model {
		return &onnxgraph.Model{
			IRVersion:    10,
			OpsetImports: []onnxgraph.OpsetImport{{Version: opset}, {Domain: "com.microsoft", Version: 1}},
			Graph: &onnxgraph.Graph{
				Inputs:  []*onnxgraph.ValueInfo{{Name: "x", Type: typ}},
				Outputs: []*onnxgraph.ValueInfo{{Name: "y"}},
				Nodes:   []*onnxgraph.Node{{OpType: op, Domain: domain, Inputs: []string{"x", "x"}, Outputs: []string{"y"}}},
			},
		}
	}
	four := &onnxgraph.Type{Kind: onnxgraph.KindTensor, DType: onnxgraph.Float, Shape: &onnxgraph.Shape{Dims: []onnxgraph.Dim{{Value: 4, HasValue: true}}}}
	for _, c := range []struct {
		name   string
		model  *onnxgraph.Model
		reason string // part of it; empty where the number is exact
	}{
		{"a kernel", single("PRelu", "", four, 16), ""},
		{"no kernel at all", single("BiasAdd", "com.microsoft", four, 16), "no kernel for BiasAdd"},
		{"a body that no longer holds", single("SwiGLU", "", four, 28), "no kernel for Swish"},
		{"an unknown type", single("PRelu", "", nil, 16), "type that is not known"},
	} {
		r, err := shapeinfer.InferProgram(onnxgraph.Resolve(c.model), shapeinfer.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		e, err := CPU(r, shapeinfer.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if _, exact := e.ActivationBytes.Exact(); exact != (c.reason == "") || c.reason != "" && !strings.Contains(e.Reason, c.reason) {
			t.Errorf("%s: %v, %q; want %q", c.name, e.ActivationBytes, e.Reason, c.reason)
		}
	}
}
