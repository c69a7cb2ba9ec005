package onnxgo_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/owulveryck/onnx-go/backend/testbackend"
	_ "github.com/owulveryck/onnx-go/backend/testbackend/onnx" // registers the cases
	gorgonia "gorgonia.org/tensor"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/onnxgo"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// onnx-go carries ONNX's operator tests of 2019: 348 cases of 103 operators,
// opsets 6 to 10, each with its inputs and expected outputs.
const wantCases, wantOperators = 348, 103

// sizeReason says why the two Size cases are no truth: the files declare an
// INT64 scalar, which is what the operator's text says ("Output: size, scalar
// of type int64", Operators.md#Size), and the recorded output was turned into a
// vector of one float when the cases were converted to Go.
const sizeReason = "INT64[] by the operator's text; recorded as FLOAT[1]"

var knownExceptions = map[string]struct{ expected, reason string }{
	"TestSize":        {"FLOAT[1]", sizeReason},
	"TestSizeExample": {"FLOAT[1]", sizeReason},
}

// contentDecides are the operators whose output is as long as what they find
// in their inputs: boxes, elements that are not zero.
var contentDecides = map[string]bool{"NonMaxSuppression": true, "NonZero": true}

// maxFed bounds the inputs that are handed over with their values: those that
// decide shapes are small.
const maxFed = 64

func TestConformance(t *testing.T) {
	cases := testbackend.GetAllRegisteredTests()
	operators := map[string]bool{}
	for _, newCase := range cases {
		c := newCase()
		operators[c.OpType] = true
		t.Run(c.Title, func(t *testing.T) { checkCase(t, c) })
	}
	if len(cases) != wantCases || len(operators) != wantOperators {
		t.Errorf("%d cases of %d operators, want %d of %d", len(cases), len(operators), wantCases, wantOperators)
	}
}

func checkCase(t *testing.T, c *testbackend.TestCase) {
	model, err := onnxgraph.Read(bytes.NewReader(c.ModelB), int64(len(c.ModelB)))
	if err != nil {
		t.Fatal(err)
	}
	result, err := shapeinfer.Infer(model, shapeinfer.Options{
		Feeds: feeds(t, model, c.Input),
		// The files declare the types of their outputs; they must not tell them.
		IgnoreDeclared: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Diagnostics {
		if d.Severity == shapeinfer.Error {
			t.Errorf("%s: %s", d.Code, d.Message)
		}
	}
	if len(model.Graph.Outputs) != len(c.ExpectedOutput) {
		t.Fatalf("%d outputs, %d are recorded", len(model.Graph.Outputs), len(c.ExpectedOutput))
	}
	for i, out := range model.Graph.Outputs {
		fact, ok := result.Lookup(out.Name)
		if !ok {
			t.Fatalf("no output %q", out.Name)
		}
		got, want := fact.Type, typeOf(t, c.ExpectedOutput[i])
		if exception, ok := knownExceptions[c.Title]; ok {
			if want.String() != exception.expected || got.String() != "INT64[]" {
				t.Errorf("%s: got %s, recorded %s, but the exception is %s", out.Name, got, want, exception.reason)
			}
			continue
		}
		if !agrees(got, want, contentDecides[c.OpType]) {
			t.Errorf("%s: got %s, want %s", out.Name, got, want)
		}
	}
}

// typeOf is the type of a recorded tensor.
func typeOf(t *testing.T, v gorgonia.Tensor) tensor.Type {
	t.Helper()
	dtype, ok := onnxgo.DType(v.Dtype())
	if !ok {
		t.Fatalf("no ONNX type for %v", v.Dtype())
	}
	dims := make([]int64, 0, v.Dims())
	for _, d := range v.Shape() {
		dims = append(dims, int64(d))
	}
	return tensor.Of(dtype, tensor.IntShape(dims...))
}

// agrees compares types; where contents decide, a dim that is no number passes.
func agrees(got, want tensor.Type, contents bool) bool {
	if !contents || got.Name() != want.Name() || got.Shape.Rank() != want.Shape.Rank() {
		return got.String() == want.String()
	}
	for i, d := range got.Shape.Dims() {
		if n, ok := d.Int(); ok && !dim.Equal(dim.Int(n), want.Shape.At(i)) {
			return false
		}
	}
	return true
}

// feeds turns the small inputs of a case into known values.
func feeds(t *testing.T, m *onnxgraph.Model, inputs []gorgonia.Tensor) map[string]*tensor.Value {
	t.Helper()
	if len(m.Graph.Inputs) != len(inputs) {
		t.Fatalf("%d inputs, %d are recorded", len(m.Graph.Inputs), len(inputs))
	}
	values := map[string]*tensor.Value{}
	for i, in := range inputs {
		if in.Size() > maxFed {
			continue
		}
		// The conversion to Go made vectors of one element of the scalars, and
		// float32 of some integers; the file declares them.
		v := &tensor.Value{DType: m.Graph.Inputs[i].Type.DType, Elems: scalars(t, in.Data())}
		for _, d := range m.Graph.Inputs[i].Type.Shape.Dims {
			v.Dims = append(v.Dims, d.Value)
		}
		values[m.Graph.Inputs[i].Name] = v
	}
	return values
}

func scalars(t *testing.T, data any) []tensor.Scalar {
	t.Helper()
	switch data := data.(type) {
	case []float32:
		return mapped(data, func(f float32) tensor.Scalar { return tensor.Float(float64(f)) })
	case []float64:
		return mapped(data, tensor.Float)
	case []int32:
		return mapped(data, func(n int32) tensor.Scalar { return tensor.Int(int64(n)) })
	case []int64:
		return mapped(data, tensor.Int)
	case []bool:
		return mapped(data, tensor.Bool)
	case []uint8:
		return mapped(data, func(n uint8) tensor.Scalar { return tensor.Int(int64(n)) })
	// A scalar's data is the value itself.
	case float32:
		return scalars(t, []float32{data})
	case float64:
		return scalars(t, []float64{data})
	case int64:
		return scalars(t, []int64{data})
	case bool:
		return scalars(t, []bool{data})
	}
	t.Fatalf("no value for %T", data)
	return nil
}

func mapped[T any](in []T, f func(T) tensor.Scalar) []tensor.Scalar {
	out := make([]tensor.Scalar, 0, len(in))
	for x := range slices.Values(in) {
		out = append(out, f(x))
	}
	return out
}
