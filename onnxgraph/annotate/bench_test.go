package annotate_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/annotate"
	"onnxmem/onnxgraph/modeltest"
)

// sparseModel writes a chain of nodes with a weight of size bytes each, which
// are holes in the file.
func sparseModel(tb testing.TB, weights int, size int64) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "sparse.onnx")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var nodes []byte
	var heads [][]byte // of the weights: field, length and TensorProto up to the payload
	graph := int64(0)
	for i := range weights {
		node := field(1, fmt.Sprintf("x%d", i)) + field(1, fmt.Sprintf("w%d", i)) + field(2, fmt.Sprintf("x%d", i+1)) + field(4, "Add")
		nodes = append(nodes, field(1, node)...)
		tensor := field(1, string(protowire.AppendVarint(nil, uint64(size)))) + "\x10\x03" + field(8, fmt.Sprintf("w%d", i)) + "\x4a"
		tensor = string(protowire.AppendVarint([]byte(tensor), uint64(size)))
		head := protowire.AppendVarint([]byte{0x2a}, uint64(len(tensor))+uint64(size))
		heads = append(heads, append(head, tensor...))
		graph += int64(len(heads[i])) + size
	}
	at := int64(0)
	write := func(b []byte) {
		if _, err := f.WriteAt(b, at); err != nil {
			tb.Fatal(err)
		}
		at += int64(len(b))
	}
	write(protowire.AppendVarint([]byte("\x08\x08\x3a"), uint64(graph)+uint64(len(nodes))))
	write(nodes)
	for _, head := range heads {
		write(head)
		at += size
	}
	write([]byte(field(8, "\x10\x11")))
	if err := f.Truncate(at); err != nil {
		tb.Fatal(err)
	}
	return path
}

// annotateFile reads a model file and writes it with one more entry for each
// node; the bytes go to w.
func annotateFile(tb testing.TB, path string, w io.Writer) int64 {
	tb.Helper()
	f, err := onnxgraph.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	s := annotate.Scope{Graph: f.Graph}
	for _, n := range f.Graph.Nodes {
		s.Add = append(s.Add, &onnxgraph.ValueInfo{Name: n.Outputs[0], Type: modeltest.TensorType(onnxgraph.Float, "n", 8)})
	}
	p, err := annotate.NewPlan(f, f.Model, []annotate.Scope{s})
	if err != nil {
		tb.Fatal(err)
	}
	n, err := p.WriteTo(w)
	if err != nil || n != p.Size() {
		tb.Fatalf("%d bytes of %d: %v", n, p.Size(), err)
	}
	return n
}

// BenchmarkAnnotate writes files of 2 MB and of 2 GB, both of 256 weights. What
// is allocated (B/op) is the same but for the window that reads across the
// payloads.
func BenchmarkAnnotate(b *testing.B) {
	for _, size := range []int64{8 << 10, 8<<20 - 1<<10} {
		path := sparseModel(b, 256, size)
		b.Run(fmt.Sprintf("%d_MiB", 256*size>>20), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.SetBytes(annotateFile(b, path, io.Discard))
			}
		})
	}
}

// TestMemory: a file of 256 MiB is written with the memory that one of 256 KiB
// takes.
func TestMemory(t *testing.T) {
	small, large := sparseModel(t, 64, 4<<10), sparseModel(t, 64, 4<<20)
	cost := func(path string) int64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		annotateFile(t, path, io.Discard)
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc - before.TotalAlloc)
	}
	if a, b := cost(small), cost(large); b > a+a/4+64<<10 {
		t.Errorf("%d bytes allocated for 256 KiB, %d for 256 MiB", a, b)
	}
}
