package onnxgraph_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/internal/onnxpb"
	"onnxmem/onnxgraph/modeltest"
)

// field encodes a field of bytes, message an enclosing message.
func field(number protowire.Number, parts ...string) string {
	b := protowire.AppendTag(nil, number, protowire.BytesType)
	return string(protowire.AppendString(b, strings.Join(parts, "")))
}

// inGraph is a model whose graph has the given fields.
func inGraph(parts ...string) string { return "\x08\x08" + field(7, parts...) }

// inAttribute is a model of one node with one attribute of the given fields.
func inAttribute(parts ...string) string { return inGraph(field(1, field(5, parts...))) }

// inType is a model of one input of a type of the given fields.
func inType(parts ...string) string {
	return inGraph(field(11, field(1, "x"), field(2, parts...)))
}

// TestRareEncodings reads bytes that no exporter writes but every protobuf
// reader accepts, and compares with generated code. The oddities that are
// listed are part of the truth of each case.
func TestRareEncodings(t *testing.T) {
	const repeated, several = onnxgraph.RepeatedSingular, onnxgraph.SeveralValues
	type oddity struct {
		code        onnxgraph.OddityCode
		path, field string
	}
	for _, c := range []struct {
		name, file string
		odd        []oddity
	}{
		{"dims unpacked", inGraph(field(5, "\x08\x02\x08\x03\x10\x01")), nil},
		{"dims packed", inGraph(field(5, "\x0a\x02\x02\x03\x10\x01")), nil},
		{"dims both ways", inGraph(field(5, "\x0a\x01\x02\x08\x03")), nil},
		{"ints packed", inAttribute("\x42\x02\x02\x03"), nil},
		{"ints both ways", inAttribute("\x40\x01\x42\x02\x02\x03\x40\x04"), nil},
		{"floats packed", inAttribute("\x3a\x08\x00\x00\x80\x3f\x00\x00\x00\x40"), nil},
		{"floats both ways", inAttribute("\x3d\x00\x00\x80\x3f\x3a\x04\x00\x00\x00\x40"), nil},
		{"payload unpacked", inGraph(field(5, "\x25\x00\x00\x80\x3f\x25\x00\x00\x00\x40")), nil},
		{"fields in reverse order", field(7, field(12, field(1, "y")), field(1, field(4, "Relu"))) + "\x08\x08", nil},
		{"ir_version twice", "\x08\x07\x08\x08" + field(7), []oddity{{repeated, "", "ir_version"}}},
		{"graph twice", inGraph(field(2, "a"), field(1, field(4, "Relu"))) + field(7, field(2, "b"), field(1, field(4, "Tanh"))),
			[]oddity{{repeated, "", "graph"}}},
		{"empty graph between two", inGraph(field(2, "a")) + field(7) + field(7, field(1)),
			[]oddity{{repeated, "", "graph"}, {repeated, "", "graph"}}},
		{"node name twice", inGraph(field(1, field(3, "a"), field(3, "b"))), []oddity{{repeated, "graph.node[0]", "name"}}},
		{"attribute with two kinds of value", inAttribute("\x18\x05", field(4, "x")), []oddity{{several, "graph.node[0].attribute[0]", "s"}}},
		{"attribute with a value and an empty list", inAttribute("\x18\x05\x42\x00"), nil},
		{"attribute tensor twice", inAttribute(field(5, "\x08\x02\x10\x01", field(9, "abcd")), field(5, "\x08\x03\x10\x06", field(9, "efgh"))),
			[]oddity{{repeated, "graph.node[0].attribute[0]", "t"}}},
		{"attribute graph twice", inAttribute(field(6, field(1, field(4, "Relu"))), field(6, field(1, field(4, "Tanh")))),
			[]oddity{{repeated, "graph.node[0].attribute[0]", "g"}}},
		{"attribute sparse tensor twice", inAttribute(field(22, field(1, "\x08\x01"), "\x18\x07"), field(22, field(1, "\x10\x01"), field(2, "\x10\x07"), "\x18\x08")),
			[]oddity{{repeated, "graph.node[0].attribute[0]", "sparse_tensor"}}},
		{"type of a value twice", inGraph(field(11, field(2, field(1, "\x08\x01")), field(2, field(1, field(2, field(1, "\x08\x05")))))),
			[]oddity{{repeated, "graph.input[0]", "type"}}},
		{"tensor type twice: dims append", inType(field(1, "\x08\x01", field(2, field(1, "\x08\x05"))), field(1, field(2, field(1, "\x08\x06")))),
			[]oddity{{repeated, "graph.input[0].type", "tensor_type"}}},
		{"tensor type, then sequence", inType(field(1, "\x08\x01", field(2, field(1, "\x08\x05"))), field(4)),
			[]oddity{{several, "graph.input[0].type", "sequence_type"}}},
		{"tensor type, then sequence, then tensor type", inType(field(1, "\x08\x01"), field(4), field(1, field(2))),
			[]oddity{{several, "graph.input[0].type", "sequence_type"}, {repeated, "graph.input[0].type", "tensor_type"}, {several, "graph.input[0].type", "tensor_type"}}},
		{"map type twice", inType(field(5, "\x08\x07"), field(5, field(2, field(1, "\x08\x01")))), []oddity{{repeated, "graph.input[0].type", "map_type"}}},
		{"dim value, then name", inType(field(1, field(2, field(1, "\x08\x05", field(2, "n"))))),
			[]oddity{{several, "graph.input[0].type.tensor_type.shape.dim[0]", "dim_param"}}},
		{"dim name, then value", inType(field(1, field(2, field(1, field(2, "n"), "\x08\x05")))),
			[]oddity{{several, "graph.input[0].type.tensor_type.shape.dim[0]", "dim_value"}}},
		{"dim value 0 and dim value -1", inType(field(1, field(2, field(1, "\x08\x00"), field(1, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")))), nil},
		{"dim with neither", inType(field(1, field(2, field(1)))), nil},
		{"raw_data twice", inGraph(field(5, field(9, "ab"), field(9, "cd"))), []oddity{{repeated, "graph.initializer[0]", "raw_data"}}},
		{"raw_data and float_data", inGraph(field(5, field(9, "abcd"), field(4, "abcd"))), []oddity{{several, "graph.initializer[0]", "float_data"}}},
		{"raw_data and an empty float_data", inGraph(field(5, field(9, "abcd"), field(4))), nil},
		{"external and raw_data", inGraph(field(5, field(9, "abcd"), "\x70\x01")), []oddity{{several, "graph.initializer[0]", "external_data"}}},
		{"external_data without data_location", inGraph(field(5, field(13, field(1, "location"), field(2, "w")), field(9, "abcd"))), nil},
		{"segment twice", inGraph(field(5, field(3, "\x08\x01"), field(3, "\x10\x02"))), []oddity{{repeated, "graph.initializer[0]", "segment"}}},
		{"training graph twice", inGraph() + field(20, field(1, field(2, "a")), field(1, field(2, "b"))), []oddity{{repeated, "training_info[0]", "initialization"}}},
		{"int32 of 64 bits", inGraph(field(5, "\x10\x81\x80\x80\x80\x80\x01")), nil},
		{"negative data type", inGraph(field(5, "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")), nil},
		{"graph as a varint", inGraph() + "\x38\x05", nil},
		{"name as a fixed32", inGraph("\x15abcd", field(2, "g")), nil},
		{"group in a node", inGraph(field(1, field(4, "Relu"), "\xa3\x06\x08\x01\xa4\x06", field(1, "x"))), nil},
		{"unknown fields everywhere", inGraph(field(1, field(99, "x"), field(5, field(98, "y"))), field(97, "z")) + field(96, "w"), nil},
	} {
		var want onnxpb.ModelProto
		if err := proto.Unmarshal([]byte(c.file), &want); err != nil {
			t.Fatalf("%s: generated code says %v", c.name, err)
		}
		got, err := readText(c.file)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		compare(t, c.name, []byte(c.file), got, &want)
		var odd []oddity
		for _, o := range got.Oddities {
			odd = append(odd, oddity{o.Code, o.Path, o.Field})
		}
		if !reflect.DeepEqual(odd, c.odd) {
			t.Errorf("%s: oddities %v, want %v", c.name, odd, c.odd)
		}
	}
}

// TestUnknownFields: number, place and enclosing message of each.
func TestUnknownFields(t *testing.T) {
	file := inGraph(field(1, field(4, "Relu"), field(99, "MZ")), field(5, "\xc8\x06\x07")) + field(200, "\x7fELF")
	m, err := readText(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		path   string
		number int32
		bytes  string
	}{{"graph.node[0]", 99, "MZ"}, {"graph.initializer[0]", 105, "\x07"}, {"", 200, "\x7fELF"}}
	if len(m.Unknown) != len(want) {
		t.Fatalf("%+v", m.Unknown)
	}
	for i, u := range m.Unknown {
		bytes := file[u.Extent.Offset:][:u.Extent.Length]
		if u.Path != want[i].path || u.Number != want[i].number || bytes != want[i].bytes {
			t.Errorf("%+v holds %q, want %+v", u, bytes, want[i])
		}
	}
}

// TestExtents: the bytes of graphs, nodes, tensors ... are those that the file
// has there, also when the graph comes in two parts.
func TestExtents(t *testing.T) {
	relu, tanh := field(4, "Relu"), field(4, "Tanh")
	first, second := field(1, relu)+field(5, field(8, "w")), field(1, tanh)
	file := "\x08\x08" + field(7, first) + field(6, "doc") + field(7, second) + field(25, field(1, "f"))
	m, err := readText(file)
	if err != nil {
		t.Fatal(err)
	}
	at := func(e onnxgraph.Extent) string { return file[e.Offset:][:e.Length] }
	if len(m.Graph.Extents) != 2 || at(m.Graph.Extents[0]) != first || at(m.Graph.Extents[1]) != second {
		t.Errorf("graph at %v", m.Graph.Extents)
	}
	if at(m.Graph.Nodes[0].Extent) != relu || at(m.Graph.Nodes[1].Extent) != tanh {
		t.Errorf("nodes at %v, %v", m.Graph.Nodes[0].Extent, m.Graph.Nodes[1].Extent)
	}
	if at(m.Graph.Initializers[0].Extent) != field(8, "w") || at(m.Functions[0].Extent) != field(1, "f") {
		t.Errorf("tensor at %v, function at %v", m.Graph.Initializers[0].Extent, m.Functions[0].Extent)
	}
	if m.Size != int64(len(file)) {
		t.Errorf("size %d", m.Size)
	}
}

// TestAttributeTypes: a file of IR version 1 has no attribute types; the field
// that is set tells.
func TestAttributeTypes(t *testing.T) {
	for _, c := range []struct {
		fields         string
		want, declared onnxgraph.AttributeType
	}{
		{"\x18\x05", onnxgraph.AttributeInt, 0},
		{"\x18\x00", onnxgraph.AttributeInt, 0},
		{"\x18\x05\xa0\x01\x02", onnxgraph.AttributeInt, onnxgraph.AttributeInt},
		{"\x18\x05\xa0\x01\x01", onnxgraph.AttributeFloat, onnxgraph.AttributeFloat}, // as declared, though wrong
		{"\x40\x05", onnxgraph.AttributeInts, 0},
		{"\x15\x00\x00\x80\x3f", onnxgraph.AttributeFloat, 0},
		{field(4, "x"), onnxgraph.AttributeString, 0},
		{field(5), onnxgraph.AttributeTensor, 0},
		{field(6), onnxgraph.AttributeGraph, 0},
		{field(14), onnxgraph.AttributeTypeProto, 0},
		{field(22), onnxgraph.AttributeSparseTensor, 0},
		{"", onnxgraph.AttributeUndefined, 0},
		{field(21, "alpha"), onnxgraph.AttributeUndefined, 0},
	} {
		m, err := readText(inAttribute(field(1, "a"), c.fields))
		if err != nil {
			t.Fatal(err)
		}
		a := m.Graph.Nodes[0].Attribute("a")
		if a.Type != c.want || a.DeclaredType != c.declared {
			t.Errorf("%x: type %d, declared %d; want %d, %d", c.fields, a.Type, a.DeclaredType, c.want, c.declared)
		}
	}
}

// TestDamage: errors name the code, the byte and the field.
func TestDamage(t *testing.T) {
	good := modeltest.New(17).Node("Relu", []string{"x"}, []string{"y"}).Bytes()
	for _, c := range []struct {
		name, file string
		code       onnxgraph.FormatCode
		path       string
	}{
		{"trailing zero bytes", string(good) + "\x00\x00\x00", onnxgraph.BadFieldNumber, ""},
		{"trailing zip", string(good) + "PK\x03\x04", onnxgraph.BadFieldNumber, ""},
		{"trailing end of a group", string(good) + "</html>", onnxgraph.BadGroup, ""},
		{"op_type past the end of its node", inGraph(field(1, "\x22\x40Relu")), onnxgraph.BadLength, "graph.node[0].op_type"},
		{"dims end inside a number", inAttribute(field(5, "\x0a\x01\x80\x10\x01")), onnxgraph.BadLength, "graph.node[0].attribute[0].t.dims"},
		{"half a payload", inGraph(field(5), field(5, "\x4a\x08abcd")), onnxgraph.BadLength, "graph.initializer[1].raw_data"},
	} {
		_, err := readText(c.file)
		var e *onnxgraph.FormatError
		if !errors.As(err, &e) || e.Code != c.code || e.Path != c.path {
			t.Errorf("%s: %v, want %s in %q", c.name, err, c.code, c.path)
		}
	}
}

// TestNestingLimit: 100 levels of messages below the model are read, as in
// protobuf's C++ reader, and one more is an error. Each If adds a node, an
// attribute and a graph.
func TestNestingLimit(t *testing.T) {
	nested := func(ifs int, innermost string) string {
		graph := innermost
		for range ifs {
			graph = field(1, field(5, field(6, graph)))
		}
		return "\x08\x08" + field(7, graph)
	}
	if _, err := readText(nested(33, "")); err != nil { // 1 + 3*33 = 100
		t.Errorf("100 levels: %v", err)
	}
	_, err := readText(nested(33, field(1)))
	if !errors.Is(err, &onnxgraph.FormatError{Code: onnxgraph.TooDeep}) {
		t.Errorf("101 levels: %v", err)
	}
	if n := len(err.Error()); n > 400 {
		t.Errorf("a message of %d bytes: %v", n, err)
	}
}

// TestReadIsRepeatable: the same bytes give the same model, names shared or
// not, and reading does not depend on what was read before.
func TestReadIsRepeatable(t *testing.T) {
	file := everything(t)
	a, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
	if !proto.Equal((toProto{file}).model(a), (toProto{file}).model(b)) {
		t.Error("two readings differ")
	}
}
