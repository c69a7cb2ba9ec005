package liveness_test

import (
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/compute"
	"onnxmem/report/memory/liveness"
	"onnxmem/shapeinfer"
)

func program(t *testing.T, b *modeltest.Builder, opts liveness.Options) *liveness.Program {
	t.Helper()
	r, err := shapeinfer.Infer(b.Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Diagnostics {
		if d.Severity == shapeinfer.Error {
			t.Fatal(d)
		}
	}
	return liveness.NewProgram(r, opts)
}

func checkPeak(t *testing.T, p *liveness.Program, peak, sum int64, node string) {
	t.Helper()
	got := p.Peak()
	if n, ok := got.Size.Exact(); !ok || n != peak {
		t.Errorf("peak %v, is %d", got.Size, peak)
	}
	if n, ok := p.Sum().Exact(); !ok || n != sum {
		t.Errorf("sum %v, is %d", p.Sum(), sum)
	}
	if label, _ := p.PeakLabel(got.Step); label != node {
		t.Errorf("peak at %q, is at %q", label, node)
	}
}

func named(name string) modeltest.NodeOption { return modeltest.NodeName(name) }

// x [100] floats, 400 bytes. a = Relu(x), reshaped to b, whose storage is a's;
// c = Relu(b). While c is made, a and c are alive: 800. Sum: a, b, c = 1200.
func TestViewsKeepTheirStorage(t *testing.T) {
	p := program(t, modeltest.New(17).Input("x", onnxgraph.Float, 100).Init("shape", []int64{2}, []int64{10, 10}).
		Node("Relu", []string{"x"}, []string{"a"}, named("first")).
		Node("Reshape", []string{"a", "shape"}, []string{"b"}, named("view")).
		Node("Relu", []string{"b"}, []string{"c"}, named("last")).Output("c"), liveness.Options{})
	checkPeak(t, p, 800, 1200, "last")
	if live := p.LiveAt(p.Peak().Step); len(live) != 2 || live[0].Name != "a" || live[0].NeededBy != "last" || live[1].NeededBy != "output" {
		t.Errorf("alive at the peak: %+v", live)
	}
}

// The same chain in place: Relu writes over its dying input, but not over the
// graph's input; the last one is an output of its own.
func TestInPlace(t *testing.T) {
	b := modeltest.New(17).Input("x", onnxgraph.Float, 100)
	for _, pair := range [][2]string{{"x", "a"}, {"a", "b"}, {"b", "c"}, {"c", "y"}} {
		b.Node("Relu", []string{pair[0]}, []string{pair[1]}, named(pair[1]))
	}
	p := program(t, b.Output("y"), liveness.Options{InPlace: true})
	if n, _ := p.Peak().Size.Exact(); n != 800 { // one buffer for a, b, c, and y
		t.Errorf("peak %d, is 800", n)
	}
}

// If: a [100] is alive outside for the Add behind it. The then branch makes t1
// and t2 (400 each), of which t2 is the result; the else branch makes one.
// While t2 is made, a, t1, t2 are alive: 1200, and so are a, y and z at the Add.
// Sum: a, y, z and the larger branch's t1, t2: 2000.
func TestIfTakesTheWorstBranch(t *testing.T) {
	then := modeltest.Body().Node("Relu", []string{"a"}, []string{"t1"}, named("one")).
		Node("Relu", []string{"t1"}, []string{"t2"}, named("two")).Output("t2")
	other := modeltest.Body().Node("Relu", []string{"a"}, []string{"e"}).Output("e")
	p := program(t, modeltest.New(17).Input("x", onnxgraph.Float, 100).Input("c", onnxgraph.Bool).
		Node("Relu", []string{"x"}, []string{"a"}).
		Node("If", []string{"c"}, []string{"y"}, named("if"), modeltest.Subgraph("then_branch", then), modeltest.Subgraph("else_branch", other)).
		Node("Add", []string{"a", "y"}, []string{"z"}, named("add")).Output("z"), liveness.Options{})
	checkPeak(t, p, 1200, 2000, "if/then_branch/two")
}

// Loop: five turns carry v [100] and collect s [100] a turn. Its outputs are
// the last v, 400, and s of all turns, 5 * 400 = 2000. A turn makes w and s, 400
// each, beside its condition, 1: all outputs of the body, alive at its end. The
// initial v is the graph's input.
func TestLoopCountsABodyOnceWithItsResults(t *testing.T) {
	body := modeltest.Body().Input("i", onnxgraph.Int64).Input("cin", onnxgraph.Bool).Input("v", onnxgraph.Float, 100).
		Node("Identity", []string{"cin"}, []string{"cout"}).
		Node("Relu", []string{"v"}, []string{"w"}).
		Node("Relu", []string{"w"}, []string{"s"}, named("scan")).Output("cout", "w", "s")
	p := program(t, modeltest.New(17).Input("x", onnxgraph.Float, 100).Init("five", nil, []int64{5}).
		Node("Loop", []string{"five", "", "x"}, []string{"y", "all"}, named("loop"), modeltest.Subgraph("body", body)).
		Output("y", "all"), liveness.Options{})
	checkPeak(t, p, 400+2000+400+400, 400+2000+1+400+400, "loop/body/scan")
	if w := compute.Count(p); w.Elementwise != 5*200 || w.BytesOpen {
		t.Errorf("%d elements, is 1000", w.Elementwise)
	}
}

// A function's body counts at each call: f makes two tensors of 400. In the
// second call its input y and both are alive: 1200 at no time, since y dies
// after the first Relu: y, a then a, z: 800. Sum: 4 * 400.
func TestFunctionBodiesCountAtEachCall(t *testing.T) {
	f := modeltest.Body().Opset("", 17).Inputs("in").Node("Relu", []string{"in"}, []string{"a"}, named("r1")).
		Node("Relu", []string{"a"}, []string{"out"}, named("r2")).Output("out")
	p := program(t, modeltest.New(17).Opset("my", 1).Function("my", "f", f).Input("x", onnxgraph.Float, 100).
		Node("f", []string{"x"}, []string{"y"}, modeltest.Domain("my"), named("call1")).
		Node("f", []string{"y"}, []string{"z"}, modeltest.Domain("my"), named("call2")).Output("z"), liveness.Options{})
	checkPeak(t, p, 800, 1600, "call1/r2")
	if len(p.Steps) != 4 || p.Steps[3].Label() != "call2/r2" {
		t.Errorf("%d steps", len(p.Steps))
	}
}

// Shapes of a known size are no activations; what is made of them and a real
// input is. Expand makes 12 floats.
func TestKnownValuesAreNoActivations(t *testing.T) {
	p := program(t, modeltest.New(17).Input("x", onnxgraph.Float, 3, 4).Input("s", onnxgraph.Float).
		Node("Shape", []string{"x"}, []string{"shape"}).
		Node("Expand", []string{"s", "shape"}, []string{"y"}, named("expand")).Output("y"), liveness.Options{})
	checkPeak(t, p, 48, 48, "expand")
}

// A dim that run-time values decide is bounded: NonZero of [2,3] finds at most
// 6 elements, at 2 indices of 8 bytes each.
func TestBoundedSizes(t *testing.T) {
	p := program(t, modeltest.New(17).Input("x", onnxgraph.Float, 2, 3).
		Node("NonZero", []string{"x"}, []string{"y"}).Output("y"), liveness.Options{})
	s := p.Peak().Size
	if most, ok := s.AtMost(); !ok || most != 96 || s.Low != 0 {
		t.Errorf("%+v, is 0 to 96", s)
	}
	if _, ok := s.Exact(); ok {
		t.Error("a bound passes for a size")
	}
}

// Scan over axis -1 of x [2,3,7]: seven turns of one element each, of [2,3].
func TestScanRunsAlongItsAxis(t *testing.T) {
	body := modeltest.Body().Input("state", onnxgraph.Float, 2, 3).Input("part", onnxgraph.Float, 2, 3).
		Node("Add", []string{"state", "part"}, []string{"next"}).Output("next")
	p := program(t, modeltest.New(17).Input("start", onnxgraph.Float, 2, 3).Input("x", onnxgraph.Float, 2, 3, 7).
		Node("Scan", []string{"start", "x"}, []string{"y"}, modeltest.Int("num_scan_inputs", 1), modeltest.Ints("scan_input_axes", -1), modeltest.Subgraph("body", body)).
		Output("y"), liveness.Options{})
	if n := p.Steps[0].Bodies[0].Trips; n != 7 {
		t.Errorf("%d turns, is 7", n)
	}
}
