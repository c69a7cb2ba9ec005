package onnxgraph_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/internal/onnxpb"
)

// TestWalkFindsWhatTheSchemaAllows plants a tensor in every place that
// onnx.proto has for one, graphs nested twice, one model each. The schema, not
// a list here, says which places there are.
func TestWalkFindsWhatTheSchemaAllows(t *testing.T) {
	const nested = 2
	var routes [][]protoreflect.FieldDescriptor
	var find func(at protoreflect.MessageDescriptor, route []protoreflect.FieldDescriptor, graphs int)
	find = func(at protoreflect.MessageDescriptor, route []protoreflect.FieldDescriptor, graphs int) {
		switch at.Name() {
		case "TensorProto":
			routes = append(routes, slices.Clone(route))
			return
		case "GraphProto":
			if graphs++; graphs > 1+nested {
				return
			}
		case "TypeProto": // which nests in itself, and holds no tensor
			return
		}
		for i := range at.Fields().Len() {
			if f := at.Fields().Get(i); f.Message() != nil {
				find(f.Message(), append(route, f), graphs)
			}
		}
	}
	find((&onnxpb.ModelProto{}).ProtoReflect().Descriptor(), nil, 0)
	// A graph has 3 places of its own and 6 in the attributes of its nodes, and
	// 2 for another graph.
	const inGraph = 3 + 6
	const inRoot = inGraph * (1 + 2 + 4)
	const inFunction = 2 * (6 + 2*inGraph + 4*inGraph + 8*inGraph)
	if want := 3*inRoot + inFunction; len(routes) != want {
		t.Errorf("%d places, want %d", len(routes), want)
	}
	for _, route := range routes {
		m := &onnxpb.ModelProto{Graph: &onnxpb.GraphProto{}}
		path := plant(m.ProtoReflect(), route)
		var found []string
		for at, tensor := range readProto(t, m).AllTensors() {
			found = append(found, at.String())
			if tensor.Name != planted {
				t.Errorf("%s: the tensor is called %q", at, tensor.Name)
			}
		}
		if !slices.Equal(found, []string{path}) {
			t.Errorf("planted at %s, found at %q", path, found)
		}
	}
}

// planted is the name of the planted tensor.
const planted = "planted"

// plant sets the fields of a route, each list to one element, and returns the
// path.
func plant(m protoreflect.Message, route []protoreflect.FieldDescriptor) string {
	var steps []string
	for _, f := range route {
		if f.IsList() {
			m = m.Mutable(f).List().AppendMutable().Message()
			steps = append(steps, string(f.Name())+"[0]")
		} else {
			m = m.Mutable(f).Message()
			steps = append(steps, string(f.Name()))
		}
	}
	m.Set(m.Descriptor().Fields().ByName("name"), protoreflect.ValueOfString(planted))
	return strings.Join(steps, ".")
}

func readProto(t interface{ Fatal(...any) }, m proto.Message) *onnxgraph.Model {
	file, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	model, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// TestWalkAgreesWithReflection compares the four walks on random models with
// what reflection over the generated code finds, path by path.
func TestWalkAgreesWithReflection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &onnxpb.ModelProto{Graph: &onnxpb.GraphProto{}}
		budget := 300
		grow(t, m.ProtoReflect(), 0, &budget)
		want := map[string][]string{}
		listMessages(m.ProtoReflect(), "", want)
		model := readProto(t, m)
		got := map[string][]string{}
		add := func(kind string, at onnxgraph.Place) { got[kind] = append(got[kind], at.String()) }
		for at := range model.AllGraphs() {
			add("GraphProto", at)
		}
		for at := range model.AllNodes() {
			add("NodeProto", at)
		}
		for at := range model.AllAttributes() {
			add("AttributeProto", at)
		}
		for at := range model.AllTensors() {
			add("TensorProto", at)
		}
		for _, kind := range []string{"GraphProto", "NodeProto", "AttributeProto", "TensorProto"} {
			slices.Sort(got[kind])
			slices.Sort(want[kind])
			if !slices.Equal(got[kind], want[kind]) {
				t.Errorf("%s: %q, want %q", kind, got[kind], want[kind])
			}
		}
	})
}

// grow fills the message fields of m at random.
func grow(t *rapid.T, m protoreflect.Message, depth int, budget *int) {
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		if f.Message() == nil || f.Message().Name() == "TypeProto" || depth > 12 {
			continue
		}
		for range rapid.IntRange(0, 2).Draw(t, string(f.Name())) {
			if *budget--; *budget < 0 {
				return
			}
			if f.IsList() {
				grow(t, m.Mutable(f).List().AppendMutable().Message(), depth+1, budget)
			} else {
				grow(t, m.Mutable(f).Message(), depth+1, budget)
			}
		}
	}
}

// listMessages lists the paths of all messages in m by the names of their
// types.
func listMessages(m protoreflect.Message, path string, found map[string][]string) {
	name := string(m.Descriptor().Name())
	found[name] = append(found[name], path)
	if path != "" {
		path += "."
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		at := path + string(f.Name())
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				listMessages(v.List().Get(i).Message(), at+"["+strconv.Itoa(i)+"]", found)
			}
		default:
			listMessages(v.Message(), at, found)
		}
		return true
	})
}

// A loop over a walk may end anywhere.
func TestWalkStops(t *testing.T) {
	file := everything(t)
	m, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for range m.AllTensors() {
		total++
	}
	for stop := range total {
		seen := 0
		for range m.AllTensors() {
			if seen++; seen > stop {
				break
			}
		}
		if seen != stop+1 {
			t.Fatalf("stopped after %d, saw %d", stop+1, seen)
		}
	}
	for range m.AllGraphs() {
		break
	}
	for range m.AllNodes() {
		break
	}
	for range m.AllAttributes() {
		break
	}
}

// A program may put one graph in two places, or a graph inside itself, which no
// file can. Each is walked once, so that 2^60 paths cost no more than 60 graphs.
func TestWalkOfSharedGraphs(t *testing.T) {
	inner := &onnxgraph.Graph{Initializers: []*onnxgraph.Tensor{{Name: "w"}}}
	first := inner
	for range 60 {
		body := &onnxgraph.Attribute{Name: "body", Graph: inner}
		inner = &onnxgraph.Graph{Nodes: []*onnxgraph.Node{{Attributes: []*onnxgraph.Attribute{body, body}}}}
	}
	first.Nodes = []*onnxgraph.Node{{Attributes: []*onnxgraph.Attribute{{Graph: inner}}}}
	m := &onnxgraph.Model{Graph: inner}
	count := map[string]int{}
	for range m.AllGraphs() {
		count["graphs"]++
	}
	for range m.AllTensors() {
		count["tensors"]++
	}
	for range m.Graph.AllNodes() {
		count["nodes"]++
	}
	if got, want := fmt.Sprint(count), fmt.Sprint(map[string]int{"graphs": 61, "nodes": 61, "tensors": 1}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
