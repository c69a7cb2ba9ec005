package annotate_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/annotate"
	"onnxmem/onnxgraph/internal/onnxpb"
	"onnxmem/onnxgraph/modeltest"
)

// wanted are the types that the tests write, one after another.
var wanted = []*onnxgraph.Type{
	modeltest.TensorType(onnxgraph.Float, 1, "batch", nil, 0),
	{Kind: onnxgraph.KindTensor, DType: onnxgraph.Int64},
	modeltest.TensorType(onnxgraph.Float16),
	{Kind: onnxgraph.KindSequence, Elem: modeltest.TensorType(onnxgraph.Uint8, "2*n + 1")},
	{Kind: onnxgraph.KindOptional, Elem: &onnxgraph.Type{Kind: onnxgraph.KindSequence, Elem: modeltest.TensorType(onnxgraph.Bool, 3)}},
	{Kind: onnxgraph.KindMap, Key: onnxgraph.Int64, Elem: modeltest.TensorType(onnxgraph.Float)},
	{Kind: onnxgraph.KindSparseTensor, DType: onnxgraph.Double, Shape: &onnxgraph.Shape{Dims: []onnxgraph.Dim{{Value: 7, HasValue: true}}}},
	{Kind: onnxgraph.KindOpaque, OpaqueDomain: "d", OpaqueName: "o"},
}

// everywhere gives every entry of every graph and function one of the wanted
// types and adds an entry to each.
func everywhere(m *onnxgraph.Model, seed int) []annotate.Scope {
	next := func() *onnxgraph.Type { seed++; return wanted[seed%len(wanted)] }
	var scopes []annotate.Scope
	scope := func(lists ...[]*onnxgraph.ValueInfo) annotate.Scope {
		s := annotate.Scope{Set: map[*onnxgraph.ValueInfo]*onnxgraph.Type{}}
		for _, list := range lists {
			for _, v := range list {
				s.Set[v] = next()
			}
		}
		s.Add = []*onnxgraph.ValueInfo{{Name: fmt.Sprintf("added%d", seed), Type: next()}}
		return s
	}
	eachGraph(m, func(g *onnxgraph.Graph) {
		s := scope(g.Inputs, g.Outputs, g.ValueInfos)
		s.Graph = g
		scopes = append(scopes, s)
	})
	for _, f := range m.Functions {
		s := scope(f.ValueInfos)
		s.Function = f
		scopes = append(scopes, s)
	}
	return scopes
}

// eachGraph visits the main graph and every graph in a node's attributes.
func eachGraph(m *onnxgraph.Model, visit func(*onnxgraph.Graph)) {
	var graph func(*onnxgraph.Graph)
	nodes := func(nodes []*onnxgraph.Node) {
		for _, n := range nodes {
			for _, a := range n.Attributes {
				graph(a.Graph)
				for _, g := range a.Graphs {
					graph(g)
				}
			}
		}
	}
	graph = func(g *onnxgraph.Graph) {
		if g != nil {
			visit(g)
			nodes(g.Nodes)
		}
	}
	graph(m.Graph)
	for _, f := range m.Functions {
		nodes(f.Nodes)
	}
}

func read(t testing.TB, file []byte) *onnxgraph.Model {
	t.Helper()
	m, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// write writes the scopes into a file.
func write(t testing.TB, file []byte, m *onnxgraph.Model, scopes []annotate.Scope) []byte {
	t.Helper()
	p, err := annotate.NewPlan(bytes.NewReader(file), m, scopes)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	n, err := p.WriteTo(&out)
	if err != nil {
		t.Fatal(err)
	}
	if n != int64(out.Len()) || n != p.Size() {
		t.Fatalf("%d bytes written, %d counted, %d planned", out.Len(), n, p.Size())
	}
	return out.Bytes()
}

// checkTypes holds the entries of an annotated file against the types that
// everywhere writes.
func checkTypes(t testing.TB, before, after *onnxgraph.Model, scopes []annotate.Scope) {
	t.Helper()
	var old, got []*onnxgraph.Graph
	eachGraph(before, func(g *onnxgraph.Graph) { old = append(old, g) })
	eachGraph(after, func(g *onnxgraph.Graph) { got = append(got, g) })
	if len(old) != len(got) || len(before.Functions) != len(after.Functions) {
		t.Fatalf("%d graphs and %d functions became %d and %d", len(old), len(before.Functions), len(got), len(after.Functions))
	}
	for i, g := range got {
		checkEntries(t, scopes[i], old[i].Inputs, g.Inputs)
		checkEntries(t, scopes[i], old[i].Outputs, g.Outputs)
		checkEntries(t, scopes[i], slices.Concat(old[i].ValueInfos, scopes[i].Add), g.ValueInfos)
	}
	for i, f := range after.Functions {
		s := scopes[len(old)+i]
		checkEntries(t, s, slices.Concat(before.Functions[i].ValueInfos, s.Add), f.ValueInfos)
	}
}

func checkEntries(t testing.TB, s annotate.Scope, old, got []*onnxgraph.ValueInfo) {
	t.Helper()
	if len(old) != len(got) {
		t.Fatalf("%d entries, want %d", len(got), len(old))
	}
	for i, v := range got {
		want := s.Set[old[i]]
		if want == nil {
			want = old[i].Type
		}
		if v.Name != old[i].Name || !sameType(v.Type, want) {
			t.Fatalf("%q has type %+v, want %q with %+v", v.Name, v.Type, old[i].Name, want)
		}
	}
}

// sameType compares types without denotations.
func sameType(a, b *onnxgraph.Type) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.DType != b.DType || a.Key != b.Key || a.OpaqueDomain != b.OpaqueDomain || a.OpaqueName != b.OpaqueName ||
		(a.Shape == nil) != (b.Shape == nil) {
		return false
	}
	if a.Shape != nil {
		if len(a.Shape.Dims) != len(b.Shape.Dims) {
			return false
		}
		for i, d := range a.Shape.Dims {
			e := b.Shape.Dims[i]
			d.Denotation, e.Denotation = "", ""
			if d != e {
				return false
			}
		}
	}
	return sameType(a.Elem, b.Elem)
}

// withoutTypes reads a file with generated code and takes out what everywhere
// writes: all types of entries, and the entry added to each list.
func withoutTypes(file []byte, added bool) (*onnxpb.ModelProto, error) {
	m := new(onnxpb.ModelProto)
	if err := proto.Unmarshal(file, m); err != nil {
		return nil, err
	}
	entries := func(list []*onnxpb.ValueInfoProto) []*onnxpb.ValueInfoProto {
		for _, v := range list {
			v.Type = nil
		}
		return list
	}
	values := func(list []*onnxpb.ValueInfoProto) []*onnxpb.ValueInfoProto {
		if added && len(list) > 0 {
			list = list[:len(list)-1]
		}
		if len(list) == 0 {
			return nil
		}
		return entries(list)
	}
	var graph func(*onnxpb.GraphProto)
	nodes := func(nodes []*onnxpb.NodeProto) {
		for _, n := range nodes {
			for _, a := range n.Attribute {
				graph(a.G)
				for _, g := range a.Graphs {
					graph(g)
				}
			}
		}
	}
	graph = func(g *onnxpb.GraphProto) {
		if g == nil {
			return
		}
		entries(g.Input)
		entries(g.Output)
		g.ValueInfo = values(g.ValueInfo)
		nodes(g.Node)
	}
	graph(m.Graph)
	for _, f := range m.Functions {
		f.ValueInfo = values(f.ValueInfo)
		nodes(f.Node)
	}
	return m, nil
}

// nested is a model with graphs in graphs, a function, weights, training
// information and fields that the format does not have.
func nested() []byte {
	leaf := modeltest.Body().Name("leaf").Node("Relu", []string{"x"}, []string{"r"}).
		TypedOutput("r", onnxgraph.Float, 1).GraphField(99, []byte("unknown"))
	inner := modeltest.Body().Name("inner").
		Node("If", []string{"c"}, []string{"z"}, modeltest.Subgraph("then_branch", leaf), modeltest.Int("k", 5), modeltest.Subgraph("else_branch", leaf)).
		Value("z", onnxgraph.Float, "n").Output("z").InitZeros("iw", onnxgraph.Float, 300)
	return modeltest.New(17).Doc("a model").
		Input("x", onnxgraph.Float, 1, "n").Input("c", onnxgraph.Bool).
		InitZeros("w", onnxgraph.Float, 4, 100).
		Value("h", onnxgraph.Float, nil, nil).
		Node("MatMul", []string{"x", "w"}, []string{"h"}).
		Node("If", []string{"c"}, []string{"y"}, modeltest.Subgraph("then_branch", inner), modeltest.Subgraph("else_branch", inner)).
		Node("Many", []string{"h"}, []string{"q"}, modeltest.Domain("d"), modeltest.Subgraphs("list", leaf, inner)).
		Function("d", "F", modeltest.Body().Opset("", 17).Inputs("a").Output("b").
			Node("If", []string{"a"}, []string{"b"}, modeltest.Subgraph("then_branch", leaf))).
		Training(nil, leaf).
		Output("y", "q").ModelField(200, []byte("unknown too")).Meta("k", "v").Bytes()
}

// TestEverywhere writes types into every place that has one. Generated code,
// which shares nothing with this package, must read the same model back but
// for the types.
func TestEverywhere(t *testing.T) {
	for seed := range wanted {
		file := nested()
		m := read(t, file)
		scopes := everywhere(m, seed)
		if len(scopes) != 13 { // 1 main, 2 inner, 4 leaves in them, 4 in the list, 1 leaf of the function, 1 function
			t.Fatalf("%d scopes", len(scopes))
		}
		out := write(t, file, m, scopes)
		checkTypes(t, m, read(t, out), scopes)
		checkRest(t, file, out)
	}
}

// checkRest holds everything but the types of an annotated file against the
// file before.
func checkRest(t testing.TB, before, after []byte) {
	t.Helper()
	want, err := withoutTypes(before, false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := withoutTypes(after, true)
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(got, want) {
		t.Fatalf("the models differ:\n%v\n%v", got, want)
	}
}
