package catalogue_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/tensor"
)

// A graphCase is a small model and the types that its text gives some values.
type graphCase struct {
	clause string
	model  *modeltest.Builder
	want   map[string]string // as in layerCase; shape ** is an unknown rank
	fail   string
}

func runGraphs(t *testing.T, cases []graphCase) {
	for _, g := range cases {
		t.Run(g.clause, func(t *testing.T) {
			r, err := shapeinfer.Infer(g.model.Model(t), shapeinfer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			failed := ""
			for _, d := range r.Diagnostics {
				if d.Severity == shapeinfer.Error && failed == "" {
					failed = d.Code
					if g.fail == "" {
						t.Errorf("unexpected error %s", d.Message)
					}
				}
			}
			if failed != g.fail {
				t.Errorf("error %q, want %q", failed, g.fail)
			}
			for name, want := range g.want {
				fact, ok := r.Lookup(name)
				if !ok {
					t.Errorf("no value %q", name)
				}
				inner, _ := fact.Type.Tensor()
				if want == fact.Type.Name()+"[**]" && !inner.Shape.Ranked() {
					continue
				}
				if got := fact.Type; !sameType(t, tensor.Of(inner.DType, inner.Shape), elementType(want)) || !hasName(got, want) {
					t.Errorf("%s is %s, want %s", name, got, want)
				}
			}
		})
	}
}

// elementType is FLOAT[n] of SEQUENCE(FLOAT)[n].
func elementType(want string) string {
	for _, head := range []string{"SEQUENCE(", "OPTIONAL("} {
		if len(want) > len(head) && want[:len(head)] == head {
			rest := want[len(head):]
			for i, c := range rest {
				if c == ')' {
					return rest[:i] + rest[i+1:]
				}
			}
		}
	}
	return want
}

func hasName(t tensor.Type, want string) bool {
	name := t.Name()
	return len(want) > len(name) && want[:len(name)] == name && want[len(name)] == '['
}

const (
	float = onnxgraph.Float
	i64   = onnxgraph.Int64
	boole = onnxgraph.Bool
)

func names(list ...string) []string { return list }

// turn is the body of a loop with one state: (i, c, s) -> (c, next, scanned).
func turn(state *onnxgraph.Type, scanned ...string) *modeltest.Builder {
	return modeltest.Body().Input("i", i64).Input("c", boole).InputOf("s", state).
		Node("Identity", names("c"), names("again")).
		Output(append(names("again", "next"), scanned...)...)
}

func TestLoops(t *testing.T) {
	vector := modeltest.Unranked(float)
	constant := func(n int64) *modeltest.Builder {
		return modeltest.New(17).Init("m", []int64{}, []int64{n}).Init("yes", []int64{}, []bool{true}).Input("x", float, "n", 4)
	}
	runtime := func() *modeltest.Builder {
		return modeltest.New(17).Input("m", i64).Init("yes", []int64{}, []bool{true}).Input("x", float, "n", 4)
	}
	grow := turn(vector).Node("Concat", names("s", "x"), names("next"), modeltest.Int("axis", 0))
	keep := turn(vector, "part").Node("Relu", names("s"), names("next")).Node("Identity", names("s"), names("part"))
	run := func(b *modeltest.Builder, body *modeltest.Builder, outputs ...string) *modeltest.Builder {
		return b.Node("Loop", names("m", "yes", "x"), outputs, modeltest.Subgraph("body", body)).Output(outputs...)
	}
	item := modeltest.SequenceOf(modeltest.Unranked(float))
	collect := modeltest.Body().Input("i", i64).Input("c", boole).InputOf("s", item).
		Node("Identity", names("c"), names("again")).
		Node("SequenceInsert", names("s", "x"), names("next")).Output("again", "next")
	collected := func(b *modeltest.Builder) *modeltest.Builder {
		return b.Node("SequenceEmpty", nil, names("none")).
			Node("Loop", names("m", "yes", "none"), names("all"), modeltest.Subgraph("body", collect)).
			Node("ConcatFromSequence", names("all"), names("joined"), modeltest.Int("axis", 0)).Output("joined")
	}
	// Each turn keeps the rows that are not zero: as many as the data say, and
	// other ones each turn.
	shrink := turn(vector, "count").
		Node("NonZero", names("s"), names("where")).
		Node("Shape", names("where"), names("count")).
		Node("Gather", names("where", "zero"), names("rows")).
		Node("Gather", names("s", "rows"), names("kept")).
		Node("Concat", names("s", "kept"), names("next"), modeltest.Int("axis", 0))
	outer := turn(vector).Node("Loop", names("m", "yes", "s"), names("next"),
		modeltest.Subgraph("body", modeltest.Body().Input("j", i64).Input("d", boole).InputOf("u", vector).
			Node("Identity", names("d"), names("more")).
			Node("Concat", names("u", "x"), names("v"), modeltest.Int("axis", 0)).Output("more", "v")))
	// IR spec, before version 4: an initializer's name is among the inputs too.
	stored := turn(vector).Input("k", float, 1).Init("k", []int64{1}, []float32{2}).Node("Mul", names("s", "k"), names("next"))
	runGraphs(t, []graphCase{
		{clause: "the body declares another type", model: run(constant(3), turn(modeltest.Unranked(i64)).Node("Identity", names("s"), names("next")), "last"), fail: "type"},
		{clause: "an input of the body that an initializer fills is not the node's", model: run(constant(3), stored, "last"), want: map[string]string{"last": "FLOAT[n,4]"}},
		{clause: "a steady state keeps its dims", model: run(runtime(), keep, "last", "parts"), want: map[string]string{"last": "FLOAT[n,4]", "parts": "FLOAT[parts_dim0,n,4]"}},
		{clause: "scan outputs have the trip count in front", model: run(constant(7), keep, "last", "parts"), want: map[string]string{"parts": "FLOAT[7,n,4]"}},
		{clause: "no turn", model: run(constant(0), keep, "last", "parts"), want: map[string]string{"last": "FLOAT[n,4]", "parts": "FLOAT[0,n,4]"}},
		// n rows, and n more in each of 3 turns.
		{clause: "a state that grows is a symbol, with a bound where few turns are followed", model: run(constant(3), grow, "last"), want: map[string]string{"last": "FLOAT[last_dim0,4]"}},
		{clause: "a growing dim is fresh", model: run(runtime(), grow, "last"), want: map[string]string{"last": "FLOAT[last_dim0,4]"}},
		{clause: "many turns are not followed", model: run(constant(1000), grow, "last"), want: map[string]string{"last": "FLOAT[last_dim0,4]"}},
		{clause: "a sequence filled in few turns", model: collected(constant(3)), want: map[string]string{"all": "SEQUENCE(FLOAT)[n,4]", "joined": "FLOAT[3*n,4]"}},
		{clause: "a sequence filled in any turns", model: collected(runtime()), want: map[string]string{"all": "SEQUENCE(FLOAT)[n,4]", "joined": "FLOAT[joined_dim0,4]"}},
		{clause: "sizes of one turn are not those of the next", model: run(constant(3).Init("zero", []int64{}, []int64{0}), shrink, "last", "counts"), want: map[string]string{"last": "FLOAT[last_dim0,4]", "counts": "INT64[3,2]"}},
		{clause: "loops in loops", model: run(constant(2), outer, "last"), want: map[string]string{"last": "FLOAT[last_dim0,4]"}},
		{clause: "a state keeps its element type", model: run(constant(2), turn(vector).Node("Cast", names("s"), names("next"), modeltest.Int("to", 11)), "last"), fail: "type"},
	})
}

func TestLoopConditions(t *testing.T) {
	body := modeltest.Body().Input("i", i64).Input("c", boole).Input("s", float, "n").
		Node("ReduceSum", names("s"), names("sum"), modeltest.Int("keepdims", 0)).
		Node("Greater", names("sum", "one"), names("again")).
		Node("Identity", names("s"), names("next")).Node("Identity", names("s"), names("part")).
		Output("again", "next", "part")
	b := func(trips string) *modeltest.Builder {
		return modeltest.New(17).Input("x", float, "n").Init("five", []int64{}, []int64{5}).Init("no", []int64{}, []bool{false}).
			Init("one", []int64{}, []float32{1}).
			Node("Loop", names(trips, "", "x"), names("last", "parts"), modeltest.Subgraph("body", body)).
			Node("Loop", names(trips, "no", "x"), names("first", "none"), modeltest.Subgraph("body", body)).
			Output("last", "parts", "first", "none")
	}
	runGraphs(t, []graphCase{
		{clause: "until a condition that the data decide", model: b(""), want: map[string]string{"last": "FLOAT[n]", "parts": "FLOAT[parts_dim0,n]"}},
		{clause: "or five times at most", model: b("five"), want: map[string]string{"parts": "FLOAT[parts_dim0,n]"}},
		{clause: "a condition that is false from the start", model: b("five"), want: map[string]string{"first": "FLOAT[n]", "none": "FLOAT[0,n]"}},
	})
	r, err := shapeinfer.Infer(b("five").Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fact, _ := r.Lookup("parts")
	if most, ok := fact.Type.Shape.At(0).Upper(); !ok || most != 5 {
		t.Errorf("at most %d turns, want 5", most)
	}
	if r.Main.Nodes[1].Subgraphs[0] != nil {
		t.Error("a body that never runs is recorded")
	}
}

func TestBranches(t *testing.T) {
	branch := func(op string, inputs ...string) *modeltest.Builder {
		return modeltest.Body().Node(op, inputs, names("b"), modeltest.Int("axis", 0)).Output("b")
	}
	twice, once := branch("Concat", "x", "x"), modeltest.Body().Node("Relu", names("x"), names("b")).Output("b")
	b := func(then, other *modeltest.Builder) *modeltest.Builder {
		return modeltest.New(17).Input("x", float, "n", 4).Input("p", boole).Init("yes", []int64{}, []bool{true}).
			Node("If", names("p"), names("y"), modeltest.Subgraph("then_branch", then), modeltest.Subgraph("else_branch", other)).
			Node("If", names("yes"), names("z"), modeltest.Subgraph("then_branch", then), modeltest.Subgraph("else_branch", other)).
			Output("y", "z")
	}
	flat := modeltest.Body().Node("Flatten", names("x"), names("f"), modeltest.Int("axis", 0)).Node("Squeeze", names("f", "front"), names("b")).Output("b")
	runGraphs(t, []graphCase{
		{clause: "equal dims stay", model: b(twice, once), want: map[string]string{"y": "FLOAT[y_dim0,4]", "z": "FLOAT[2*n,4]"}},
		{clause: "ranks that differ", model: b(flat, once).Init("front", []int64{1}, []int64{0}), want: map[string]string{"y": "FLOAT[**]", "z": "FLOAT[4*n]"}},
		{clause: "types that differ", model: b(once, modeltest.Body().Node("Shape", names("x"), names("b")).Output("b")), fail: "type"},
	})
}

func TestScans(t *testing.T) {
	body := func() *modeltest.Builder {
		return modeltest.Body().InputOf("s", modeltest.Unranked(float)).InputOf("e", modeltest.Unranked(float)).
			Node("Add", names("s", "e"), names("t")).Node("Identity", names("t"), names("o")).Output("t", "o")
	}
	b := func(opset int64, inputs []string, attributes ...modeltest.NodeOption) *modeltest.Builder {
		attributes = append(attributes, modeltest.Int("num_scan_inputs", 1), modeltest.Subgraph("body", body()))
		return modeltest.New(opset).Input("init", float, "b", 3).Input("one", float, 3).Input("x", float, "b", "t", 3).
			Node("Scan", inputs, names("last", "all"), attributes...).Output("last", "all")
	}
	ints := modeltest.Ints
	runGraphs(t, []graphCase{
		{clause: "batch and time in version 8", model: b(8, names("", "init", "x")), want: map[string]string{"last": "FLOAT[b,3]", "all": "FLOAT[b,t,3]"}},
		{clause: "an axis in, another out", model: b(16, names("init", "x"), ints("scan_input_axes", -2), ints("scan_output_axes", -1)), want: map[string]string{"last": "FLOAT[b,3]", "all": "FLOAT[b,3,t]"}},
		// The elements [t,3] meet a state [b,3], which must stay as it is.
		{clause: "axis 0 by default, and a state keeps its shape", model: b(16, names("init", "x")), want: map[string]string{"last": "FLOAT[b,3]"}},
		{clause: "an axis for each output of the body", model: b(16, names("init", "x"), ints("scan_output_axes", -1, -1)), fail: "attribute"},
		{clause: "forward or backward", model: b(16, names("init", "x"), ints("scan_input_directions", 4)), fail: "attribute"},
		{clause: "states are not left out", model: b(16, names("", "x")), fail: "arity"},
		{clause: "a state keeps its rank", model: b(16, names("one", "x"), ints("scan_input_axes", 1)), fail: "shape"},
	})
}

func TestSequences(t *testing.T) {
	b := modeltest.New(17).Input("x", float, 10, "n").Input("y", float, 4, "n").Input("where", i64).
		Init("four", []int64{}, []int64{4}).Init("two", []int64{}, []int64{2}).Init("sizes", []int64{2}, []int64{3, 7}).
		// 10 rows in chunks of 4 are 4, 4 and 2.
		Node("SplitToSequence", names("x", "four"), names("chunks")).
		Node("SequenceAt", names("chunks", "two"), names("third")).
		Node("SequenceAt", names("chunks", "where"), names("some")).
		Node("SequenceLength", names("chunks"), names("length")).
		Node("Tile", names("four1", "length1"), names("fours")).
		Node("SplitToSequence", names("x", "sizes"), names("parts")).
		Node("SequenceInsert", names("parts", "y", "two"), names("three")).
		Node("SequenceErase", names("three"), names("pair")).
		Node("ConcatFromSequence", names("three"), names("joined"), modeltest.Int("axis", 0)).
		Node("SplitToSequence", names("x"), names("rows"), modeltest.Int("keepdims", 0)).
		Node("ConcatFromSequence", names("rows"), names("stacked"), modeltest.Int("axis", -1), modeltest.Int("new_axis", 1)).
		Node("SequenceMap", names("parts"), names("doubled"), modeltest.Subgraph("body",
			modeltest.Body().InputOf("e", modeltest.Unranked(float)).Node("Concat", names("e", "e"), names("ee"), modeltest.Int("axis", 0)).Output("ee"))).
		Node("ConcatFromSequence", names("doubled"), names("twice"), modeltest.Int("axis", 0)).
		Init("four1", []int64{1}, []int64{4}).Init("axis", []int64{1}, []int64{0}).
		Node("Unsqueeze", names("length", "axis"), names("length1")).
		Node("Optional", names("x"), names("maybe")).
		Node("OptionalGetElement", names("maybe"), names("again"))
	runGraphs(t, []graphCase{{clause: "elements one by one", model: b, want: map[string]string{
		"chunks": "SEQUENCE(FLOAT)[?,n]", "third": "FLOAT[2,n]", "some": "FLOAT[some_dim0,n]", "fours": "INT64[3]",
		"parts": "SEQUENCE(FLOAT)[?,n]", "joined": "FLOAT[14,n]", "pair": "SEQUENCE(FLOAT)[?,n]",
		"rows": "SEQUENCE(FLOAT)[n]", "stacked": "FLOAT[n,10]", "twice": "FLOAT[20,n]",
		"maybe": "OPTIONAL(FLOAT)[10,n]", "again": "FLOAT[10,n]",
	}}})
}
