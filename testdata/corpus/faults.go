package corpus

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A Fault is a small model on which a program like this one was wrong once:
// sensible ones, and files made by hand or by mutation that nothing may fall
// over. The tests that read them by name say what is right.
type Fault struct {
	Name string // without .onnx
	path string
}

// ReadBytes reads the model.
func (f Fault) ReadBytes() ([]byte, error) {
	data, err := os.ReadFile(f.path)
	if err == nil && strings.HasSuffix(f.path, ".gz") {
		data, err = unzip(data)
	}
	if err != nil {
		return nil, fmt.Errorf("corpus: fault %s: %w", f.Name, err)
	}
	return data, nil
}

// Bytes is [Fault.ReadBytes] for tests.
func (f Fault) Bytes(t testing.TB) []byte {
	t.Helper()
	data, err := f.ReadBytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func unzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// ReadFaults lists the models of the faults folder, sorted by name.
func ReadFaults(root string) ([]Fault, error) {
	paths, err := filepath.Glob(filepath.Join(root, "faults", "*.onnx*"))
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	list := make([]Fault, len(paths))
	for i, path := range paths {
		list[i] = Fault{Name: strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".onnx"), path: path}
	}
	return list, nil
}

// Faults is [ReadFaults] for tests.
func Faults(t testing.TB) []Fault {
	t.Helper()
	return fromRoot(t, ReadFaults)
}

// FaultBytes reads the fault of that name.
func FaultBytes(t testing.TB, name string) []byte {
	t.Helper()
	for _, f := range Faults(t) {
		if f.Name == name {
			return f.Bytes(t)
		}
	}
	t.Fatalf("corpus: no fault %s", name)
	return nil
}
