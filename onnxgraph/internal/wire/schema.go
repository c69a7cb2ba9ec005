package wire

import "google.golang.org/protobuf/encoding/protowire"

// A Kind is the encoding of a field's value.
type Kind uint8

// The kinds of fields.
const (
	Varint Kind = iota + 1
	Fixed32
	Fixed64
	Bytes
	Embedded // a message
)

// wireType is the wire type of a single value of kind k.
func (k Kind) wireType() protowire.Type {
	switch k {
	case Varint:
		return protowire.VarintType
	case Fixed32:
		return protowire.Fixed32Type
	case Fixed64:
		return protowire.Fixed64Type
	}
	return protowire.BytesType
}

// packable reports whether a repeated field of kind k may be one packed run.
func (k Kind) packable() bool {
	return k == Varint || k == Fixed32 || k == Fixed64
}

// A MessageID is the index of a message type in a Schema.
type MessageID uint8

// A Field describes one field of a message type.
type Field struct {
	Name     string
	Kind     Kind // zero: no such field
	Repeated bool
	Message  MessageID // of Embedded fields
}

// A Message describes a message type: its fields, indexed by field number,
// which must be below 64.
type Message []Field

// A Schema is a set of message types that refer to one another by index.
type Schema []Message

// accepts reports whether a value of wire type t can be a value of f.
func (f *Field) accepts(t protowire.Type) bool {
	return t == f.Kind.wireType() || t == protowire.BytesType && f.Repeated && f.Kind.packable()
}
