//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"onnxmem/testdata/corpus"
)

// maxResident is what the program may take for a report on BERT, in bytes. 30 MB are
// reached, and 34 MB were seen: it varies with the moments of garbage collection.
const maxResident = 40 << 20

// TestProcessMemory runs the program on a BERT of 440 MB.
func TestProcessMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program, model := buildProgram(t), bertFile(t)
	for _, args := range [][]string{{"report"}, {"report", "--train"}, {"report", "--format", "json"}} {
		if resident := residentMemory(t, program, append(args, "--dim", "batch=8", "--dim", "seq=128", model)...); resident > maxResident {
			t.Errorf("%v: %d bytes resident, may be %d", args, resident, maxResident)
		} else {
			t.Logf("%v: %d bytes resident", args, resident)
		}
	}
}

// BenchmarkProcess measures the program from start to end on a BERT of 440 MB.
func BenchmarkProcess(b *testing.B) {
	program, model := buildProgram(b), bertFile(b)
	info, err := os.Stat(model)
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct {
		name string
		args []string
	}{{"report", []string{"report"}}, {"train", []string{"report", "--train"}}, {"shapes", []string{"shapes"}}} {
		b.Run(bench.name, func(b *testing.B) {
			most := int64(0)
			for b.Loop() {
				most = max(most, residentMemory(b, program, append(bench.args, "--dim", "batch=8", "--dim", "seq=128", model)...))
			}
			b.ReportMetric(float64(most)/(1<<20), "MiB-resident")
			b.ReportMetric(float64(info.Size())/1e6, "MB-file")
		})
	}
}

func buildProgram(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "onnxmem")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return path
}

// residentMemory runs a program and returns the most memory that it had
// resident, in bytes. On Linux a new process begins with the mark of the one
// that starts it, so GNU time, which is small, stands between where it is
// installed.
func residentMemory(tb testing.TB, program string, args ...string) int64 {
	tb.Helper()
	cmd := exec.Command(program, args...)
	mark := filepath.Join(tb.TempDir(), "resident")
	gnuTime, err := exec.LookPath("time")
	if err == nil && runtime.GOOS == "linux" {
		cmd = exec.Command(gnuTime, append([]string{"-f", "%M", "-o", mark, program}, args...)...)
	}
	out, err := cmd.Output()
	if err != nil || len(out) == 0 {
		tb.Fatalf("%v: %v", args, err)
	}
	if text, err := os.ReadFile(mark); err == nil {
		kilobytes, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		return 1024 * kilobytes
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		tb.Skip("the system does not say what a process took")
	}
	resident := usage.Maxrss
	if runtime.GOOS != "darwin" { // there it is bytes, elsewhere kilobytes
		resident *= 1024
	}
	return resident
}

// bertFile writes the zoo's BERT with its weights inside the file, as holes, so
// that it takes no room on disk.
func bertFile(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "bert.onnx")
	w := &holeWriter{tb: tb}
	w.message(modelGraph, corpus.ZooNamed(tb, "bert_base_ts14").Bytes(tb), w.graph)
	w.writeTo(path)
	return path
}

// Field numbers of onnx.proto.
const (
	modelGraph       = 7
	graphInitializer = 5
	tensorDims       = 1
	tensorType       = 2
	tensorRaw        = 9
	tensorExternal   = 13
	tensorLocation   = 14
)

// A holeWriter collects the pieces of a file: bytes, and holes between them.
type holeWriter struct {
	tb     testing.TB
	pieces []piece
}

type piece struct {
	bytes []byte
	hole  int64
}

func size(pieces []piece) (n int64) {
	for _, p := range pieces {
		n += int64(len(p.bytes)) + p.hole
	}
	return n
}

// message copies a message but for one field, whose content inside writes.
func (w *holeWriter) message(field protowire.Number, data []byte, inside func(data []byte)) {
	for len(data) > 0 {
		number, typ, n := protowire.ConsumeTag(data)
		if n < 0 {
			w.tb.Fatal(protowire.ParseError(n))
		}
		m := protowire.ConsumeFieldValue(number, typ, data[n:])
		if m < 0 {
			w.tb.Fatal(protowire.ParseError(m))
		}
		if number != field {
			w.pieces = append(w.pieces, piece{bytes: data[:n+m]})
			data = data[n+m:]
			continue
		}
		content, _ := protowire.ConsumeBytes(data[n:])
		outer := w.pieces
		w.pieces = nil
		inside(content)
		inner := w.pieces
		head := protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.BytesType), uint64(size(inner)))
		w.pieces = append(append(outer, piece{bytes: head}), inner...)
		data = data[n+m:]
	}
}

func (w *holeWriter) graph(data []byte) { w.message(graphInitializer, data, w.tensor) }

// tensor copies a float tensor, with a hole as raw_data in place of external
// data.
func (w *holeWriter) tensor(data []byte) {
	elements, float, external := int64(1), false, false
	var kept []byte
	for rest := data; len(rest) > 0; {
		number, typ, n := protowire.ConsumeTag(rest)
		m := protowire.ConsumeFieldValue(number, typ, rest[n:])
		value, _ := protowire.ConsumeVarint(rest[n:])
		switch {
		case number == tensorDims && typ == protowire.VarintType:
			elements *= int64(value)
		case number == tensorDims:
			for packed, _ := protowire.ConsumeBytes(rest[n:]); len(packed) > 0; {
				v, k := protowire.ConsumeVarint(packed)
				elements, packed = elements*int64(v), packed[k:]
			}
		case number == tensorType:
			float = value == 1
		case number == tensorLocation:
			external = value == 1
		}
		if number != tensorExternal && number != tensorLocation {
			kept = append(kept, rest[:n+m]...)
		}
		rest = rest[n+m:]
	}
	if !float || !external {
		w.pieces = append(w.pieces, piece{bytes: data})
		return
	}
	kept = protowire.AppendVarint(protowire.AppendTag(kept, tensorRaw, protowire.BytesType), uint64(4*elements))
	w.pieces = append(w.pieces, piece{bytes: kept, hole: 4 * elements})
}

func (w *holeWriter) writeTo(path string) {
	f, err := os.Create(path)
	if err != nil {
		w.tb.Fatal(err)
	}
	defer f.Close()
	at := int64(0)
	for _, p := range w.pieces {
		if _, err := f.WriteAt(p.bytes, at); err != nil {
			w.tb.Fatal(err)
		}
		at += int64(len(p.bytes)) + p.hole
	}
	if err := f.Truncate(at); err != nil {
		w.tb.Fatal(err)
	}
}
