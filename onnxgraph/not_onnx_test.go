package onnxgraph_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

func readText(file string) (*onnxgraph.Model, error) {
	return onnxgraph.Read(strings.NewReader(file), int64(len(file)))
}

// TestFileKinds: what a file is that is no model, from the first bytes that the
// formats' own documents give.
func TestFileKinds(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       onnxgraph.FileKind
	}{
		{"empty", "", onnxgraph.KindEmpty},
		{"git lfs pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n", onnxgraph.KindGitLFS},
		{"ort format", "\x18\x00\x00\x00ORTM\x00\x00\x0e\x00\x14\x00\x0c\x00", onnxgraph.KindORT},
		{"tflite", "\x1c\x00\x00\x00TFL3\x14\x00\x20\x00\x1c\x00", onnxgraph.KindTFLite},
		{"zip", "PK\x03\x04\x14\x00\x00\x00\x08\x00" + strings.Repeat("\x00", 16) + "\x05\x00\x00\x00a.txthello", onnxgraph.KindZip},
		{"empty zip", "PK\x05\x06" + strings.Repeat("\x00", 18), onnxgraph.KindZip},
		{"pytorch", "PK\x03\x04\x00\x00\x08\x08\x00\x00" + strings.Repeat("\x00", 16) + "\x10\x00\x12\x00archive/data.pklFB", onnxgraph.KindTorch},
		{"pytorch before 1.6", "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.", onnxgraph.KindTorch},
		{"npz", "PK\x03\x04\x2d\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 16) + "\x09\x00\x14\x00arr_0.npy", onnxgraph.KindNumPy},
		{"npy", "\x93NUMPY\x01\x00v\x00{'descr': '<f4'}", onnxgraph.KindNumPy},
		{"safetensors", "\x02\x00\x00\x00\x00\x00\x00\x00{}", onnxgraph.KindSafetensors},
		{"gguf", "GGUF\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00", onnxgraph.KindGGUF},
		{"hdf5", "\x89HDF\r\n\x1a\n\x00\x00", onnxgraph.KindHDF5},
		{"pickle", "\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01a", onnxgraph.KindPickle},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", onnxgraph.KindGzip},
		{"zstd", "\x28\xb5\x2f\xfd\x04\x00", onnxgraph.KindZstd},
		{"html", "\n<!DOCTYPE html>\n<html><body>Not found</body></html>", onnxgraph.KindHTML},
		{"html without doctype", "<HTML><head>", onnxgraph.KindHTML},
		{"xml", "<?xml version=\"1.0\"?><net name=\"x\">", onnxgraph.KindXML},
		{"openvino xml", "<net name=\"x\" version=\"11\">", onnxgraph.KindXML},
		{"json", "{\"error\": \"Invalid username or password.\"}", onnxgraph.KindJSON},
		{"onnx text", "<\n  ir_version: 8,\n  opset_import: [\"\" : 17]\n>\nagraph (float[N] x) => (float[N] y) { y = Relu(x) }", onnxgraph.KindONNXText},
		{"protobuf text", "ir_version: 8\ngraph {\n  node {\n", onnxgraph.KindProtoText},
		{"text", "hello, world", onnxgraph.KindText},
		{"text with a byte order mark", "\xef\xbb\xbfhello", onnxgraph.KindText},
		{"ELF", "\x7fELF\x02\x01\x01\x00", onnxgraph.KindProgram},
		{"PE", "MZ\x90\x00\x03\x00\x00\x00", onnxgraph.KindProgram},
		// TensorProto: dims 2, FLOAT, two floats in raw_data.
		{"tensor", "\x08\x02\x10\x01\x4a\x08\x00\x00\x80\x3f\x00\x00\x00\x40", onnxgraph.KindTensorProto},
		{"string tensor", "\x08\x01\x10\x08\x32\x01a\x42\x01y", onnxgraph.KindTensorProto},
		{"ir_version alone", "\x08\x08", onnxgraph.KindNoGraph},
		{"model without a graph", "\x08\x08\x12\x07pytorch\x42\x02\x10\x11", onnxgraph.KindNoGraph},
		// A TensorFlow SavedModel: schema version 1, then a MetaGraphDef.
		{"other protobuf", "\x08\x01\x12\x04\x0a\x02\x08\x01", onnxgraph.KindNoGraph},
	} {
		_, err := readText(c.file)
		var e *onnxgraph.NotONNXError
		if !errors.As(err, &e) || e.Kind != c.want {
			t.Errorf("%s: error %v, want kind %s", c.name, err, c.want)
		} else if !strings.Contains(err.Error(), ": ") || strings.HasSuffix(err.Error(), ": ") {
			t.Errorf("%s: no words for it: %v", c.name, err)
		}
	}
}

// TestEveryKindHasWords: a kind without an explanation would print as nothing.
func TestEveryKindHasWords(t *testing.T) {
	for _, k := range onnxgraph.FileKinds() {
		if text := (&onnxgraph.NotONNXError{Kind: k}).Error(); len(text) < len("not an ONNX model: it is") {
			t.Errorf("%s: %q", k, text)
		}
	}
}

// TestModelsThatLookLikeOtherFiles: a model that can be read is a model,
// whatever its first bytes.
func TestModelsThatLookLikeOtherFiles(t *testing.T) {
	// Bytes 4 to 8 are ORTM: a producer_name of four bytes after ir_version.
	file := "\x08\x08\x12\x04ORTM\x3a\x00"
	if m, err := readText(file); err != nil || m.ProducerName != "ORTM" {
		t.Errorf("%v", err)
	}
}

// TestOddVersions: wrong or missing versions are for diagnostics, not errors.
func TestOddVersions(t *testing.T) {
	for _, file := range []string{
		"\x3a\x00",             // an empty graph alone
		"\x08\x00\x3a\x00",     // ir_version 0
		"\x08\x99\x01\x3a\x00", // ir_version 153
		"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x3a\x00", // ir_version -1
	} {
		if m, err := readText(file); err != nil || m.Graph == nil {
			t.Errorf("%x: %v", file, err)
		}
	}
}

// TestNegativeSize: a size that no file has is an empty file.
func TestNegativeSize(t *testing.T) {
	var e *onnxgraph.NotONNXError
	if _, err := onnxgraph.Read(strings.NewReader("x"), -1); !errors.As(err, &e) || e.Kind != onnxgraph.KindEmpty {
		t.Errorf("%v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := onnxgraph.Open(filepath.Join(dir, "none.onnx"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	_, err = onnxgraph.Open(dir)
	var e *onnxgraph.NotONNXError
	if !errors.As(err, &e) || e.Kind != onnxgraph.KindFolder || !strings.Contains(err.Error(), dir) {
		t.Errorf("folder: %v", err)
	}
	empty := filepath.Join(dir, "empty.onnx")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = onnxgraph.Open(empty); !errors.As(err, &e) || e.Kind != onnxgraph.KindEmpty || !strings.Contains(err.Error(), empty) {
		t.Errorf("empty file: %v", err)
	}
}

// TestTruncated cuts a model of every kind of field at each byte. Every cut
// inside a field is found, at the end of the file, with the field's path.
func TestTruncated(t *testing.T) {
	file := everything(t)
	if len(file) > 20_000 {
		t.Fatalf("%d bytes are not a small model", len(file))
	}
	whole := 0
	for n := range file {
		m, err := readText(string(file[:n]))
		if err == nil {
			whole++ // cut between two fields of the model, after the graph
			if m.Graph == nil {
				t.Errorf("cut at %d: no graph, no error", n)
			}
			continue
		}
		var e *onnxgraph.FormatError
		var not *onnxgraph.NotONNXError
		switch {
		case errors.As(err, &e):
			if e.Code != onnxgraph.Truncated || e.Offset != int64(n) || e.Path == "" && n > 2 && file[n-1] < 0x80 {
				t.Errorf("cut at %d: %v", n, err)
			}
		case errors.As(err, &not):
			if not.Kind != onnxgraph.KindNoGraph && not.Kind != onnxgraph.KindEmpty {
				t.Errorf("cut at %d: %v", n, err)
			}
		default:
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	if whole > 100 {
		t.Errorf("%d of %d cuts look whole", whole, len(file))
	}
}

// TestTruncatedField names the innermost field in which a file ends.
func TestTruncatedField(t *testing.T) {
	file := modeltest.New(17).
		InitZeros("a", onnxgraph.Float, 4).
		InitZeros("b", onnxgraph.Float, 1000).
		Bytes()
	_, err := readText(string(file[:len(file)-10]))
	var e *onnxgraph.FormatError
	if !errors.As(err, &e) || e.Path != "graph.initializer[1].raw_data" || e.Offset != int64(len(file)-10) {
		t.Errorf("%v", err)
	}
	if want := "the file ends here, at least 10 bytes too early"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v does not say %q", err, want)
	}
}

// TestCutFixtures cuts each of the audit's fixtures at each byte, the two that
// are deep and large at fewer: whatever is left is read, or refused with an
// error that has words.
func TestCutFixtures(t *testing.T) {
	paths, err := filepath.Glob("../testdata/audit/*.onnx")
	if err != nil || len(paths) < 50 {
		t.Fatalf("%d fixtures, %v", len(paths), err)
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	for _, path := range paths {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(file); n += step + len(file)/4096 {
			if m, err := readText(string(file[:n])); err == nil && m.Graph == nil || err != nil && err.Error() == "" {
				t.Errorf("%s cut at %d: %v", path, n, err)
			}
		}
	}
}
