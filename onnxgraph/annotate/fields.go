package annotate

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"
)

// fields is a message taken apart, in the order of the file.
type fields []field

// A field is one field with its tag.
type field struct {
	number protowire.Number
	typ    protowire.Type
	raw    []byte // tag, length and value
	bytes  []byte // the value, of BytesType
	varint uint64 // the value, of VarintType
}

// split takes a message apart. ok is false when it is no message.
func split(b []byte) (m fields, ok bool) {
	for len(b) > 0 {
		number, typ, n := protowire.ConsumeField(b)
		if n < 0 {
			return nil, false
		}
		f := field{number: number, typ: typ, raw: b[:n]}
		_, _, tag := protowire.ConsumeTag(b)
		switch typ {
		case protowire.BytesType:
			f.bytes, _ = protowire.ConsumeBytes(b[tag:n])
		case protowire.VarintType:
			f.varint, _ = protowire.ConsumeVarint(b[tag:n])
		}
		m = append(m, f)
		b = b[n:]
	}
	return m, true
}

// join puts a message together.
func (m fields) join() []byte {
	var b []byte
	for _, f := range m {
		b = append(b, f.raw...)
	}
	return b
}

// is reports whether f is that field in the encoding that it should have; in
// any other it is an unknown field, which stays.
func (f field) is(number protowire.Number, typ protowire.Type) bool {
	return f.number == number && f.typ == typ
}

// last is the index of the last occurrence of a field and how often it occurs.
func (m fields) last(number protowire.Number, typ protowire.Type) (index, count int) {
	for i, f := range m {
		if f.is(number, typ) {
			index, count = i, count+1
		}
	}
	return index, count
}

// without is m without a field.
func (m fields) without(number protowire.Number, typ protowire.Type) fields {
	kept := make(fields, 0, len(m)+1)
	for _, f := range m {
		if !f.is(number, typ) {
			kept = append(kept, f)
		}
	}
	return kept
}

// withVarint is m with a number field of value v; same compares what is there.
func (m fields) withVarint(number protowire.Number, v uint64, same func(uint64) bool) fields {
	if i, n := m.last(number, protowire.VarintType); n > 0 && same(m[i].varint) {
		return m
	}
	b := protowire.AppendTag(nil, number, protowire.VarintType)
	return append(m.without(number, protowire.VarintType), field{number: number, typ: protowire.VarintType, raw: protowire.AppendVarint(b, v), varint: v})
}

// withMessage is m with one field that holds what edit makes of its present
// content. Parts of a repeated singular message merge when they are read, so
// they are replaced by one made from nothing.
func (m fields) withMessage(number protowire.Number, edit func(old []byte) []byte) fields {
	i, n := m.last(number, protowire.BytesType)
	if n != 1 {
		return append(m.without(number, protowire.BytesType), bytesField(number, edit(nil)))
	}
	b := edit(m[i].bytes)
	if bytes.Equal(b, m[i].bytes) {
		return m
	}
	out := append(fields(nil), m...)
	out[i] = bytesField(number, b)
	return out
}

func bytesField(number protowire.Number, value []byte) field {
	b := protowire.AppendTag(nil, number, protowire.BytesType)
	return field{number: number, typ: protowire.BytesType, raw: protowire.AppendBytes(b, value), bytes: value}
}
