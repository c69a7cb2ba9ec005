package modeltest

import "google.golang.org/protobuf/encoding/protowire"

// A message is the encoded fields of a protobuf message.
type message []byte

func (m *message) text(field protowire.Number, s string) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendString(*m, s)
}

// optional is text unless s is empty.
func (m *message) optional(field protowire.Number, s string) {
	if s != "" {
		m.text(field, s)
	}
}

func (m *message) number(field protowire.Number, v int64) {
	*m = protowire.AppendTag(*m, field, protowire.VarintType)
	*m = protowire.AppendVarint(*m, uint64(v))
}

func (m *message) fixed32(field protowire.Number, bits uint32) {
	*m = protowire.AppendTag(*m, field, protowire.Fixed32Type)
	*m = protowire.AppendFixed32(*m, bits)
}

func (m *message) message(field protowire.Number, inner message) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendBytes(*m, inner)
}

// packed writes a run of varints.
func (m *message) packed(field protowire.Number, list []int64) {
	if len(list) == 0 {
		return
	}
	var run message
	for _, v := range list {
		run = protowire.AppendVarint(run, uint64(v))
	}
	m.message(field, run)
}

// entry writes a StringStringEntryProto.
func (m *message) entry(field protowire.Number, key, value string) {
	var e message
	e.text(1, key)
	e.text(2, value)
	m.message(field, e)
}
