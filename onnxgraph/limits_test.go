package onnxgraph_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"onnxmem/testdata/cost"
)

// What reading n bytes may allocate: the dearest bytes are the two of an empty
// message, which becomes a Go struct of some hundred bytes (as in generated
// code); a window and a cache of names are there from the start.
const (
	allocPerByte = 256
	allocBase    = 256 << 10
)

// deep is a graph within graphs, levels deep, with the given fields innermost.
func deep(levels int, fields string) string {
	for range levels {
		fields = field(1, field(5, field(6, fields)))
	}
	return "\x08\x08" + field(7, fields)
}

// TestHostileFiles: files made to cost more than they weigh are read, or
// refused, in time and memory in proportion to their size.
func TestHostileFiles(t *testing.T) {
	const size = 256 << 10
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	huge := "\xff\xff\xff\xff\xff\xff\xff\xff\x3f" // a length of 2^62 - 1
	distinct := func() string {
		var b strings.Builder
		for i := range size / 6 {
			b.WriteString(field(1, string(protowire.AppendFixed32(nil, uint32(i)))))
		}
		return b.String()
	}
	for name, file := range map[string]string{
		"empty nodes":                       inGraph(fill("\x0a\x00")),
		"empty attributes":                  inGraph(field(1, fill("\x2a\x00"))),
		"nodes of one empty attribute":      inGraph(fill("\x0a\x02\x2a\x00")),
		"empty initializers":                inGraph(fill("\x2a\x00")),
		"empty sparse initializers":         inGraph(fill("\x7a\x00")),
		"empty inputs":                      inGraph(fill("\x5a\x00")),
		"inputs of an empty type":           inGraph(fill("\x5a\x02\x12\x00")),
		"empty functions":                   inGraph() + fill("\xca\x01\x00"),
		"empty training":                    inGraph() + fill("\xa2\x01\x00"),
		"training of empty graphs":          inGraph() + fill("\xa2\x01\x04\x0a\x00\x12\x00"),
		"attributes of an empty graph":      inGraph(field(1, fill("\x2a\x02\x32\x00"))),
		"empty graphs":                      inAttribute(fill("\x5a\x00")),
		"one graph in many parts":           fill("\x3a\x00"),
		"empty tensors":                     inAttribute(fill("\x52\x00")),
		"empty types":                       inAttribute(fill("\x7a\x00")),
		"types of a type":                   inAttribute(fill("\x7a\x04\x22\x02\x0a\x00")),
		"empty strings":                     inAttribute(fill("\x4a\x00")),
		"empty inputs of a node":            inGraph(field(1, fill("\x0a\x00"))),
		"distinct names":                    inGraph(field(1, distinct())),
		"distinct opset imports":            inGraph() + fill("\x42\x03\x0a\x01x"),
		"metadata":                          inGraph() + fill("\x72\x00"),
		"packed ints":                       inAttribute(field(8, fill("\x01"))),
		"unpacked ints":                     inAttribute(fill("\x40\x01")),
		"packed dims":                       inGraph(field(5, field(1, fill("\x01")))),
		"unpacked dims":                     inGraph(field(5, fill("\x08\x01"))),
		"dims of a type":                    inType(field(1, field(2, fill("\x0a\x00")))),
		"floats in tiny runs":               inAttribute(fill("\x3a\x04abcd")),
		"payload in single elements":        inGraph(field(5, fill("\x28\x01"))),
		"empty payload strings":             inGraph(field(5, fill("\x32\x00"))),
		"sharding":                          inGraph(field(1, fill("\x52\x02\x12\x00"))),
		"unknown fields":                    inGraph(fill("\x48\x01")),
		"unknown fields deep inside":        deep(30, fill("\x0a\x02\x58\x01")),
		"empty nodes deep inside":           deep(32, fill("\x0a\x00")),
		"repeated names deep inside":        deep(30, fill("\x0a\x04\x1a\x00\x1a\x00")),
		"two kinds of values":               inGraph(field(1, fill("\x2a\x04\x18\x01\x22\x00"))),
		"dims of both members":              inType(field(1, field(2, fill("\x0a\x05\x08\x01\x12\x01n")))),
		"groups":                            inGraph(fill("\x4b\x4c")),
		"groups that open only":             inGraph(fill("\x4b")),
		"a string of 2^62 bytes":            "\x08\x08\x12" + huge + fill("x"),
		"a graph of 2^62 bytes":             "\x08\x08\x3a" + huge + fill("\x0a\x00"),
		"ints of 2^62 bytes":                "\x3a" + huge + "\x0a" + huge + "\x2a" + huge + "\x42" + huge + fill("\x01"),
		"floats of 2^62 bytes":              "\x3a" + huge + "\x0a" + huge + "\x2a" + huge + "\x3a" + huge + fill("\x01"),
		"noise":                             fill("\x0a\x0a\x2a\x0a\x3a\x12\x7a\x08\x22"),
		"a tensor file of 2^50 elements":    "\x08\x80\x80\x80\x80\x80\x80\x80\x02\x10\x07" + field(7, fill("\x01")),
		"a tensor file of a million string": "\x08\xc0\x84\x3d\x10\x08" + fill("\x32\x00"),
	} {
		c := cost.Of(func() { readText(file) })
		n := c.Allocated
		if limit := uint64(len(file)*allocPerByte + allocBase); n > limit {
			t.Errorf("%s: %d bytes allocate %d, %d for each", name, len(file), n, n/uint64(len(file)))
		}
		if testing.Verbose() {
			t.Logf("%s: %d for each byte, %v", name, n/uint64(len(file)), c.Processor)
		}
		if c.Processor > 2*time.Second {
			t.Errorf("%s: takes %v of the processor", name, c.Processor)
		}
	}
}

// TestSmallFilesAreCheap: a small model does not pay for the windows and caches
// that a large one needs.
func TestSmallFilesAreCheap(t *testing.T) {
	if n := cost.Of(func() { readText(inGraph(field(1, field(4, "Relu")))) }).Allocated; n > 64<<10 {
		t.Errorf("%d bytes", n)
	}
}
