package wire

import (
	"encoding/binary"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxString is the longest string that a protobuf message can hold, in bytes.
const maxString = math.MaxInt32

// Int64 reads the current value, a varint, as int64.
func (r *Reader) Int64() int64 { return int64(r.varint()) }

// Int32 reads the current value, a varint, as int32 or an enum. As in every
// protobuf reader, higher bits are dropped.
func (r *Reader) Int32() int32 { return int32(r.varint()) }

// Float32 reads the current value, four bytes.
func (r *Reader) Float32() float32 { return math.Float32frombits(r.fixed32()) }

// Text reads the current value, a string or bytes field.
func (r *Reader) Text() string {
	if r.err != nil || r.length == 0 {
		return ""
	}
	if r.length > r.size-r.offset() {
		r.truncated(r.length - (r.size - r.offset()))
		return ""
	}
	if r.length > minWindow {
		return r.longString()
	}
	b, err := r.peek(int(r.length))
	if err != nil {
		r.readFailed(err)
		return ""
	}
	r.pos += int(r.length)
	return r.names.text(b[:r.length])
}

// longString reads a string that may not fit the window.
func (r *Reader) longString() string {
	if r.length > maxString {
		r.fail(TooLong, "a string of 2 GiB or more", nil)
		return ""
	}
	var b strings.Builder
	b.Grow(int(r.length))
	for left := int(r.length); left > 0; {
		chunk, err := r.peek(min(left, minWindow))
		if err != nil {
			r.readFailed(err)
			return ""
		}
		chunk = chunk[:min(left, len(chunk))]
		b.Write(chunk)
		r.pos += len(chunk)
		left -= len(chunk)
	}
	return b.String()
}

// AppendInt64s appends the current value of a repeated varint field to list:
// one number, or a packed run of them.
func (r *Reader) AppendInt64s(list []int64) []int64 {
	if r.typ != protowire.BytesType {
		return append(list, r.Int64())
	}
	end := r.runEnd()
	for r.err == nil && r.offset() < end {
		list = append(list, int64(r.varint()))
	}
	r.checkRun(end)
	return list
}

// AppendFloat32s appends the current value of a repeated float field to list:
// one number, or a packed run of them.
func (r *Reader) AppendFloat32s(list []float32) []float32 {
	if r.typ != protowire.BytesType {
		return append(list, r.Float32())
	}
	end := r.runEnd()
	if r.err == nil && list == nil {
		list = make([]float32, 0, r.length/4)
	}
	for r.err == nil && r.offset() < end {
		list = append(list, r.Float32())
	}
	r.checkRun(end)
	return list
}

// runEnd is the end of the packed run that is the current value. It fails when
// the file is cut off inside the run, before anything is allocated for it.
func (r *Reader) runEnd() int64 {
	end := r.offset() + r.length
	if r.err == nil && end > r.size {
		r.truncated(end - r.size)
	}
	return end
}

// checkRun fails when the last element of a packed run goes past its end.
func (r *Reader) checkRun(end int64) {
	if r.err == nil && r.offset() != end {
		r.fail(BadLength, "a packed run ends inside an element", nil)
	}
}

func (r *Reader) fixed32() uint32 {
	if r.err != nil {
		return 0
	}
	b, err := r.peek(4)
	if len(b) < 4 {
		if err != nil {
			r.readFailed(err)
		} else {
			r.truncated(int64(4 - len(b)))
		}
		return 0
	}
	r.pos += 4
	return binary.LittleEndian.Uint32(b)
}
