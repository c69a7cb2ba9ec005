package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"onnxmem/onnxgraph/internal/wire"
)

// The schema of the tests: a message that holds every kind of field and itself.
var schema = wire.Schema{{
	1: {Name: "n", Kind: wire.Varint},
	2: {Name: "s", Kind: wire.Bytes},
	3: {Name: "list", Kind: wire.Varint, Repeated: true},
	4: {Name: "floats", Kind: wire.Fixed32, Repeated: true},
	5: {Name: "child", Kind: wire.Embedded, Repeated: true},
	6: {Name: "only", Kind: wire.Embedded},
	7: {Name: "payload", Kind: wire.Bytes},
}}

// read walks a file and prints what it meets in a short notation.
func read(r *wire.Reader, out *strings.Builder) {
	children := 0
	for r.Next() {
		switch r.Number() {
		case 1:
			fmt.Fprintf(out, "n=%d ", r.Int64())
		case 2:
			fmt.Fprintf(out, "s=%q ", r.Text())
		case 3:
			fmt.Fprintf(out, "list%v ", r.AppendInt64s(nil))
		case 4:
			fmt.Fprintf(out, "floats%v ", r.AppendFloat32s(nil))
		case 5, 6:
			name, index := "only", -1
			if r.Number() == 5 {
				name, index = "child", children
				children++
			}
			fmt.Fprintf(out, "%s{ ", name)
			r.Enter(index)
			read(r, out)
			r.Leave()
			out.WriteString("} ")
		default:
			at, n := r.Extent()
			r.Skip()
			fmt.Fprintf(out, "payload@%d+%d ", at, n)
		}
	}
}

func readAll(file string) (text string, notes []wire.Note, err error) {
	r := wire.NewReader(strings.NewReader(file), int64(len(file)), schema, 0)
	r.Note = func(n wire.Note) { notes = append(notes, n) }
	var out strings.Builder
	read(r, &out)
	return strings.TrimSpace(out.String()), notes, r.Err()
}

// TestEncodings reads encodings by hand, from
// https://protobuf.dev/programming-guides/encoding.
func TestEncodings(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"varint 150", "\x08\x96\x01", "n=150"},
		{"negative int64 in ten bytes", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "n=-1"},
		{"varint longer than it needs to be", "\x08\x81\x80\x00", "n=1"},
		{"tag longer than it needs to be", "\x88\x00\x01", "n=1"},
		{"string", "\x12\x07testing", `s="testing"`},
		{"bytes that are no UTF-8", "\x12\x02\xff\x00", `s="\xff\x00"`},
		{"empty string", "\x12\x00", `s=""`},
		{"unpacked list", "\x18\x01\x18\x02", "list[1] list[2]"},
		{"packed list", "\x1a\x03\x01\x96\x01", "list[1 150]"},
		{"empty packed list", "\x1a\x00", "list[]"},
		{"unpacked float", "\x25\x00\x00\x80\x3f", "floats[1]"},
		{"packed floats", "\x22\x08\x00\x00\x80\x3f\x00\x00\x00\xc0", "floats[1 -2]"},
		{"nested messages", "\x2a\x02\x08\x01\x2a\x04\x32\x02\x08\x02", "child{ n=1 } child{ only{ n=2 } }"},
		{"empty message", "\x2a\x00", "child{ }"},
		{"payload", "\x3a\x03abc\x08\x01", "payload@2+3 n=1"},
		{"nothing", "", ""},
	} {
		got, notes, err := readAll(c.file)
		if err != nil || got != c.want || len(notes) > 0 {
			t.Errorf("%s: %q, notes %v, error %v; want %q", c.name, got, notes, err, c.want)
		}
	}
}

func TestNotes(t *testing.T) {
	for _, c := range []struct {
		name, file, want string
		notes            []wire.Note
	}{
		{"repeated scalar: the last wins", "\x08\x01\x08\x02", "n=1 n=2", []wire.Note{{Number: 1, Name: "n", Offset: 3, Length: 1}}},
		{"repeated message", "\x32\x00\x32\x02\x08\x01", "only{ } only{ n=1 }", []wire.Note{{Number: 6, Name: "only", Offset: 4, Length: 2}}},
		{"the same number in two messages", "\x2a\x02\x08\x01\x2a\x02\x08\x01", "child{ n=1 } child{ n=1 }", nil},
		{"unknown varint", "\x48\x05\x08\x01", "n=1", []wire.Note{{Unknown: true, Number: 9, Offset: 1, Length: 1}}},
		{"unknown bytes", "\x4a\x02ab\x08\x01", "n=1", []wire.Note{{Unknown: true, Number: 9, Offset: 2, Length: 2}}},
		{"unknown fixed64", "\x49abcdefgh", "", []wire.Note{{Unknown: true, Number: 9, Offset: 1, Length: 8}}},
		{"unknown fixed32 of a high number", "\xbd\x3eabcd", "", []wire.Note{{Unknown: true, Number: 999, Offset: 2, Length: 4}}},
		{"known number, wrong encoding", "\x0a\x01x\x08\x01", "n=1", []wire.Note{{Unknown: true, Number: 1, Offset: 2, Length: 1}}},
		{"a message as a varint", "\x28\x01", "", []wire.Note{{Unknown: true, Number: 5, Offset: 1, Length: 1}}},
		// Group 9 holds n=1, group 10 and bytes; its length ends with its end tag.
		{"group", "\x4b\x08\x01\x53\x54\x12\x01x\x4c\x08\x02", "n=2", []wire.Note{{Unknown: true, Number: 9, Offset: 1, Length: 8}}},
	} {
		got, notes, err := readAll(c.file)
		if err != nil || got != c.want || !slices.Equal(notes, c.notes) {
			t.Errorf("%s: %q, notes %+v, error %v; want %q, %+v", c.name, got, notes, err, c.want, c.notes)
		}
	}
}

func TestErrors(t *testing.T) {
	nest := func(levels int) string { // a message within a message ...
		var b []byte
		for range levels {
			inner := b
			b = append([]byte{0x2a}, lengthOf(len(inner))...)
			b = append(b, inner...)
		}
		return string(b)
	}
	if _, _, err := readAll(nest(wire.MaxDepth)); err != nil {
		t.Errorf("%d levels: %v", wire.MaxDepth, err)
	}
	for _, c := range []struct {
		name, file string
		code       wire.Code
		offset     int64
		path       string
	}{
		{"value missing", "\x08", wire.Truncated, 1, "n"},
		{"varint cut", "\x08\x96", wire.Truncated, 2, "n"},
		{"tag cut", "\x08\x01\x96", wire.Truncated, 3, ""},
		{"string cut", "\x12\x07test", wire.Truncated, 6, "s"},
		{"payload cut", "\x3a\x07test", wire.Truncated, 6, "payload"},
		{"packed list cut", "\x1a\x07\x01", wire.Truncated, 3, "list"},
		{"packed floats cut", "\x22\x08\x00\x00\x80\x3f\x00\x00", wire.Truncated, 8, "floats"},
		{"cut in an inner message", "\x2a\x00\x2a\x06\x32\x04\x12\x02a", wire.Truncated, 9, "child[1].only.s"},
		{"cut at the end of an inner field", "\x2a\x06\x08\x01", wire.Truncated, 4, "child[0]"},
		{"length that no file has", "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x3f", wire.Truncated, 10, "s"},
		{"length over 63 bits", "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", wire.BadLength, 1, "s"},
		{"packed length that no file has", "\x1a\xff\xff\xff\xff\xff\x7f", wire.Truncated, 7, "list"},
		{"varint of 70 bits", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", wire.Overflow, 1, "n"},
		{"varint of eleven bytes", "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", wire.Overflow, 1, "n"},
		{"field number 0", "\x08\x01\x00", wire.BadNumber, 2, ""},
		{"field number 2^29", "\x80\x80\x80\x80\x10\x01", wire.BadNumber, 0, ""},
		{"wire type 7", "\x08\x01\x0f", wire.BadWireType, 2, ""},
		{"end of no group", "\x0c", wire.BadGroup, 1, ""},
		{"end of another group", "\x4b\x54", wire.BadGroup, 2, ""},
		{"group that never ends", "\x4b\x08\x01", wire.Truncated, 3, ""},
		{"group that outlives its message", "\x2a\x03\x4b\x08\x01\x4c", wire.BadGroup, 5, "child[0]"},
		{"value past the end of its message", "\x2a\x03\x12\x02ab", wire.BadLength, 3, "child[0].s"},
		{"number past the end of its message", "\x2a\x02\x08\x96\x01", wire.BadLength, 5, "child[0].n"},
		{"list ends inside a number", "\x1a\x01\x96\x01", wire.BadLength, 4, "list"},
		{"floats end inside a number", "\x22\x03\x00\x00\x80\x3f", wire.BadLength, 6, "floats"},
		{"101 levels", nest(wire.MaxDepth + 1), wire.TooDeep, 0, strings.Repeat("child[0].", 100) + "child[0]"},
		{"101 groups", strings.Repeat("\x4b", 101), wire.TooDeep, 101, ""},
	} {
		_, _, err := readAll(c.file)
		var e *wire.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v", c.name, err)
			continue
		}
		if c.name == "101 levels" {
			c.offset = int64(len(c.file)) // each level's header precedes the next
		}
		if e.Code != c.code || e.Offset != c.offset || e.Path != c.path {
			t.Errorf("%s: %s at %d in %q; want %s at %d in %q", c.name, e.Code, e.Offset, e.Path, c.code, c.offset, c.path)
		}
		if !errors.Is(err, &wire.Error{Code: c.code}) {
			t.Errorf("%s: errors.Is does not find the code", c.name)
		}
		if c.code == wire.Truncated && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: does not wrap io.ErrUnexpectedEOF", c.name)
		}
	}
}

// lengthOf encodes a varint.
func lengthOf(n int) []byte {
	var b []byte
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// TestWindow reads values that straddle every window boundary, through sources
// of all kinds of sizes.
func TestWindow(t *testing.T) {
	for pad := range 3000 {
		if pad > 40 && pad%97 != 0 && (pad < 1000 || pad > 1050) && (pad < 2020 || pad > 2060) {
			continue
		}
		text := strings.Repeat("x", pad)
		file := "\x12" + string(lengthOf(pad)) + text + "\x08\x96\x01" + "\x1a\x03\x01\x96\x01" + "\x12\x02hi"
		got, _, err := readAll(file)
		if want := fmt.Sprintf("s=%q n=150 list[1 150] s=\"hi\"", text); err != nil || got != want {
			t.Fatalf("pad %d: %q, %v", pad, got, err)
		}
	}
}

// counter is a source that counts what is read from it.
type counter struct {
	io.ReaderAt
	calls, bytes int
}

func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	c.calls++
	n, err := c.ReaderAt.ReadAt(p, off)
	c.bytes += n
	return n, err
}

// TestPayloadsAreNotRead skips 64 payloads of 1 MiB. Each costs one window at
// most, which is all that a reader without lookahead must fetch.
func TestPayloadsAreNotRead(t *testing.T) {
	var file bytes.Buffer
	for range 64 {
		file.WriteString("\x3a" + string(lengthOf(1<<20)))
		file.Write(make([]byte, 1<<20))
	}
	src := &counter{ReaderAt: bytes.NewReader(file.Bytes())}
	r := wire.NewReader(src, int64(file.Len()), schema, 0)
	var out strings.Builder
	read(r, &out)
	if r.Err() != nil || strings.Count(out.String(), "payload") != 64 {
		t.Fatalf("%v, %s", r.Err(), out.String())
	}
	if src.calls > 64 || src.bytes > 64<<10 {
		t.Errorf("%d reads of %d bytes", src.calls, src.bytes)
	}
}

// TestFailingSource: what the source says is not lost, and a source shorter
// than it claims is a truncated file.
func TestFailingSource(t *testing.T) {
	broken := errors.New("the disk is gone")
	r := wire.NewReader(failing{broken}, 100, schema, 0)
	read(r, new(strings.Builder))
	if !errors.Is(r.Err(), broken) || !errors.Is(r.Err(), &wire.Error{Code: wire.ReadFailed}) {
		t.Errorf("error %v", r.Err())
	}
	r = wire.NewReader(strings.NewReader("\x12\x30short"), 100, schema, 0)
	read(r, new(strings.Builder))
	if !errors.Is(r.Err(), &wire.Error{Code: wire.Truncated}) {
		t.Errorf("error %v", r.Err())
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// TestNamesAreShared: a name that repeats is one string.
func TestNamesAreShared(t *testing.T) {
	file := strings.Repeat("\x12\x04Conv", 1000)
	allocs := testing.AllocsPerRun(10, func() {
		r := wire.NewReader(strings.NewReader(file), int64(len(file)), schema, 0)
		for r.Next() {
			if r.Text() != "Conv" {
				t.Fatal("not Conv")
			}
		}
	})
	if allocs > 20 {
		t.Errorf("%v allocations", allocs)
	}
}
