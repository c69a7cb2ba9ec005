package wire

import (
	"errors"
	"fmt"
)

// A Code says in which way bytes are wrong. Codes are append-only.
type Code string

// The codes of an [Error], each with the smallest example.
const (
	// Truncated: the file ends inside a field: 08.
	Truncated Code = "truncated"
	// Overflow: a varint of more than 64 bits: 08 ff ff ff ff ff ff ff ff ff 7f.
	Overflow Code = "varint-overflow"
	// BadNumber: a field number outside 1 to 2^29-1: 00.
	BadNumber Code = "field-number"
	// BadWireType: one of the two wire types without a meaning: 0f.
	BadWireType Code = "wire-type"
	// BadGroup: a group ends that did not begin, or under another number: 0c.
	BadGroup Code = "group"
	// BadLength: a value goes past the end of the message that holds it, or a
	// packed run holds part of an element: 0a 02 0a 7f.
	BadLength Code = "length"
	// TooDeep: messages nest deeper than MaxDepth.
	TooDeep Code = "nesting"
	// ReadFailed: the source of the bytes returned an error.
	ReadFailed Code = "read"
	// TooLong: a string of more bytes than protobuf can carry, 2 GiB.
	TooLong Code = "string-length"
)

// An Error is a place in a file where the bytes are no valid message.
type Error struct {
	Code   Code
	Offset int64  // in bytes from the start of the file
	Path   string // of the field, such as graph.node[3].attribute[0].t.dims; "" at the top
	Detail string
	Err    error // the cause; may be nil
}

// shownPath is how much of each end of a long path an error message shows.
const shownPath = 60

// Error gives the offset, the field and what is wrong there.
func (e *Error) Error() string {
	where := e.Path
	switch {
	case where == "":
		where = "the top level"
	case len(where) > 2*shownPath: // deep nesting: both ends say more than the middle
		where = where[:shownPath] + "..." + where[len(where)-shownPath:]
	}
	text := fmt.Sprintf("byte %d, in %s: %s", e.Offset, where, e.Detail)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, &Error{Code: c}) true for every error of that code.
func (e *Error) Is(target error) bool {
	var t *Error
	return errors.As(target, &t) && t.Code == e.Code && t.Offset == 0 && t.Path == "" && t.Detail == "" && t.Err == nil
}
