package onnxgraph_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/internal/onnxpb"
	"onnxmem/onnxgraph/modeltest"
)

// bigModel writes a model of that many float tensors of size bytes each, each
// with a node that uses it. The payloads are holes, so that the file takes no
// room on disk.
func bigModel(tb testing.TB, tensors, size int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "big.onnx")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	head := func(i int) []byte { // a TensorProto up to its payload
		b := protowire.AppendTag(nil, 1, protowire.VarintType)
		b = protowire.AppendVarint(b, uint64(size/4))
		b = append(b, 2<<3, 1) // data_type FLOAT
		b = protowire.AppendTag(b, 8, protowire.BytesType)
		b = protowire.AppendString(b, fmt.Sprintf("w%d", i))
		b = protowire.AppendTag(b, 9, protowire.BytesType)
		return protowire.AppendVarint(b, uint64(size))
	}
	node := func(i int) []byte {
		var n []byte
		for _, s := range []string{fmt.Sprintf("x%d", i), fmt.Sprintf("w%d", i)} {
			n = protowire.AppendString(protowire.AppendTag(n, 1, protowire.BytesType), s)
		}
		n = protowire.AppendString(protowire.AppendTag(n, 2, protowire.BytesType), fmt.Sprintf("x%d", i+1))
		return protowire.AppendString(protowire.AppendTag(n, 4, protowire.BytesType), "MatMul")
	}
	field := func(number protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), b)
	}
	var nodes []byte
	for i := range tensors {
		nodes = append(nodes, field(1, node(i))...)
	}
	graph := int64(len(nodes))
	for i := range tensors {
		n := len(head(i)) + size
		graph += int64(protowire.SizeTag(5) + protowire.SizeBytes(n))
	}
	at := int64(0)
	write := func(b []byte) {
		if _, err := f.WriteAt(b, at); err != nil {
			tb.Fatal(err)
		}
		at += int64(len(b))
	}
	write([]byte{1 << 3, 10}) // ir_version
	write(protowire.AppendVarint(protowire.AppendTag(nil, 7, protowire.BytesType), uint64(graph)))
	write(nodes)
	for i := range tensors {
		h := head(i)
		write(protowire.AppendVarint(protowire.AppendTag(nil, 5, protowire.BytesType), uint64(len(h)+size)))
		write(h)
		at += int64(size)
	}
	write([]byte{8<<3 | 2, 2, 2 << 3, 17}) // opset_import
	if err := f.Truncate(at); err != nil {
		tb.Fatal(err)
	}
	return path
}

// weightBytes walks everything in the main graph and adds up the weights.
func weightBytes(m *onnxgraph.Model) (total int64) {
	for _, t := range m.Graph.Initializers {
		n, _ := t.StoredBytes()
		total += n
	}
	for _, n := range m.Graph.Nodes {
		total += int64(len(n.Inputs) - 2)
	}
	return total
}

// BenchmarkOpen1GiB opens and walks a file of 1 GiB in 512 tensors, with our
// reader and with generated code. peak-MiB is the peak resident memory of the
// whole test process.
func BenchmarkOpen1GiB(b *testing.B) {
	path := bigModel(b, 512, 2<<20)
	b.Run("onnxgraph", func(b *testing.B) {
		peak := resetPeak()
		for b.Loop() {
			f, err := onnxgraph.Open(path)
			if err != nil {
				b.Fatal(err)
			}
			if n := weightBytes(f.Model); n != 1<<30 {
				b.Fatalf("%d bytes of weights", n)
			}
			f.Close()
		}
		b.ReportMetric(peak(), "peak-MiB")
	})
	b.Run("proto.Unmarshal", func(b *testing.B) {
		const need = 4 << 30 // the file, the copy of every payload, and room to spare
		if free := availableMemory(); free < need {
			b.Skipf("it takes about 2.1 GiB, twice the file, and %d MiB are free", free>>20)
		}
		peak := resetPeak()
		for b.Loop() {
			b.StopTimer()
			debug.FreeOSMemory() // else the peak holds several rounds
			b.StartTimer()
			file, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			var m onnxpb.ModelProto
			if err := proto.Unmarshal(file, &m); err != nil {
				b.Fatal(err)
			}
			if n := len(m.Graph.Initializer); n != 512 {
				b.Fatalf("%d tensors", n)
			}
		}
		b.ReportMetric(peak(), "peak-MiB")
		debug.FreeOSMemory()
	})
}

// manyNodes is a model of a chain of nodes, each with a name, attributes and a
// declared type, as exporters write them.
func manyNodes(nodes int) []byte {
	m := modeltest.New(17).Input("x0", onnxgraph.Float, "batch", 64, 56, 56)
	for i := range nodes {
		in, out := fmt.Sprintf("/layer%d/block/x%d", i/10, i), fmt.Sprintf("/layer%d/block/x%d", (i+1)/10, i+1)
		m.Node("Conv", []string{in, "w"}, []string{out}, modeltest.NodeName(fmt.Sprintf("/layer%d/block/Conv_%d", i/10, i)),
			modeltest.Ints("dilations", 1, 1), modeltest.Int("group", 1), modeltest.Ints("kernel_shape", 3, 3),
			modeltest.Ints("pads", 1, 1, 1, 1), modeltest.Ints("strides", 1, 1))
		m.Value(out, onnxgraph.Float, "batch", 64, 56, 56)
	}
	return m.Output(fmt.Sprintf("x%d", nodes)).Bytes()
}

// BenchmarkOpenNodes opens a graph of 100,000 nodes with 500,000 attributes.
func BenchmarkOpenNodes(b *testing.B) {
	file := manyNodes(100_000)
	path := filepath.Join(b.TempDir(), "nodes.onnx")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("onnxgraph", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			f, err := onnxgraph.Open(path)
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
	b.Run("proto.Unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			file, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			var m onnxpb.ModelProto
			if err := proto.Unmarshal(file, &m); err != nil {
				b.Fatal(err)
			}
		}
	})
}
