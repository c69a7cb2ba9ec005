package onnxgraph

import (
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"onnxmem/onnxgraph/internal/onnxpb"
	"onnxmem/onnxgraph/internal/wire"
)

// TestSchema walks onnx-ml.proto from ModelProto and compares each message with
// ours: the same fields under the same numbers, with the same encodings.
func TestSchema(t *testing.T) {
	seen := map[wire.MessageID]bool{}
	checkMessage(t, (&onnxpb.ModelProto{}).ProtoReflect().Descriptor(), modelProto, seen)
	if len(seen) != len(onnxSchema) {
		t.Errorf("%d messages of the schema are in use, it has %d", len(seen), len(onnxSchema))
	}
}

func checkMessage(t *testing.T, want protoreflect.MessageDescriptor, id wire.MessageID, seen map[wire.MessageID]bool) {
	if seen[id] {
		return
	}
	seen[id] = true
	got := onnxSchema[id]
	fields := want.Fields()
	have := 0
	for _, f := range got {
		if f.Kind != 0 {
			have++
		}
	}
	if have != fields.Len() {
		t.Errorf("%s: %d fields, want %d", want.Name(), have, fields.Len())
	}
	for i := range fields.Len() {
		f := fields.Get(i)
		if int(f.Number()) >= len(got) {
			t.Errorf("%s has no field", f.FullName())
			continue
		}
		g := got[f.Number()]
		if g.Name != string(f.Name()) || g.Repeated != f.IsList() || g.Kind != kindOf(f.Kind()) {
			t.Errorf("%s: field %+v", f.FullName(), g)
		}
		if f.Message() != nil {
			checkMessage(t, f.Message(), g.Message, seen)
		}
	}
}

func kindOf(k protoreflect.Kind) wire.Kind {
	switch k {
	case protoreflect.MessageKind:
		return wire.Embedded
	case protoreflect.StringKind, protoreflect.BytesKind:
		return wire.Bytes
	case protoreflect.FloatKind:
		return wire.Fixed32
	case protoreflect.DoubleKind:
		return wire.Fixed64
	}
	return wire.Varint
}
