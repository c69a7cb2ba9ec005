// Package wire reads protobuf messages through a small window over an
// [io.ReaderAt], so that a file of any size costs a fixed amount of memory and
// payloads that nobody asked for are never read
// (https://protobuf.dev/programming-guides/encoding).
//
// A [Reader] is told the layout of the messages as a [Schema]. From it come
// the field names in errors, the detection of unknown fields and of singular
// fields that occur twice, and the check that a value has the encoding that
// its field asks for. As in every protobuf reader, a field with the wrong
// encoding is an unknown field, and a repeated number may be packed or not.
package wire
