package wire

import (
	"encoding/binary"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Numbers reads runs of numbers whose place is known: the payloads that a
// Reader has skipped.
type Numbers struct {
	window
}

// NewNumbers returns a Numbers over the first size bytes of src.
func NewNumbers(src io.ReaderAt, size int64) *Numbers {
	return &Numbers{newWindow(src, size)}
}

// Run calls yield with the bits of each number of the given kind in a run of
// length bytes at offset, until it returns false.
func (n *Numbers) Run(kind Kind, offset, length int64, yield func(bits uint64) bool) error {
	n.jump(offset)
	for end := offset + length; n.offset() < end; {
		b, err := n.peek(int(min(10, end-n.offset())))
		if err != nil {
			return &Error{Code: ReadFailed, Offset: n.offset(), Detail: "cannot read on", Err: err}
		}
		b = b[:min(int64(len(b)), end-n.offset())]
		bits, size := consume(kind, b)
		if size < 0 {
			return &Error{
				Code: BadLength, Offset: n.offset(), Err: protowire.ParseError(size),
				Detail: fmt.Sprintf("the run of numbers at byte %d is damaged", offset),
			}
		}
		n.pos += size
		if !yield(bits) {
			return nil
		}
	}
	return nil
}

// consume takes one number from the front of b and returns its size in bytes,
// negative when there is none.
func consume(kind Kind, b []byte) (bits uint64, size int) {
	switch kind {
	case Fixed32:
		if len(b) >= 4 {
			return uint64(binary.LittleEndian.Uint32(b)), 4
		}
	case Fixed64:
		if len(b) >= 8 {
			return binary.LittleEndian.Uint64(b), 8
		}
	case Varint:
		return protowire.ConsumeVarint(b)
	}
	return 0, -1
}
