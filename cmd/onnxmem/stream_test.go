package main

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

// endless is a reader without an end.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	e.read += int64(len(p))
	return len(p), nil
}

// A stream is what was read, at every offset.
func TestStreamReadsAtAnyOffset(t *testing.T) {
	// The model makes the head plausible; a weight takes it past the pieces.
	data := modeltest.New(17).InitZeros("w", onnxgraph.Uint8, 2*streamPiece+12345).Bytes()
	source := rand.New(rand.NewPCG(1, 2))
	for i := streamHead; i < len(data); i++ {
		data[i] = byte(source.Uint32())
	}
	for _, size := range []int{0, 1, streamHead - 1, streamHead, streamHead + 1, streamHead + streamPiece, streamHead + streamPiece + 1, len(data)} {
		s, err := bufferStream(iotest.OneByteReader(bytes.NewReader(data[:min(size, 100)])), 1<<30)
		if size > 100 {
			s, err = bufferStream(bytes.NewReader(data[:size]), 1<<30)
		}
		if err != nil || s.size != int64(size) {
			t.Fatalf("%d bytes: %v", size, err)
		}
		for range 10 {
			from := source.IntN(size + 1)
			got := make([]byte, source.IntN(2*streamPiece))
			n, err := s.ReadAt(got, int64(from))
			if want := data[from:min(from+len(got), size)]; !bytes.Equal(got[:n], want) || (err == nil) != (n == len(got)) {
				t.Fatalf("%d bytes at %d of %d: %d, %v", len(got), from, size, n, err)
			}
		}
	}
}

// A stream that never ends is refused at the limit, which the error names; one
// that is no model, before.
func TestStreamIsBounded(t *testing.T) {
	const limit = streamHead + 3*streamPiece
	zeros := &endless{}
	if _, err := bufferStream(zeros, limit); err == nil || zeros.read > streamHead+4096 {
		t.Errorf("zeros: %v, after %d bytes", err, zeros.read)
	}
	// A weight that passes the limit is refused when its length is read, others
	// when the limit is.
	for weight, read := range map[int64]int64{limit + 1: streamHead, limit / 2: limit + streamPiece} {
		head := modeltest.New(17).InitZeros("w", onnxgraph.Uint8, weight).Bytes()[:1<<16]
		rest := &endless{}
		_, err := bufferStream(io.MultiReader(bytes.NewReader(head), rest), limit)
		if err == nil || !strings.Contains(err.Error(), "the limit for a stream") || rest.read > read {
			t.Errorf("a weight of %d bytes: %v, after %d bytes", weight, err, rest.read)
		}
	}
	head := modeltest.New(17).InitZeros("w", onnxgraph.Uint8, limit/2).Bytes()[:1<<16]
	failure := errors.New("unplugged")
	if _, err := bufferStream(io.MultiReader(bytes.NewReader(head), iotest.ErrReader(failure)), limit); !errors.Is(err, failure) {
		t.Errorf("a failing source: %v", err)
	}
	var stdout, stderr bytes.Buffer
	if code := run([]string{"report", "-"}, &endless{}, &stdout, &stderr); code != exitUnreadable || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("code %d, %q", code, stderr.String())
	}
}

// Standard input that is a file is read by ranges, from where it stands.
func TestStandardInputAsFile(t *testing.T) {
	model := small().Bytes()
	f, err := os.Open(writeTestFile(t, append([]byte("before"), model...), t.TempDir(), "m"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(int64(len("before")), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	m, err := readStream(f)
	if err != nil || m.Size != int64(len(model)) {
		t.Errorf("%v, %v", m, err)
	}
}

// The same model on standard input twice is read once.
func TestStandardInputTwice(t *testing.T) {
	var once, twice, stderr bytes.Buffer
	if code := run([]string{"report", "--format", "csv", "-"}, bytes.NewReader(small().Bytes()), &once, &stderr); code != exitOK {
		t.Fatal(stderr.String())
	}
	if code := run([]string{"report", "--format", "csv", "-", "-"}, bytes.NewReader(small().Bytes()), &twice, &stderr); code != exitOK {
		t.Fatal(stderr.String())
	}
	_, rows, _ := strings.Cut(once.String(), "\n")
	if twice.String() != once.String()+rows {
		t.Errorf("twice: %q, once: %q", twice.String(), once.String())
	}
}

func TestReadFileIsBounded(t *testing.T) {
	folder := t.TempDir()
	path := writeTestFile(t, make([]byte, 100), folder, "f")
	if data, err := readFile(path, 100); err != nil || len(data) != 100 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	for path, why := range map[string]string{path: "more than 99 bytes", folder: "folder", filepath.Join(folder, "none"): "none: "} {
		if _, err := readFile(path, 99); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", path, err)
		}
	}
	// A file of 1 TiB that takes no room is not read at all.
	large := filepath.Join(folder, "large.npy")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Skip(err)
	}
	model := writeTestFile(t, small().Bytes(), folder, "m.onnx")
	for _, args := range [][]string{{"report", model, "--baseline", large}, {"report", model, "--feed", "x=" + large}, {"shapes", large}} {
		o := runOn(nil, args...)
		if o.code != exitUnreadable || strings.Count(o.stderr, "\n") != 1 || o.cost.Allocated > maxRun.Allocated {
			t.Errorf("%q: code %d, %q, %d bytes allocated", args, o.code, o.stderr, o.cost.Allocated)
		}
	}
}
