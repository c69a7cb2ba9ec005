package corpus

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A Model is the bytes of one .onnx file inside an archive.
type Model struct {
	Name string // without .onnx
	file *zip.File
}

// ReadBytes unpacks the model.
func (m Model) ReadBytes() ([]byte, error) {
	r, err := m.file.Open()
	if err != nil {
		return nil, fmt.Errorf("corpus: model %s: %w", m.Name, err)
	}
	data, err := io.ReadAll(r)
	if cerr := r.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("corpus: model %s: %w", m.Name, err)
	}
	return data, nil
}

// Bytes unpacks the model and fails the test when that is impossible.
func (m Model) Bytes(t testing.TB) []byte {
	t.Helper()
	data, err := m.ReadBytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// WriteFile unpacks the model to a file in a folder of the test's own and
// returns its path, for code that takes paths.
func (m Model) WriteFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), m.Name+".onnx")
	if err := os.WriteFile(path, m.Bytes(t), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// openArchive reads a whole archive into memory, so that nothing has to be
// closed and models can be unpacked from several goroutines.
func openArchive(elements ...string) (*zip.Reader, error) {
	path := filepath.Join(elements...)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("corpus: %s: %w", path, err)
	}
	return z, nil
}

// models indexes the files of an archive by name, suffix included.
func models(z *zip.Reader) map[string]*zip.File {
	index := make(map[string]*zip.File, len(z.File))
	for _, f := range z.File {
		index[f.Name] = f
	}
	return index
}
