package schema_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/internal/schema"
	"onnxmem/shapeinfer/tensor"
)

// TestCheck holds nodes against declarations as onnx/defs has them.
func TestCheck(t *testing.T) {
	vector := func(d onnxgraph.DType) *tensor.Fact { return &tensor.Fact{Type: tensor.Of(d, tensor.IntShape(2))} }
	float, double, integer := vector(onnxgraph.Float), vector(onnxgraph.Double), vector(onnxgraph.Int64)
	axis := &onnxgraph.Attribute{Name: "axis", Type: onnxgraph.AttributeInt, Int: 0}
	for _, test := range []struct {
		clause string
		op     string
		since  int
		inputs []*tensor.Fact
		attrs  []*onnxgraph.Attribute
		want   string // code and message; empty: none
	}{
		{"Add 14 takes two of one type", "Add", 14, []*tensor.Fact{float, float}, nil, ""},
		{"Add 14 takes no third", "Add", 14, []*tensor.Fact{float, float, float}, nil, "arity: 3 inputs, at most 2 are allowed"},
		{"Add 14: A and B are both T", "Add", 14, []*tensor.Fact{float, double}, nil, "type: inputs A and B must have one type, not FLOAT and DOUBLE"},
		{"Concat 13: all inputs are T", "Concat", 13, []*tensor.Fact{float, float, float, double}, []*onnxgraph.Attribute{axis},
			"type: inputs inputs and inputs must have one type, not FLOAT and DOUBLE"},
		{"Concat 13: axis is required", "Concat", 13, []*tensor.Fact{float}, nil, `attribute: attribute "axis" is required`},
		{"Gather 13: the indices are integers", "Gather", 13, []*tensor.Fact{float, float}, nil, "type: input indices may not be FLOAT"},
		{"Gather 13: data and indices differ", "Gather", 13, []*tensor.Fact{float, integer}, nil, ""},
		{"Relu 14 has no attributes", "Relu", 14, []*tensor.Fact{float}, []*onnxgraph.Attribute{axis}, `attribute: the operator has no attribute "axis"`},
		// The first by name is told every time.
		{"Upsample 1 requires two attributes", "Upsample", 1, []*tensor.Fact{float}, nil, `attribute: attribute "height_scale" is required`},
	} {
		t.Run(test.clause, func(t *testing.T) {
			s := schema.Find("", test.op, test.since)
			if s == nil {
				t.Fatal("no such operator version")
			}
			n := &onnxgraph.Node{OpType: test.op, Outputs: []string{"y"}, Attributes: test.attrs}
			for range test.inputs {
				n.Inputs = append(n.Inputs, "x")
			}
			for range 20 {
				got := ""
				if v := s.Check(n, test.inputs); v != nil {
					got = v.Code + ": " + v.Message
				}
				if got != test.want {
					t.Fatalf("%q, want %q", got, test.want)
				}
			}
		})
	}
}

// TestCounts: ai.onnx.ml has 19 operators, ai.onnx.preview.training 4 of one
// version each (onnx/docs/Operators-ml.md); no domain of another name is known.
func TestCounts(t *testing.T) {
	if operators, _ := schema.Count("ai.onnx.ml"); operators != 19 {
		t.Errorf("%d operators of ai.onnx.ml, want 19", operators)
	}
	if operators, versions := schema.Count("ai.onnx.preview.training"); operators != 4 || versions != 4 {
		t.Errorf("%d operators of ai.onnx.preview.training in %d versions, want 4 and 4", operators, versions)
	}
	if operators, _ := schema.Count("custom"); operators != 0 || schema.Newest("custom") != 0 {
		t.Error("a domain that nobody declared is known")
	}
}
