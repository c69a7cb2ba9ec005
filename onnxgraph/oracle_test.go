package onnxgraph_test

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/internal/onnxpb"
)

// keptWhenZero are the singular fields whose presence our model records even
// when the value is zero; of all others it keeps the value alone.
var keptWhenZero = map[protoreflect.FullName]bool{
	"onnxmem.onnx.AttributeProto.f":                            true,
	"onnxmem.onnx.AttributeProto.i":                            true,
	"onnxmem.onnx.AttributeProto.s":                            true,
	"onnxmem.onnx.TensorProto.raw_data":                        true,
	"onnxmem.onnx.TensorShapeProto.Dimension.dim_value":        true,
	"onnxmem.onnx.SimpleShardedDimProto.dim_value":             true,
	"onnxmem.onnx.NodeDeviceConfigurationProto.pipeline_stage": true,
}

// normalize drops from m what a Model does not keep: the presence of zero
// values, and unknown fields, whose numbers it adds to unknown.
func normalize(m protoreflect.Message, unknown map[protowire.Number]int) {
	for b := m.GetUnknown(); len(b) > 0; {
		number, _, n := protowire.ConsumeField(b)
		if n < 0 {
			break
		}
		unknown[number]++
		b = b[n:]
	}
	m.SetUnknown(nil)
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() != nil && f.IsList():
			for i := range v.List().Len() {
				normalize(v.List().Get(i).Message(), unknown)
			}
		case f.Message() != nil:
			normalize(v.Message(), unknown)
		case f.IsList() || keptWhenZero[f.FullName()]:
		case f.Kind() == protoreflect.BytesKind && len(v.Bytes()) == 0,
			f.Kind() != protoreflect.BytesKind && v.Equal(protoreflect.ValueOf(zeroOf(f))):
			m.Clear(f)
		// Any other value of the enum says DEFAULT to us, as its absence does.
		case f.FullName() == "onnxmem.onnx.TensorProto.data_location" && v.Enum() != 1:
			m.Clear(f)
		}
		return true
	})
}

func zeroOf(f protoreflect.FieldDescriptor) any {
	switch f.Kind() {
	case protoreflect.EnumKind:
		return protoreflect.EnumNumber(0)
	case protoreflect.StringKind:
		return ""
	case protoreflect.Int32Kind:
		return int32(0)
	case protoreflect.Int64Kind:
		return int64(0)
	}
	return f.Default().Interface()
}

// compare reports where our reading of a file differs from that of the
// generated code, which must have accepted it.
func compare(t testing.TB, name string, file []byte, got *onnxgraph.Model, want *onnxpb.ModelProto) {
	t.Helper()
	unknown := map[protowire.Number]int{}
	normalize(want.ProtoReflect(), unknown)
	if back := (toProto{file}).model(got); !proto.Equal(back, want) {
		t.Errorf("%s: read as\n%v\nwhere generated code reads\n%v", name, back, want)
	}
	for _, u := range got.Unknown {
		unknown[protowire.Number(u.Number)]--
	}
	for number, n := range unknown {
		// Generated code forgets what an overwritten member of a oneof held.
		if n > 0 && got.UnknownOmitted == 0 {
			t.Errorf("%s: %d unknown fields %d are not listed", name, n, number)
		}
	}
}

// eachFixture calls f with every model file in testdata, inside archives too.
func eachFixture(t testing.TB, f func(name string, file []byte)) {
	t.Helper()
	err := filepath.WalkDir("../testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".onnx":
			file, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			f(path, file)
		case ".zip":
			return eachZipped(path, f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func eachZipped(path string, f func(name string, file []byte)) error {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer archive.Close()
	for _, member := range archive.File {
		if !strings.HasSuffix(member.Name, ".onnx") {
			continue
		}
		r, err := member.Open()
		if err != nil {
			return err
		}
		file, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		f(path+":"+member.Name, file)
	}
	return nil
}

// TestFixturesAgainstGeneratedCode reads every model file in testdata twice.
// The generated code is told to nest as deep as we do.
func TestFixturesAgainstGeneratedCode(t *testing.T) {
	models := 0
	eachFixture(t, func(name string, file []byte) {
		var want onnxpb.ModelProto
		wantErr := (proto.UnmarshalOptions{RecursionLimit: 101}).Unmarshal(file, &want)
		got, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%s: error %v, where generated code says %v", name, err, wantErr)
		}
		if err != nil || wantErr != nil {
			return
		}
		models++
		compare(t, name, file, got, &want)
	})
	if models < 1000 {
		t.Errorf("only %d models in testdata", models)
	}
}
