package shapeinfer_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/annotate"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/testdata/corpus"
)

// inferred infers a model of a file.
func inferred(t testing.TB, file []byte, opts shapeinfer.Options) (*onnxgraph.Model, *shapeinfer.Result) {
	t.Helper()
	m, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := shapeinfer.Infer(m, opts)
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

// annotated infers a model and writes its types back.
func annotated(t testing.TB, file []byte, opts shapeinfer.Options) []byte {
	t.Helper()
	m, r := inferred(t, file, opts)
	return written(t, file, m, r)
}

// written is a file with the types of its model.
func written(t testing.TB, file []byte, m *onnxgraph.Model, r *shapeinfer.Result) []byte {
	t.Helper()
	p, err := annotate.NewPlan(bytes.NewReader(file), m, r.Annotations())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := p.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// declared lists the types that a file declares, by list and name, as ours and
// onnx's tools print them.
func declared(t testing.TB, file []byte) map[string]string {
	t.Helper()
	m, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	list := func(where string, infos []*onnxgraph.ValueInfo) {
		for _, v := range infos {
			types[where+v.Name] = typeText(v.Type)
		}
	}
	var graph func(path string, g *onnxgraph.Graph)
	graph = func(path string, g *onnxgraph.Graph) {
		list(path+"in ", g.Inputs)
		list(path+"out ", g.Outputs)
		list(path+"value ", g.ValueInfos)
		for _, n := range g.Nodes {
			for _, a := range n.Attributes {
				if a.Graph != nil {
					graph(path+a.Name+"/", a.Graph)
				}
			}
		}
	}
	graph("", m.Graph)
	for _, f := range m.Functions {
		list(f.Name+" value ", f.ValueInfos)
	}
	return types
}

func typeText(t *onnxgraph.Type) string {
	if t == nil {
		return "none"
	}
	text := t.DType.String()
	if t.Elem != nil {
		text = "of " + typeText(t.Elem)
	}
	if t.Shape == nil {
		return text
	}
	text += "["
	for i, d := range t.Shape.Dims {
		if i > 0 {
			text += ","
		}
		switch {
		case d.HasValue:
			text += dim.Int(d.Value).String()
		case d.Param != "":
			text += d.Param
		default:
			text += "?"
		}
	}
	return text + "]"
}

// TestAnnotations holds the entries that a file gets against what the
// operators' definitions say.
func TestAnnotations(t *testing.T) {
	f := onnxgraph.Float
	loopBody := func() *modeltest.Builder {
		return modeltest.Body().Inputs("i", "go", "s").
			Node("Identity", []string{"go"}, []string{"go2"}).
			Node("Concat", []string{"s", "s"}, []string{"s2"}, modeltest.Int("axis", 0)).
			Node("Relu", []string{"x"}, []string{"r"}).
			Output("go2", "s2", "r")
	}
	for name, c := range map[string]struct {
		model *modeltest.Builder
		opts  shapeinfer.Options
		want  map[string]string // only what differs from the file
	}{
		"symbols, data and what is not known": {
			model: modeltest.New(17).Input("x", f, "n", 8).
				Node("Flatten", []string{"x"}, []string{"a"}, modeltest.Int("axis", 0)).
				Node("NonZero", []string{"x"}, []string{"b"}).
				Node("Unheard", []string{"x"}, []string{"c"}, modeltest.Domain("nobody")).
				Node("Relu", []string{"b"}, []string{"y"}).
				Output("y"),
			want: map[string]string{"value a": "FLOAT[1,8*n]", "value b": "INT64[2,b_dim1]", "out y": "INT64[2,b_dim1]"},
		},
		"entries that agree, say less and contradict": {
			model: modeltest.New(17).Input("x", f, "n", 8).Init("half", []int64{2}, []int64{-1, 16}).
				Node("Relu", []string{"x"}, []string{"a"}).
				Node("Relu", []string{"a"}, []string{"b"}).
				Node("Relu", []string{"b"}, []string{"c"}).
				Node("Concat", []string{"x", "x"}, []string{"d"}, modeltest.Int("axis", 0)).
				Node("Transpose", []string{"d"}, []string{"y"}).
				Value("a", f, "n", 8).Value("b", f, nil, 8).Value("c", f, 1, 8).Value("d", f, "n * 2", 8).
				TypedOutput("y", f, nil, "features"),
			// The output keeps the name that the file gives its dim.
			want: map[string]string{"value b": "FLOAT[n,8]", "value c": "FLOAT[n,8]", "out y": "FLOAT[8,features]"},
		},
		"bound symbols": {
			model: modeltest.New(17).Input("x", f, "n", 8).Input("z", f, nil, "m").
				Node("Relu", []string{"x"}, []string{"a"}).Value("a", f, "n", 8).
				Node("Relu", []string{"a"}, []string{"y"}).TypedOutput("y", f, "n", 8),
			opts: shapeinfer.Options{Dims: map[string]int64{"n": 4}},
			want: map[string]string{"in x": "FLOAT[4,8]", "value a": "FLOAT[4,8]", "out y": "FLOAT[4,8]"},
		},
		"bodies": {
			model: modeltest.New(17).Input("x", f, "n").Input("c", onnxgraph.Bool).
				Node("If", []string{"c"}, []string{"y"},
					modeltest.Subgraph("then_branch", modeltest.Body().Node("Relu", []string{"x"}, []string{"p"}).Node("Neg", []string{"p"}, []string{"q"}).Output("q")),
					modeltest.Subgraph("else_branch", modeltest.Body().Node("Exp", []string{"x"}, []string{"q"}).Output("q"))).
				Output("y"),
			want: map[string]string{"then_branch/value p": "FLOAT[n]", "then_branch/out q": "FLOAT[n]", "else_branch/out q": "FLOAT[n]", "out y": "FLOAT[n]"},
		},
		// Three turns are followed one by one; what is known of the last of them
		// is not true of the others. Twice the rows in each turn: 2, 4, 8, 16.
		"a loop that grows": {
			model: modeltest.New(17).Input("x", f, "n").Input("s0", f, 2, 3).Init("three", nil, []int64{3}).
				Node("Loop", []string{"three", "", "s0"}, []string{"y", "z"}, modeltest.Subgraph("body", loopBody())).
				Output("z"),
			want: map[string]string{"value y": "FLOAT[y_dim0,3]", "out z": "FLOAT[3,n]"},
		},
		"a function called once": {
			model: modeltest.New(17).Opset("d", 1).Input("x", f, "n").
				Function("d", "F", modeltest.Body().Opset("", 17).Inputs("a").Output("b").
					Node("Relu", []string{"a"}, []string{"h"}).Node("NonZero", []string{"h"}, []string{"b"})).
				Node("F", []string{"x"}, []string{"y"}, modeltest.Domain("d")).Output("y"),
			want: map[string]string{"F value a": "FLOAT[n]", "F value h": "FLOAT[n]", "F value b": "INT64[1,b_dim1]", "out y": "INT64[1,y_dim1]"},
		},
		// Two calls of one size each: the count of non-zeros is another in each.
		"a function called twice": {
			model: modeltest.New(17).Opset("d", 1).Input("x", f, "n").Input("z", f, "m").
				Function("d", "F", modeltest.Body().Opset("", 17).Inputs("a").Output("b").
					Node("Relu", []string{"a"}, []string{"h"}).Node("NonZero", []string{"h"}, []string{"b"})).
				Node("F", []string{"x"}, []string{"y"}, modeltest.Domain("d")).
				Node("F", []string{"z"}, []string{"w"}, modeltest.Domain("d")).Output("y", "w"),
			want: map[string]string{"F value a": "FLOAT[?]", "F value h": "FLOAT[?]", "F value b": "INT64[1,?]", "out y": "INT64[1,y_dim1]", "out w": "INT64[1,w_dim1]"},
		},
		"sequences": {
			model: modeltest.New(17).Input("x", f, "n").
				Node("SequenceConstruct", []string{"x", "x"}, []string{"s"}).
				Node("Optional", []string{"x"}, []string{"o"}).
				Output("s", "o"),
			want: map[string]string{"out s": "of FLOAT[n]", "out o": "of FLOAT[n]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := c.model.Bytes()
			want := declared(t, file)
			maps.Copy(want, c.want)
			out := annotated(t, file, c.opts)
			got := declared(t, out)
			for _, key := range slices.Sorted(maps.Keys(want)) {
				if got[key] != want[key] && !(want[key] == "none" && got[key] == "") {
					t.Errorf("%s: %q, want %q", key, got[key], want[key])
				}
			}
			for key, typ := range got {
				if _, ok := want[key]; !ok {
					t.Errorf("%s: %q, want no entry", key, typ)
				}
			}
			// Bound symbols are gone from the file, so there is nothing to bind.
			if again := annotated(t, out, shapeinfer.Options{}); !bytes.Equal(again, out) {
				t.Errorf("annotated again it becomes %v", declared(t, again))
			}
		})
	}
}

// TestAnnotateCorpora annotates every recorded model: the file says as much as
// before or more, nothing else changes what inference finds, and a second time
// changes nothing.
func TestAnnotateCorpora(t *testing.T) {
	models := map[string]corpus.Model{}
	for _, m := range corpus.Zoo(t) {
		models["zoo/"+m.Name] = m.Model
	}
	for _, m := range corpus.Cases(t) {
		models["cases/"+m.Name] = m.Model
	}
	for _, name := range []string{corpus.Symbolic, corpus.Infer, corpus.NodeExpanded} {
		for _, c := range corpus.Manifest(t, name) {
			models[name+"/"+c.Name] = c.Model
		}
	}
	for name, model := range models {
		file := model.Bytes(t)
		m, r := inferred(t, file, shapeinfer.Options{})
		out := written(t, file, m, r)
		m2, r2 := inferred(t, out, shapeinfer.Options{})
		if again := written(t, out, m2, r2); !bytes.Equal(out, again) {
			t.Errorf("%s: annotated again it differs", name)
			first, second := declared(t, out), declared(t, again)
			for key, typ := range second {
				if first[key] != typ {
					t.Logf("%s: %s, then %s", key, first[key], typ)
				}
			}
		}
		before, after := typesOf(r), typesOf(r2)
		for value, typ := range before {
			if after[value] != typ {
				t.Errorf("%s: %s is %s, annotated %s", name, value, typ, after[value])
			}
		}
	}
}

// typesOf are the inferred types of a model's main graph.
func typesOf(r *shapeinfer.Result) map[string]string {
	types := map[string]string{}
	for id := range r.Main.Facts {
		types[r.Main.Graph.Values[id].Name] = r.Main.Facts[id].Type.String()
	}
	return types
}
