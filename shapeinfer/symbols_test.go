package shapeinfer_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
)

// nonZeros makes one value whose size only a run knows from each of x and y,
// by a local function whose body is given: it reads v and makes r.
func nonZeros(body *modeltest.Builder) *modeltest.Builder {
	return modeltest.New(17).Opset("local", 1).
		Input("x", onnxgraph.Float, 100).Input("y", onnxgraph.Float, 100).
		Function("local", "F", body.Opset("", 17).Inputs("v").Output("r")).
		Node("F", []string{"x"}, []string{"a"}, modeltest.Domain("local")).
		Node("F", []string{"y"}, []string{"b"}, modeltest.Domain("local"))
}

// TestSizesOfTwoCallsDiffer: x and y need not have as many elements that are
// not zero, though one function with one type of argument counts both. What
// the function returns may be the tensor, its shape, or a sequence.
func TestSizesOfTwoCallsDiffer(t *testing.T) {
	sized := func() *modeltest.Builder {
		return modeltest.Body().Node("NonZero", []string{"v"}, []string{"places"})
	}
	zero := modeltest.NewTensor("", nil, []int64{0})
	for name, m := range map[string]*modeltest.Builder{
		"tensor": nonZeros(sized().Node("Identity", []string{"places"}, []string{"r"})).
			Node("Identity", []string{"a"}, []string{"p"}).Node("Identity", []string{"b"}, []string{"q"}),
		"shape": nonZeros(sized().Node("Shape", []string{"places"}, []string{"r"})).
			Node("ConstantOfShape", []string{"a"}, []string{"p"}).Node("ConstantOfShape", []string{"b"}, []string{"q"}),
		"sequence": nonZeros(sized().Node("SequenceConstruct", []string{"places"}, []string{"r"})).
			Node("Constant", nil, []string{"first"}, modeltest.TensorAttr("value", zero)).
			Node("SequenceAt", []string{"a", "first"}, []string{"p"}).Node("SequenceAt", []string{"b", "first"}, []string{"q"}),
	} {
		t.Run(name, func(t *testing.T) {
			r, err := shapeinfer.Infer(m.Output("p", "q").Model(t), shapeinfer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p, _ := r.Lookup("p")
			q, _ := r.Lookup("q")
			one, other := p.Type.Shape.At(1), q.Type.Shape.At(1)
			if !one.HasDataDependent() || !other.HasDataDependent() || one.String() == other.String() {
				t.Errorf("sizes %s and %s, want two symbols", one, other)
			}
			if top, ok := one.Upper(); !ok || top != 100 {
				t.Errorf("%s is at most %d, %v, want 100", one, top, ok)
			}
		})
	}
}

// TestSizesInBodiesOfOneName: two nodes of one name, which some exporters
// write, hold bodies that make values of one name; their sizes differ.
func TestSizesInBodiesOfOneName(t *testing.T) {
	branch := func(of string) *modeltest.Builder {
		return modeltest.Body().Node("NonZero", []string{of}, []string{"places"}).Output("places")
	}
	m := modeltest.New(17).Input("x", onnxgraph.Float, 100).Input("y", onnxgraph.Float, 100).
		Constant("yes", nil, []bool{true})
	for _, in := range []string{"x", "y"} {
		m.Node("If", []string{"yes"}, []string{"of_" + in}, modeltest.NodeName("choose"),
			modeltest.Subgraph("then_branch", branch(in)), modeltest.Subgraph("else_branch", branch(in)))
	}
	r, err := shapeinfer.Infer(m.Output("of_x", "of_y").Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, _ := r.Lookup("of_x")
	y, _ := r.Lookup("of_y")
	if x.Type.Shape.At(1).String() == y.Type.Shape.At(1).String() {
		t.Errorf("both have the size %s", x.Type.Shape.At(1))
	}
}

// TestCallsDifferByEveryKindOfAttribute: a function that hands its attribute
// to Optional, whose output has the type in it.
func TestCallsDifferByEveryKindOfAttribute(t *testing.T) {
	body := modeltest.Body().Opset("", 17).Param("what").
		Node("Optional", nil, []string{"r"}, modeltest.Ref("type", "what", onnxgraph.AttributeTypeProto)).Output("r")
	m := modeltest.New(17).Opset("local", 1).Function("local", "F", body)
	for name, d := range map[string]onnxgraph.DType{"a": onnxgraph.Float, "b": onnxgraph.Int64} {
		m.Node("F", nil, []string{name}, modeltest.Domain("local"),
			modeltest.TypeAttr("what", &onnxgraph.Type{Kind: onnxgraph.KindTensor, DType: d}))
	}
	r, err := shapeinfer.Infer(m.Output("a", "b").Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "OPTIONAL(FLOAT)", "b": "OPTIONAL(INT64)"} {
		if fact, _ := r.Lookup(name); fact.Type.Name() != want {
			t.Errorf("%s is %s, want %s", name, fact.Type.Name(), want)
		}
	}
}

// TestBindReachesElementsAndBounds: the elements of a sequence and the bounds
// of sizes that only a run knows are bound as the types are.
func TestBindReachesElementsAndBounds(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, "n", 4).
		Node("SequenceConstruct", []string{"x"}, []string{"s"}).
		Node("NonZero", []string{"x"}, []string{"places"}).Output("s", "places")
	open, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := open.Bind(map[string]int64{"n": 3})
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := r.Lookup("s"); len(s.Items) != 1 || s.Items[0].String() != "FLOAT[3,4]" {
		t.Errorf("the elements are %v, want FLOAT[3,4]", s.Items)
	}
	places, _ := r.Lookup("places")
	if top, ok := places.Type.Shape.At(1).Upper(); !ok || top != 12 {
		t.Errorf("at most %d, %v elements are not zero, want 12", top, ok)
	}
}

// TestElementTypesThatAreNone: a stored tensor of a type below or beyond those
// of the format is an error of the file, and no more.
func TestElementTypesThatAreNone(t *testing.T) {
	for _, d := range []onnxgraph.DType{-1, 31, 99} {
		m := modeltest.New(17).Input("x", onnxgraph.Float, 2).InitRaw("w", d, []int64{2}, make([]byte, 8)).
			Node("Add", []string{"x", "w"}, []string{"y"}).Output("y")
		r, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != "data-type" {
			t.Errorf("type %d: diagnostics %v, want one about the stored tensor", d, r.Diagnostics)
		}
	}
}
