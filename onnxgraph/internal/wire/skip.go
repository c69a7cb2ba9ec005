package wire

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Skip moves past the current value.
func (r *Reader) Skip() {
	if r.err != nil {
		return
	}
	switch r.typ {
	case protowire.VarintType:
		r.varint()
	case protowire.Fixed32Type:
		r.advance(4)
	case protowire.Fixed64Type:
		r.advance(8)
	case protowire.BytesType:
		r.advance(r.length)
	}
}

// advance moves n bytes on without reading them.
func (r *Reader) advance(n int64) {
	to := r.offset() + n
	if to > r.size {
		r.truncated(to - r.size)
		return
	}
	r.jump(to)
}

// skipUnknown moves past a field that the schema does not have, and notes it.
func (r *Reader) skipUnknown() {
	number := r.number
	if r.typ == protowire.BytesType {
		r.readLength()
	}
	start := r.offset()
	if r.typ == protowire.StartGroupType || r.typ == protowire.EndGroupType {
		r.skipGroup()
	} else {
		r.Skip()
	}
	if r.err == nil && r.Note != nil {
		r.Note(Note{Unknown: true, Number: int32(number), Offset: start, Length: r.offset() - start})
	}
}

// skipGroup moves past a group, the deprecated form of a nested message, whose
// start tag has just been read. Groups count as nesting.
func (r *Reader) skipGroup() {
	var open [MaxDepth + 1]protowire.Number
	depth := r.depth
	for {
		switch r.typ {
		case protowire.StartGroupType:
			if depth == MaxDepth {
				r.fail(TooDeep, fmt.Sprintf("messages nest more than %d deep", MaxDepth), nil)
				return
			}
			depth++
			open[depth] = r.number
		case protowire.EndGroupType:
			if depth == r.depth || open[depth] != r.number {
				r.fail(BadGroup, fmt.Sprintf("the end of group %d, which is not open", r.number), nil)
				return
			}
			depth--
			if depth == r.depth {
				return
			}
		case protowire.BytesType:
			r.readLength()
			r.Skip()
		default:
			r.Skip()
		}
		if r.err != nil {
			return
		}
		at := r.offset()
		if at >= r.frames[r.depth].end {
			r.fail(BadGroup, "the message ends inside a group", nil)
			return
		}
		r.header(at)
		if r.err != nil {
			return
		}
	}
}
