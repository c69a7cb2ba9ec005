package onnxgraph_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

func TestCheckLocation(t *testing.T) {
	for _, good := range []string{"w.bin", "sub/w.bin", "a..b", "...", "sub/./w.bin", "model.onnx_data", "weights 1.bin", "ünï.bin"} {
		if err := onnxgraph.CheckLocation(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "/etc/passwd", "..", "../w.bin", "sub/../../w.bin", "sub/..", `..\w.bin`, `sub\..\w.bin`,
		`C:\w.bin`, "C:w.bin", `\\server\share\w.bin`, "//server/share", `\w.bin`, "w\x00.bin", "*/_ORT_MEM_ADDR_/*",
	} {
		if onnxgraph.CheckLocation(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// openWith writes a model of one external tensor INT8[3] beside the given data
// files and opens it.
func openWith(t *testing.T, built modeltest.Tensor, files map[string]string) *onnxgraph.File {
	t.Helper()
	path := modeltest.New(17).InitTensor(built).File(t, "m.onnx")
	for name, text := range files {
		file := filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := onnxgraph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func external(location string, offset, length int64) modeltest.Tensor {
	return modeltest.ExternalTensor("w", onnxgraph.Int8, []int64{3}, location, offset, length)
}

func TestExternalData(t *testing.T) {
	files := map[string]string{"w.bin": "\x01\x02\x03\x04\x05", "sub/w.bin": "\x07\x08\x09"}
	for _, c := range []struct {
		name   string
		tensor modeltest.Tensor
		want   []int64
		code   onnxgraph.DataCode
	}{
		{"whole keys", external("w.bin", 1, 3), []int64{2, 3, 4}, ""},
		{"no offset", external("w.bin", -1, 3), []int64{1, 2, 3}, ""},
		{"no length", external("w.bin", 2, -1), []int64{3, 4, 5}, ""},
		{"in a folder", external("sub/w.bin", -1, -1), []int64{7, 8, 9}, ""},
		{"past the end", external("w.bin", 3, 3), nil, onnxgraph.DataRange},
		{"offset past the end", external("w.bin", 1<<62, -1), nil, onnxgraph.DataRange},
		{"length is not dims x type", external("w.bin", 0, 4), nil, onnxgraph.DataSize},
		{"missing file", external("v.bin", 0, 3), nil, onnxgraph.DataMissing},
		{"parent folder", external("../w.bin", 0, 3), nil, onnxgraph.DataLocation},
		{"a folder", external("sub", 0, 3), nil, onnxgraph.DataMissing},
	} {
		w := openWith(t, c.tensor, files).Graph.Initializers[0]
		got, err := w.Int64s(-1)
		if c.code != "" {
			wantCode(t, c.name, err, c.code)
		} else if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	_, err := openWith(t, external("v.bin", 0, 3), nil).Graph.Initializers[0].Open()
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

// TestExternalNumbers: offsets and lengths are text in the file.
func TestExternalNumbers(t *testing.T) {
	for _, value := range []string{"-1", "x", "", "1.5", "99999999999999999999", "0x10", " 1"} {
		w := &onnxgraph.Tensor{Name: "w", External: true, ExternalData: []onnxgraph.StringEntry{{Key: "location", Value: "w"}, {Key: "offset", Value: value}}}
		_, _, _, err := w.ExternalLocation()
		wantCode(t, value, err, onnxgraph.DataRange)
	}
	w := &onnxgraph.Tensor{ExternalData: []onnxgraph.StringEntry{{"location", "a"}, {"location", "b"}, {"length", "7"}}}
	if location, offset, length, err := w.ExternalLocation(); location != "b" || offset != 0 || length != 7 || err != nil {
		t.Errorf("%q, %d, %d, %v", location, offset, length, err)
	}
}

// TestSymbolicLinks: a link may stay in the folder, or lead to where the model's
// own link leads, as in the cache of the Hugging Face hub. Any other is refused.
func TestSymbolicLinks(t *testing.T) {
	root := t.TempDir()
	mkdir := func(name string) string {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	write := func(path string, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, path string) {
		if err := os.Symlink(to, path); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	read := func(path string) error {
		f, err := onnxgraph.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		_, err = f.Graph.Initializers[0].Int64s(-1)
		return err
	}
	blobs, snapshot, outside, inside := mkdir("blobs"), mkdir("snapshot"), mkdir("outside"), mkdir("inside/sub")
	model := modeltest.New(17).InitTensor(external("w.bin", 0, 3)).Bytes()

	write(filepath.Join(blobs, "1234"), model)
	write(filepath.Join(blobs, "5678"), []byte("abc"))
	link(filepath.Join("..", "blobs", "1234"), filepath.Join(snapshot, "model.onnx"))
	link(filepath.Join("..", "blobs", "5678"), filepath.Join(snapshot, "w.bin"))
	if err := read(filepath.Join(snapshot, "model.onnx")); err != nil {
		t.Errorf("hub cache: %v", err)
	}

	write(filepath.Join(outside, "model.onnx"), model)
	link(filepath.Join("..", "blobs", "5678"), filepath.Join(outside, "w.bin"))
	wantCode(t, "a link out of the folder", read(filepath.Join(outside, "model.onnx")), onnxgraph.DataMissing)

	write(filepath.Join(root, "inside", "model.onnx"), model)
	write(filepath.Join(inside, "real.bin"), []byte("abc"))
	link(filepath.Join("sub", "real.bin"), filepath.Join(root, "inside", "w.bin"))
	if err := read(filepath.Join(root, "inside", "model.onnx")); err != nil {
		t.Errorf("a link inside the folder: %v", err)
	}
}

// TestClosedFile: values are gone, everything else stays.
func TestClosedFile(t *testing.T) {
	f := openWith(t, external("w.bin", 0, 3), map[string]string{"w.bin": "abc"})
	w := f.Graph.Initializers[0]
	if _, err := w.Int64s(-1); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := w.Int64s(-1)
	wantCode(t, "external data of a closed file", err, onnxgraph.DataMissing)
	if w.Name != "w" {
		t.Errorf("name %q", w.Name)
	}
	inner := openWith(t, modeltest.NewTensor("w", []int64{3}, []int8{1, 2, 3}), nil)
	inner.Close()
	_, err = inner.Graph.Initializers[0].Int64s(-1)
	wantCode(t, "values of a closed file", err, onnxgraph.DataDamaged)
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed file: %v", err)
	}
}

// TestExternalWithoutFolder: a model read from bytes has nowhere to look.
func TestExternalWithoutFolder(t *testing.T) {
	_, err := tensorOf(t, external("w.bin", 0, 3)).Int64s(-1)
	wantCode(t, "no folder", err, onnxgraph.DataMissing)
}

// memoryData opens data files that are in memory, and counts how often.
type memoryData struct {
	files  map[string]string
	opened int
}

type memoryFile struct{ *bytes.Reader }

func (memoryFile) Close() error { return nil }

func (m *memoryData) OpenData(location string) (onnxgraph.DataFile, error) {
	m.opened++
	text, ok := m.files[location]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return memoryFile{bytes.NewReader([]byte(text))}, nil
}

// TestOpener: data files come from the opener, each once however many ask.
func TestOpener(t *testing.T) {
	file := modeltest.New(17).InitTensor(external("w.bin", 1, 3)).Bytes()
	data := &memoryData{files: map[string]string{"w.bin": "abcde"}}
	m, err := onnxgraph.ReadWith(bytes.NewReader(file), int64(len(file)), data)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			h := sha256.New()
			if err := m.Graph.Initializers[0].WriteData(h); err != nil {
				t.Error(err)
			}
			if want := sha256.Sum256([]byte("bcd")); !bytes.Equal(h.Sum(nil), want[:]) {
				t.Error("wrong bytes")
			}
		})
	}
	wait.Wait()
	if data.opened != 1 {
		t.Errorf("opened %d times", data.opened)
	}
}
