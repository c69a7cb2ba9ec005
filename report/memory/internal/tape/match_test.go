package tape_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report/memory/internal/tape"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
)

// A matchCase is a graph after y = x w, of 2x4x8 floats, and what it must
// become on the tape: a group of the framework's operators, or, where it misses
// a pattern by one thing, the operators as they are written.
type matchCase struct {
	name  string
	nodes string // a line a node: output = Operator inputs, name=attribute ...
	want  string // autograd nodes after that of y, or asWritten
}

const asWritten = "as written"

// testMatches puts each graph on the tape.
func testMatches(t *testing.T, opts tape.Options, cases []matchCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plain := opts
			plain.NoFusion = true
			m := graphOf(t, c.nodes)
			got, written := kinds(t, m, opts), kinds(t, m, plain)
			want := c.want
			if want == asWritten {
				want = written
			} else if want == written {
				t.Fatalf("the graph is %q as it is written, so this tests nothing", want)
			}
			if got != want {
				t.Errorf("it is %q, must be %q", got, want)
			}
		})
	}
}

// record puts a model on a tape.
func record(t *testing.T, m *modeltest.Builder, opts tape.Options) *tape.Tape {
	t.Helper()
	r, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.HasErrors() {
		t.Fatal(r.Diagnostics)
	}
	recorded, err := tape.Record(r, weights.Collect(r.Program, weights.Options{}), opts)
	if err != nil {
		t.Fatal(err)
	}
	return recorded
}

// kinds are the autograd nodes of a model, without that of y.
func kinds(t *testing.T, m *modeltest.Builder, opts tape.Options) string {
	t.Helper()
	var list []string
	for _, o := range record(t, m, opts).Ops {
		if o.Kind != "" {
			list = append(list, o.Kind)
		}
	}
	return strings.Join(list[1:], " ")
}

// stored are the tensors that graphs are written with.
var stored = map[string]float32{
	"half": .5, "one": 1, "two": 2, "three": 3, "five": 5, "six": 6, "zero": 0, "minus": -1, "root2": 1.4142135, "rroot2": .70710678,
	"k": .044715, "root2pi": .7978846, "eps": 1e-5, "sixth": 1. / 6, "scale": .5,
}

// graphOf is a graph of the given nodes after y = x w. Values that no node reads
// are its outputs.
func graphOf(t *testing.T, nodes string) *modeltest.Builder {
	t.Helper()
	m := modeltest.New(13).Input("x", onnxgraph.Float, 2, 4, 8).Input("other", onnxgraph.Float, 2, 4, 8).
		InitZeros("w", onnxgraph.Float, 8, 8).InitZeros("bias", onnxgraph.Float, 8).InitZeros("gain", onnxgraph.Float, 8).
		Node("MatMul", []string{"x", "w"}, []string{"y"})
	for name, v := range stored {
		m.Init(name, nil, []float32{v})
	}
	var made []string
	read := map[string]bool{}
	for line := range strings.Lines(nodes) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 3 || fields[1] != "=" {
			t.Fatalf("%q is no node", line)
		}
		if addInput(t, m, fields) {
			continue
		}
		var inputs []string
		var attributes []modeltest.NodeOption
		for _, f := range fields[3:] {
			if name, value, ok := strings.Cut(f, "="); ok {
				attributes = append(attributes, attribute(t, name, value))
				continue
			}
			inputs = append(inputs, strings.TrimSuffix(f, "_")) // "_" leaves an input out
			read[f] = true
		}
		m.Node(fields[2], inputs, []string{fields[0]}, attributes...)
		made = append(made, fields[0])
	}
	for _, name := range made {
		if !read[name] {
			m.Output(name)
		}
	}
	return m
}

// addInput adds what is no node: name = input 2 3, weight 2 3 or ints 2 3.
func addInput(t *testing.T, m *modeltest.Builder, fields []string) bool {
	t.Helper()
	numbers := func() (list []int64) {
		for _, f := range fields[3:] {
			list = append(list, number(t, f))
		}
		return list
	}
	switch name := fields[0]; fields[2] {
	case "input":
		var dims []any
		for _, n := range numbers() {
			dims = append(dims, n)
		}
		m.Input(name, onnxgraph.Float, dims...)
	case "tokens":
		var dims []any
		for _, n := range numbers() {
			dims = append(dims, n)
		}
		m.Input(name, onnxgraph.Int64, dims...)
	case "weight":
		m.InitZeros(name, onnxgraph.Float, numbers()...)
	case "ints":
		list := numbers()
		m.Init(name, []int64{int64(len(list))}, list)
	default:
		return false
	}
	return true
}

// attribute reads 3, 3,4 or 0.5.
func attribute(t *testing.T, name, value string) modeltest.NodeOption {
	t.Helper()
	if slices.Contains([]string{"axes", "perm"}, name) {
		var list []int64
		for f := range strings.SplitSeq(value, ",") {
			list = append(list, number(t, f))
		}
		return modeltest.Ints(name, list...)
	}
	if strings.Contains(value, ".") {
		f, err := strconv.ParseFloat(value, 32)
		if err != nil {
			t.Fatal(err)
		}
		return modeltest.Float(name, float32(f))
	}
	return modeltest.Int(name, number(t, value))
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
