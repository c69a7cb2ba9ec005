package wire

import (
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// MaxDepth is how deep messages and groups may nest below the outermost one:
// the limit of protobuf's C++ reader, and so of ONNX Runtime.
const MaxDepth = 100

// A Reader walks the fields of a message:
//
//	for r.Next() {
//		switch r.Number() {
//		case 1:
//			name = r.Text()
//		case 2:
//			r.Enter(len(nodes))
//			... the same loop for the inner message ...
//			r.Leave()
//		default:
//			r.Skip()
//		}
//	}
//	return r.Err()
//
// The first error stays: Next then returns false and every value is zero.
type Reader struct {
	window
	schema Schema
	err    error
	depth  int
	frames []frame
	number protowire.Number
	typ    protowire.Type
	length int64 // of the current value, when typ is BytesType
	names  names
	// Note, when set, hears of unknown and repeated fields of the current
	// message, which Message names.
	Note func(Note)
}

// A Note is something that a reader accepts but that deserves attention.
type Note struct {
	Unknown bool // no such field, or not in this encoding; else a singular field occurs again
	Number  int32
	Name    string // of a repeated singular field
	Offset  int64  // of the value: after the tag, and after the length of a bytes field
	Length  int64  // of the value
}

// A frame is a message that is being read.
type frame struct {
	message Message
	end     int64  // offset of its first byte no more; noEnd for the whole file
	seen    uint64 // numbers of the singular fields met so far
	field   *Field // the current one
	index   int    // of the current element of a repeated message
	path    string // of this message, once somebody asked
}

// noEnd is the end of the outermost message: known only when the file ends.
const noEnd = math.MaxInt64

// NewReader returns a reader of the message of type root that fills the first
// size bytes of src.
func NewReader(src io.ReaderAt, size int64, schema Schema, root MessageID) *Reader {
	r := &Reader{window: newWindow(src, size), schema: schema, names: newNames(size)}
	r.frames = append(make([]frame, 0, 8), frame{message: schema[root], end: noEnd})
	return r
}

// Err is the first error met, nil or an *Error.
func (r *Reader) Err() error { return r.err }

// Offset is the position in the file, in bytes.
func (r *Reader) Offset() int64 { return r.offset() }

// Number is the number of the current field.
func (r *Reader) Number() int32 { return int32(r.number) }

// Packed reports whether the current value is a packed run of numbers, or one
// of the kinds that carry a length.
func (r *Reader) Packed() bool { return r.typ == protowire.BytesType }

// Extent is the place of the current value, which must not have been read yet.
func (r *Reader) Extent() (offset, length int64) {
	switch r.typ {
	case protowire.BytesType:
		return r.offset(), r.length
	case protowire.Fixed32Type:
		return r.offset(), 4
	case protowire.Fixed64Type:
		return r.offset(), 8
	}
	b, _ := r.peek(protowire.SizeVarint(math.MaxUint64))
	_, n := protowire.ConsumeVarint(b)
	return r.offset(), int64(max(n, 0))
}

// Next moves to the next known field of the current message and reports
// whether there is one. The caller must then read, enter or skip its value.
func (r *Reader) Next() bool {
	for r.err == nil {
		f := &r.frames[r.depth]
		at := r.offset()
		if at >= f.end || at >= r.size && f.end == noEnd {
			return false
		}
		f.field = nil
		r.header(at)
		if r.err != nil {
			return false
		}
		if n := int(r.number); n < len(f.message) && f.message[n].Kind != 0 && f.message[n].accepts(r.typ) {
			f.field = &f.message[n]
			f.index = -1
			if r.typ == protowire.BytesType {
				r.readLength()
			}
			if !f.field.Repeated {
				r.once(f, uint64(1)<<n)
			}
			return r.err == nil
		}
		r.skipUnknown()
	}
	return false
}

// header reads a field's tag, which begins at offset at.
func (r *Reader) header(at int64) {
	tag := r.varint()
	if r.err != nil {
		return
	}
	r.number, r.typ = protowire.DecodeTag(tag)
	switch {
	case r.number < protowire.MinValidNumber || r.number > protowire.MaxValidNumber:
		r.failAt(at, BadNumber, fmt.Sprintf("the tag %d holds no valid field number", tag), nil)
	case r.typ > protowire.Fixed32Type:
		r.failAt(at, BadWireType, fmt.Sprintf("field %d has the wire type %d, which protobuf does not define", r.number, r.typ), nil)
	}
}

// once notes a singular field that occurs again.
func (r *Reader) once(f *frame, bit uint64) {
	if f.seen&bit != 0 && r.Note != nil && r.err == nil {
		offset, length := r.Extent()
		r.Note(Note{Number: int32(r.number), Name: f.field.Name, Offset: offset, Length: length})
	}
	f.seen |= bit
}

// readLength reads the length of a bytes value and checks it against the
// enclosing message. A value that ends where the file is cut off is let in, so
// that the error can name the innermost field in which the file ends.
func (r *Reader) readLength() {
	at := r.offset()
	length := r.varint()
	if r.err != nil {
		return
	}
	left := r.frames[r.depth].end - r.offset()
	if left < 0 || length > uint64(left) {
		r.failAt(at, BadLength, fmt.Sprintf("a value of %d bytes in a message with %d left", length, max(left, 0)), nil)
		return
	}
	r.length = int64(length)
}

// Enter begins the message that is the current value. index is its place in
// its list, -1 when the field is singular.
func (r *Reader) Enter(index int) {
	if r.err != nil {
		return
	}
	f := &r.frames[r.depth]
	f.index = index
	if r.depth == MaxDepth {
		r.fail(TooDeep, fmt.Sprintf("messages nest more than %d deep", MaxDepth), nil)
		return
	}
	next := frame{message: r.schema[f.field.Message], end: r.offset() + r.length}
	r.depth++
	if r.depth < len(r.frames) {
		r.frames[r.depth] = next
	} else {
		r.frames = append(r.frames, next)
	}
}

// Leave ends the message begun by Enter.
func (r *Reader) Leave() {
	if r.err != nil {
		return
	}
	if end := r.frames[r.depth].end; r.offset() != end {
		r.fail(BadLength, fmt.Sprintf("a field goes past the end of its message at byte %d", end), nil)
		return
	}
	r.depth--
}

// varint reads one varint.
func (r *Reader) varint() uint64 {
	if r.err != nil {
		return 0
	}
	b := r.bytes[r.pos:]
	if len(b) > 0 && b[0] < 0x80 {
		r.pos++
		return uint64(b[0])
	}
	b, err := r.peek(10)
	v, n := protowire.ConsumeVarint(b)
	if n > 0 {
		r.pos += n
		return v
	}
	if len(b) >= 10 {
		r.fail(Overflow, "a varint of more than 64 bits", nil)
	} else if err != nil {
		r.readFailed(err)
	} else {
		r.truncated(1)
	}
	return 0
}
