package shapeinfer_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
)

// allocatedBy is how many bytes f allocates.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// nested wraps a body in loops whose nodes have long names.
func nested(depth int, name string, body func(*modeltest.Builder) *modeltest.Builder) *modeltest.Builder {
	b := body(modeltest.Body())
	for range depth {
		b = modeltest.Body().Node("If", []string{"c"}, []string{"r"}, modeltest.NodeName(name),
			modeltest.Subgraph("then_branch", b), modeltest.Subgraph("else_branch", modeltest.Body().Node("Identity", []string{"x"}, []string{"r"}).Output("r"))).Output("r")
	}
	return b
}

// callTree is a tree of functions whose calls all differ: what they are given
// gets longer by another number.
func callTree(levels, calls int) *modeltest.Builder {
	m := modeltest.New(17).Opset("local", 1).Input("x", onnxgraph.Float, "n")
	m.Function("local", "F0", modeltest.Body().Opset("", 17).Inputs("v").Node("Relu", []string{"v"}, []string{"r"}).Output("r"))
	longer := int64(1)
	for level := 1; level <= levels; level++ {
		f := modeltest.Body().Opset("", 17).Inputs("v")
		for k := range int64(calls) {
			size, more, padded, result := fmt.Sprint("s", k), fmt.Sprint("m", k), fmt.Sprint("p", k), fmt.Sprint("q", k)
			f.Constant(size, []int64{1}, []int64{k * longer}).Node("ConstantOfShape", []string{size}, []string{more}).
				Node("Concat", []string{"v", more}, []string{padded}, modeltest.Int("axis", 0)).
				Node(fmt.Sprint("F", level-1), []string{padded}, []string{result}, modeltest.Domain("local"))
		}
		longer *= int64(calls)
		m.Function("local", fmt.Sprint("F", level), f.Output("q0"))
	}
	return m.Node(fmt.Sprint("F", levels), []string{"x"}, []string{"y"}, modeltest.Domain("local")).Output("y")
}

// TestBudget: what a file of at most a megabyte makes inference allocate stays
// below 128 MiB, and what the budget cuts off is unknown and says
// why.
func TestBudget(t *testing.T) {
	const mebibyte = 1 << 20
	ranks := make([]any, 4000)
	order := make([]int64, len(ranks))
	names := make([]any, len(ranks))
	for i := range ranks {
		ranks[i], order[i], names[i] = 1, int64(len(ranks)-1-i), fmt.Sprint("s", i)
	}
	chain := func(m *modeltest.Builder, n int, add func(in, out string)) *modeltest.Builder {
		for i := range n {
			add(fmt.Sprint("v", i), fmt.Sprint("v", i+1))
		}
		return m.Output(fmt.Sprint("v", n))
	}
	transposes := modeltest.New(17).Input("v0", onnxgraph.Float, ranks...)
	chain(transposes, 20, func(in, out string) {
		transposes.Node("Transpose", []string{in}, []string{out}, modeltest.Ints("perm", order...))
	})
	unsqueezes := modeltest.New(17).Input("v0", onnxgraph.Float, ranks...).Init("axes", []int64{1}, []int64{0})
	chain(unsqueezes, 3000, func(in, out string) { unsqueezes.Node("Unsqueeze", []string{in, "axes"}, []string{out}) })
	products := modeltest.New(17).Input("x", onnxgraph.Float, names...).Init("flat", []int64{1}, []int64{-1})
	chain(products, 500, func(_, out string) { products.Node("Reshape", []string{"x", "flat"}, []string{out}) })
	values := modeltest.New(17).Init("n", []int64{1}, []int64{4096}).Node("ConstantOfShape", []string{"n"}, []string{"v0"}, modeltest.TensorAttr("value", modeltest.NewTensor("", []int64{1}, []int64{7})))
	chain(values, 3000, func(in, out string) { values.Node("Add", []string{in, in}, []string{out}) })
	sequences := modeltest.New(17).Input("x", onnxgraph.Float, 2).Node("SequenceEmpty", nil, []string{"v0"})
	chain(sequences, 3000, func(in, out string) { sequences.Node("SequenceInsert", []string{in, "x"}, []string{out}) })
	manyNonZero := func(b *modeltest.Builder) *modeltest.Builder {
		for i := range 500 {
			b.Node("NonZero", []string{"x"}, []string{fmt.Sprint("z", i)})
		}
		return b.Node("Identity", []string{"x"}, []string{"r"}).Output("r")
	}
	paths := modeltest.New(17).Input("x", onnxgraph.Float, 2).Input("c", onnxgraph.Bool).
		Node("If", []string{"c"}, []string{"y"}, modeltest.Subgraph("then_branch", nested(20, strings.Repeat("n", 30_000), manyNonZero)),
			modeltest.Subgraph("else_branch", modeltest.Body().Node("Identity", []string{"x"}, []string{"r"}).Output("r"))).Output("y")
	wrong := modeltest.New(17).Input("x", onnxgraph.Float, ranks...).Input("w", onnxgraph.Float, 2)
	chain(wrong, 5000, func(_, out string) { wrong.Node("MatMul", []string{"w", "w", "x", "x", "x"}, []string{out}) })
	empty := modeltest.New(17).Input("x", onnxgraph.Float, 2).Node("Relu", []string{"x"}, []string{"y"}).Output("y")
	for range 30_000 {
		empty.InitTensor(modeltest.Tensor{})
	}
	for _, test := range []struct {
		clause string
		model  *modeltest.Builder
		code   string // that is given, if any
	}{
		{"transposes of 4,000 dims", transposes, ""},
		{"unsqueezes of 4,000 dims", unsqueezes, "too-much-work"},
		{"products of 4,000 symbols", products, "too-much-work"},
		{"3,000 values of 4,096 elements", values, ""},
		{"a sequence of 3,000 elements", sequences, ""},
		{"symbols in bodies below nodes of long names", paths, ""},
		{"5,000 nodes that break their rule", wrong, "arity"},
		{"30,000 initializers without a name", empty, "data-type"},
		{"a tree of 4^9 calls", callTree(9, 4), "too-much-work"},
	} {
		t.Run(test.clause, func(t *testing.T) {
			p := onnxgraph.Resolve(test.model.Model(t))
			var r *shapeinfer.Result
			allocated := allocatedBy(func() {
				var err error
				if r, err = shapeinfer.InferProgram(p, shapeinfer.Options{}); err != nil {
					t.Fatal(err)
				}
			})
			t.Logf("%d MiB", allocated/mebibyte)
			if allocated > 128*mebibyte {
				t.Errorf("%d MiB allocated", allocated/mebibyte)
			}
			if len(r.Diagnostics) > 1100 {
				t.Errorf("%d diagnostics", len(r.Diagnostics))
			}
			has := slices.ContainsFunc(r.Diagnostics, func(d shapeinfer.Diagnostic) bool { return d.Code == test.code })
			if test.code != "" && !has {
				t.Errorf("no diagnostic %s", test.code)
			}
			for _, out := range r.Main.Graph.Outputs {
				if fact := r.Main.Fact(out); fact.Reason == "" && !fact.Type.Shape.Ranked() && fact.Type.Elem == nil {
					t.Error("an output is unknown without a reason")
				}
			}
		})
	}
}

// TestBudgetIsLinear: 200,000 nodes are followed to the end, in memory
// that grows as their number does.
func TestBudgetIsLinear(t *testing.T) {
	const nodes = 200_000
	m := modeltest.New(17).Input("v0", onnxgraph.Float, "batch", 8)
	for i := range nodes {
		m.Node("Relu", []string{fmt.Sprint("v", i)}, []string{fmt.Sprint("v", i+1)})
	}
	p := onnxgraph.Resolve(m.Output(fmt.Sprint("v", nodes)).Model(t))
	var r *shapeinfer.Result
	allocated := allocatedBy(func() {
		var err error
		if r, err = shapeinfer.InferProgram(p, shapeinfer.Options{}); err != nil {
			t.Fatal(err)
		}
	})
	if fact, _ := r.Lookup(fmt.Sprint("v", nodes)); fact.Type.String() != "FLOAT[batch,8]" {
		t.Errorf("the last output is %s", fact.Type)
	}
	if perNode := allocated / nodes; perNode > 600 {
		t.Errorf("%d bytes a node", perNode)
	}
}
