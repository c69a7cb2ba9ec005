package onnxgo

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/owulveryck/onnx-go"
	"gorgonia.org/tensor"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

// convert expects that onnx-go decodes the model.
func convert(t *testing.T, b *modeltest.Builder) (*onnxgraph.Model, []Diagnostic) {
	t.Helper()
	m, lost, err := Convert(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return m, lost
}

// wantLost expects one diagnostic of that code about subject with these words.
func wantLost(t *testing.T, lost []Diagnostic, code Code, subject string, words ...string) {
	t.Helper()
	for _, d := range lost {
		if d.Code == code && d.Subject == subject {
			for _, w := range words {
				if !strings.Contains(d.Message, w) {
					t.Errorf("%v does not say %q", d, w)
				}
			}
			return
		}
	}
	t.Errorf("nothing of code %s about %q in %v", code, subject, lost)
}

func TestNodesKeepTheirInputs(t *testing.T) {
	m, _ := convert(t, modeltest.New(9).
		Input("x", onnxgraph.Float, 2, 3).
		Input("lo", onnxgraph.Float).
		Node("Mul", []string{"x", "x"}, []string{"square"}). // gonum's graph has one edge for both
		Node("Split", []string{"square"}, []string{"a", "b", "c"}, modeltest.Int("axis", 1)).
		Node("Clip", []string{"a", "", "lo"}, []string{"y"}). // an optional input left out
		Output("y").Output("b").Output("c"))
	want := []struct {
		op              string
		inputs, outputs []string
	}{
		{"Mul", []string{"x", "x"}, []string{"square"}},
		{"Split", []string{"square"}, []string{"a", "b", "c"}},
		{"Clip", []string{"a", "", "lo"}, []string{"y"}},
	}
	if len(m.Graph.Nodes) != len(want) {
		t.Fatalf("%d nodes, want %d", len(m.Graph.Nodes), len(want))
	}
	for i, w := range want {
		n := m.Graph.Nodes[i]
		if n.OpType != w.op || !slices.Equal(n.Inputs, w.inputs) || !slices.Equal(n.Outputs, w.outputs) {
			t.Errorf("node %d: %s %q -> %q, want %v", i, n.OpType, n.Inputs, n.Outputs, w)
		}
	}
	if a := m.Graph.Nodes[1].Attribute("axis"); a == nil || a.Type != onnxgraph.AttributeInt || a.Int != 1 {
		t.Errorf("axis of Split: %+v", a)
	}
}

// onnx-go invents an input for a node that has none.
func TestNodeWithoutInputs(t *testing.T) {
	m, _ := convert(t, modeltest.New(9).
		Constant("c", []int64{2}, []float32{5, 7}).
		Node("Neg", []string{"c"}, []string{"y"}).
		Output("y"))
	constant := m.Graph.Nodes[0]
	if len(constant.Inputs) != 0 {
		t.Errorf("Constant reads %q", constant.Inputs)
	}
	value := constant.Attribute("value")
	if value == nil || value.Tensor == nil {
		t.Fatal("Constant has no value")
	}
	if got, err := value.Tensor.Float64s(2); err != nil || !slices.Equal(got, []float64{5, 7}) {
		t.Errorf("value %v, %v; want [5 7]", got, err)
	}
}

func TestWeights(t *testing.T) {
	b := modeltest.New(9).IR(3).
		Input("x", onnxgraph.Float, 1, 2).
		Input("w", onnxgraph.Float, 2, 2). // an initializer was an input before IR 4
		Init("w", []int64{2, 2}, []float32{1, 2, 3, 4}).
		Init("shape", []int64{1}, []int64{-1}).
		Node("MatMul", []string{"x", "w"}, []string{"y"}).
		Node("Reshape", []string{"y", "shape"}, []string{"z"}).
		Output("z")
	m, lost := convert(t, b)
	if len(m.Graph.Inputs) != 1 || m.Graph.Inputs[0].Name != "x" {
		t.Errorf("inputs %v, want x alone", m.Graph.Inputs)
	}
	wantLost(t, lost, LostInput, "w")
	if len(m.Graph.Initializers) != 2 {
		t.Fatalf("%d initializers, want 2", len(m.Graph.Initializers))
	}
	w, shape := m.Graph.Initializers[0], m.Graph.Initializers[1]
	if got, err := w.Float64s(4); err != nil || w.Name != "w" || !slices.Equal(w.Dims, []int64{2, 2}) || !slices.Equal(got, []float64{1, 2, 3, 4}) {
		t.Errorf("%s %v: %v, %v", w.Name, w.Dims, got, err)
	}
	if got, err := shape.Int64s(1); err != nil || !slices.Equal(got, []int64{-1}) {
		t.Errorf("shape: %v, %v", got, err)
	}
}

func TestLostFacts(t *testing.T) {
	m, lost := convert(t, modeltest.New(9).
		Input("x", onnxgraph.Float, "batch", 3).
		Input("y", onnxgraph.Float, 4, 3).
		InputOf("u", modeltest.Unranked(onnxgraph.Float)).
		Node("Sum", []string{"x", "y", "u"}, []string{"z"}, modeltest.NodeName("sum"), modeltest.NodeDoc("adds"), modeltest.Domain("my.ops")).
		Output("z").
		Function("my.ops", "Double", modeltest.Body().Inputs("a").Node("Add", []string{"a", "a"}, []string{"b"}).Output("b")).
		Training(nil, modeltest.Body().Node("Neg", []string{"x"}, []string{"n"}).Output("n")).
		SparseInit([]int64{4}, modeltest.NewTensor("s", []int64{1}, []float32{1}), modeltest.NewTensor("", []int64{1}, []int64{2})).
		Quantize("x", [2]string{"SCALE_TENSOR", "scale"}).
		Opset("my.ops", 2).Meta("author", "me").Doc("text").Producer("maker", "1"))
	wantLost(t, lost, LostHeader, "ir_version", "10")
	wantLost(t, lost, LostHeader, "doc_string", "text")
	wantLost(t, lost, LostHeader, "producer_name", "maker")
	wantLost(t, lost, LostMetadata, "model", "1")
	wantLost(t, lost, LostNodeName, "node 0 (Sum)", `"sum"`)
	wantLost(t, lost, LostDomain, "node 0 (Sum)", "my.ops")
	wantLost(t, lost, LostDoc, "node 0 (Sum)")
	wantLost(t, lost, LostFunction, "my.ops.Double", "1 nodes")
	wantLost(t, lost, LostTraining, "training_info[0]")
	wantLost(t, lost, LostTensor, "s", "sparse")
	wantLost(t, lost, LostQuantization, "x")
	// An unranked value comes as a scalar.
	wantLost(t, lost, LostDim, "u", "no shape", "[]")
	// IR.md, "Tensor Shapes": a dim has a number, a name, or neither. onnx-go
	// takes the numbers and makes [3] of [batch,3].
	wantLost(t, lost, LostDim, "x", "[batch,3]", "[3]")
	for _, i := range []int{0, 2} {
		if in := m.Graph.Inputs[i]; in.Type.Shape != nil {
			t.Errorf("%s has the shape %v, want none", in.Name, in.Type.Shape)
		}
	}
	if s := m.Graph.Inputs[1].Type.Shape; s == nil || len(s.Dims) != 2 || s.Dims[0].Value != 4 {
		t.Errorf("y has the shape %v, want [4,3]", s)
	}
	if v, ok := m.Opset(""); !ok || v != 9 {
		t.Errorf("opset %d, %v; want 9", v, ok)
	}
	if v, ok := m.Opset("my.ops"); !ok || v != 2 {
		t.Errorf("opset of my.ops %d, %v; want 2", v, ok)
	}
}

// Without the file's bytes nobody can tell whether a shape is whole.
func TestModelWithoutBytes(t *testing.T) {
	data := modeltest.New(9).
		Input("x", onnxgraph.Float, 4, 3).
		Input("y", onnxgraph.Float, "n", 3).
		Node("Add", []string{"x", "y"}, []string{"z"}).
		Output("z").Bytes()
	backend := NewBackend()
	decoded := onnx.NewModel(backend)
	if _, _, err := backend.Model(decoded, Options{}); !errors.Is(err, ErrNotDecoded) {
		t.Errorf("before Decode: %v, want ErrNotDecoded", err)
	}
	if err := backend.Decode(decoded, data); err != nil {
		t.Fatal(err)
	}
	if err := decoded.SetInput(1, tensor.New(tensor.WithShape(4, 3), tensor.Of(tensor.Float32))); err != nil {
		t.Fatal(err)
	}
	m, lost, err := backend.Model(decoded, Options{})
	if err != nil {
		t.Fatal(err)
	}
	wantLost(t, lost, LostOpset, "")
	wantLost(t, lost, UnprovenShape, "x", "(4, 3)")
	if x := m.Graph.Inputs[0].Type; x.DType != onnxgraph.Float || x.Shape != nil {
		t.Errorf("x is %+v, want a FLOAT of no shape", x)
	}
	y := m.Graph.Inputs[1].Type
	if y.Shape == nil || len(y.Shape.Dims) != 2 || y.Shape.Dims[0].Value != 4 || y.Shape.Dims[1].Value != 3 {
		t.Errorf("y was fed [4,3] and is %+v", y.Shape)
	}
}

// What onnx-go refuses or panics on; the README's table has these rows. Our
// reader takes each of them.
func TestRefused(t *testing.T) {
	add := func(b *modeltest.Builder) *modeltest.Builder {
		return b.Node("Add", []string{"x", "w"}, []string{"y"}).Output("y")
	}
	weight := func(d onnxgraph.DType) *modeltest.Builder {
		return add(modeltest.New(14).InputOf("x", modeltest.Unranked(d)).InitZeros("w", d, 2))
	}
	branch := func() *modeltest.Builder {
		return modeltest.Body().Node("Identity", []string{"x"}, []string{"b"}).Output("b")
	}
	for name, b := range map[string]*modeltest.Builder{
		"FLOAT16 weights":     weight(onnxgraph.Float16),
		"BFLOAT16 weights":    weight(onnxgraph.Bfloat16),
		"FLOAT8 weights":      weight(onnxgraph.Float8E4M3FN),
		"INT4 weights":        weight(onnxgraph.Int4),
		"INT8 weights":        add(modeltest.New(14).Input("x", onnxgraph.Float, 2).InitZeros("w", onnxgraph.Int8, 2)),
		"UINT8 weights":       add(modeltest.New(14).Input("x", onnxgraph.Float, 2).InitZeros("w", onnxgraph.Uint8, 2)),
		"INT16 weights":       add(modeltest.New(14).Input("x", onnxgraph.Float, 2).InitZeros("w", onnxgraph.Int16, 2)),
		"UINT16 weights":      add(modeltest.New(14).Input("x", onnxgraph.Float, 2).InitZeros("w", onnxgraph.Uint16, 2)),
		"UINT32 weights":      add(modeltest.New(14).Input("x", onnxgraph.Float, 2).InitZeros("w", onnxgraph.Uint32, 2)),
		"UINT64 weights":      add(modeltest.New(14).Input("x", onnxgraph.Float, 2).InitZeros("w", onnxgraph.Uint64, 2)),
		"BOOL weights, panic": add(modeltest.New(14).Input("x", onnxgraph.Float, 2).InitZeros("w", onnxgraph.Bool, 8)),
		"BOOL weights":        add(modeltest.New(14).Input("x", onnxgraph.Float, 2).InitZeros("w", onnxgraph.Bool, 3)),
		"empty weights":       add(modeltest.New(14).Input("x", onnxgraph.Float, 2).InitZeros("w", onnxgraph.Float, 0)),
		"STRING weights":      add(modeltest.New(14).Input("x", onnxgraph.Float, 2).Init("w", []int64{1}, []string{"a"})),
		"external data":       add(modeltest.New(14).Input("x", onnxgraph.Float, 2).InitExternal("w", onnxgraph.Float, []int64{2}, "w.bin", 0, 8)),
		"FLOAT16 input":       add(modeltest.New(14).Input("x", onnxgraph.Float16, 2).InitZeros("w", onnxgraph.Float, 2)),
		"sequence input": modeltest.New(14).InputOf("x", modeltest.SequenceOf(modeltest.TensorType(onnxgraph.Float, 2))).
			Node("SequenceLength", []string{"x"}, []string{"y"}).Output("y"),
		"subgraph (If)": modeltest.New(14).Input("c", onnxgraph.Bool).Input("x", onnxgraph.Float, 2).
			Node("If", []string{"c"}, []string{"y"}, modeltest.Subgraph("then_branch", branch()), modeltest.Subgraph("else_branch", branch())).
			Output("y"),
		"no outputs": modeltest.New(14).Input("x", onnxgraph.Float, 2).Node("Neg", []string{"x"}, []string{"y"}),
	} {
		_, _, err := Convert(b.Bytes())
		var refused *DecodeError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a DecodeError", name, err)
			continue
		}
		if panicked := refused.Panic != nil; panicked != strings.HasSuffix(name, "panic") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Files of IR version 1 give attributes no type, and then onnx-go no value.
func TestUntypedAttribute(t *testing.T) {
	made, lost, err := attributes(map[string]any{"axis": struct{}{}, "alpha": float32(0.5)})
	if err != nil || len(made) != 1 || made[0].Name != "alpha" || made[0].Float != 0.5 || !slices.Equal(lost, []string{"axis"}) {
		t.Errorf("made %v, lost %q, %v", made, lost, err)
	}
}
