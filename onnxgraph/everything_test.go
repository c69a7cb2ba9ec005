package onnxgraph_test

import (
	"bytes"
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/internal/onnxpb"
)

// everything is a model in which every field of every message of onnx-ml.proto
// occurs, written by generated code. Lists of numbers and texts have two
// elements.
func everything(t *testing.T) []byte {
	t.Helper()
	var m onnxpb.ModelProto
	f := filler{filled: map[protoreflect.FullName]int{}}
	f.fill(m.ProtoReflect())
	file, err := (proto.MarshalOptions{Deterministic: true}).Marshal(&m)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// A filler sets fields to values that differ from one another. It fills the
// first message of each type and leaves later ones empty; of types with a
// oneof it fills as many as the oneof has members, each with another one.
type filler struct {
	n      int64
	filled map[protoreflect.FullName]int
}

func (f *filler) fill(m protoreflect.Message) {
	d := m.Descriptor()
	turn := f.filled[d.FullName()]
	if turn >= times(d) {
		return
	}
	f.filled[d.FullName()]++
	for i := range d.Fields().Len() {
		field := d.Fields().Get(i)
		if one := field.ContainingOneof(); one != nil && one.Fields().Get(turn) != field {
			continue
		}
		switch {
		case field.IsList() && field.Message() != nil:
			for range 2 * times(field.Message()) {
				f.fill(m.Mutable(field).List().AppendMutable().Message())
			}
		case field.IsList():
			m.Mutable(field).List().Append(f.value(field))
			m.Mutable(field).List().Append(f.value(field))
		case field.Message() != nil:
			f.fill(m.Mutable(field).Message())
		default:
			m.Set(field, f.value(field))
		}
	}
}

// times is how many messages of a type it takes to have all its fields.
func times(d protoreflect.MessageDescriptor) int {
	if d.Oneofs().Len() == 0 {
		return 1
	}
	return d.Oneofs().Get(0).Fields().Len()
}

func (f *filler) value(field protoreflect.FieldDescriptor) protoreflect.Value {
	f.n++
	switch field.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(fmt.Sprintf("%s%d", field.Name(), f.n))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(fmt.Appendf(nil, "%s%d", field.Name(), f.n))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(f.n * 1001)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(-f.n))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(uint64(f.n) << 40)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(f.n) / 4)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float64(f.n) / 4)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(1)
	}
	panic("a field of kind " + field.Kind().String())
}

// TestEveryField reads a model with every field there is, and checks that there
// is indeed none that it lacks.
func TestEveryField(t *testing.T) {
	file := everything(t)
	var want onnxpb.ModelProto
	if err := proto.Unmarshal(file, &want); err != nil {
		t.Fatal(err)
	}
	missing := map[protoreflect.FullName]bool{}
	allFields((&onnxpb.ModelProto{}).ProtoReflect().Descriptor(), missing, map[protoreflect.FullName]bool{})
	foundFields(want.ProtoReflect(), missing)
	if len(missing) > 0 {
		t.Errorf("the model lacks %v", missing)
	}
	got, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "everything", file, got, &want)
}

func allFields(m protoreflect.MessageDescriptor, all, seen map[protoreflect.FullName]bool) {
	if seen[m.FullName()] {
		return
	}
	seen[m.FullName()] = true
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		all[f.FullName()] = true
		if f.Message() != nil {
			allFields(f.Message(), all, seen)
		}
	}
}

func foundFields(m protoreflect.Message, missing map[protoreflect.FullName]bool) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		delete(missing, f.FullName())
		switch {
		case f.Message() != nil && f.IsList():
			for i := range v.List().Len() {
				foundFields(v.List().Get(i).Message(), missing)
			}
		case f.Message() != nil:
			foundFields(v.Message(), missing)
		}
		return true
	})
}
