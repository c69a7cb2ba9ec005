package onnxgraph_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

// TestCheckData: payloads that ONNX Runtime 1.32 refuses to load, and others that
// it takes, a data file that is elsewhere among them.
func TestCheckData(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "data"), make([]byte, 64), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		clause string
		tensor modeltest.Tensor
		want   onnxgraph.DataCode // empty: none
	}{
		{"raw data", modeltest.RawTensor("w", onnxgraph.Float, []int64{4, 4}, make([]byte, 64)), ""},
		{"raw data that is short", modeltest.RawTensor("w", onnxgraph.Float, []int64{4, 4}, make([]byte, 60)), onnxgraph.DataSize},
		{"raw data that is long", modeltest.RawTensor("w", onnxgraph.Int4, []int64{3}, make([]byte, 3)), onnxgraph.DataSize},
		{"packed raw data", modeltest.RawTensor("w", onnxgraph.Int4, []int64{3}, make([]byte, 2)), ""},
		{"floats", modeltest.NewTensor("w", []int64{2}, []float32{1, 2}), ""},
		{"floats that are few", modeltest.NewTensor("w", []int64{3}, []float32{1, 2}), onnxgraph.DataSize},
		{"no values", modeltest.RawTensor("w", onnxgraph.Float, []int64{0}, nil), ""},
		{"external data", modeltest.ExternalTensor("w", onnxgraph.Float, []int64{16}, "data", 0, 64), ""},
		{"external data of another length", modeltest.ExternalTensor("w", onnxgraph.Float, []int64{16}, "data", 0, 32), onnxgraph.DataSize},
		{"external data past the end", modeltest.ExternalTensor("w", onnxgraph.Float, []int64{16}, "data", 8, 64), onnxgraph.DataRange},
		{"external data outside the folder", modeltest.ExternalTensor("w", onnxgraph.Float, []int64{16}, "../data", 0, 64), onnxgraph.DataLocation},
		{"external data that is not here", modeltest.ExternalTensor("w", onnxgraph.Float, []int64{16}, "elsewhere", 0, 64), ""},
	} {
		t.Run(test.clause, func(t *testing.T) {
			path := filepath.Join(dir, "m.onnx")
			if err := os.WriteFile(path, modeltest.New(17).InitTensor(test.tensor).Output("w").Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			m, err := onnxgraph.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			err = m.Graph.Initializers[0].CheckData()
			var wrong *onnxgraph.DataError
			if errors.As(err, &wrong); wrong == nil && (test.want != "" || err != nil) || wrong != nil && wrong.Code != test.want {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
