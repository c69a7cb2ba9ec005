package onnxgraph

import (
	"strconv"

	"onnxmem/onnxgraph/internal/wire"
)

// A FormatError is a place in a file where the bytes are not the protobuf
// messages that an ONNX file is made of. It carries a stable code, the byte
// offset and the path of the field, and wraps the cause, if there is one.
type FormatError = wire.Error

// A FormatCode says in which way the bytes are wrong.
type FormatCode = wire.Code

// The codes of a [FormatError].
const (
	Truncated      = wire.Truncated   // the file ends inside a field
	VarintOverflow = wire.Overflow    // a number of more than 64 bits
	BadFieldNumber = wire.BadNumber   // a field number outside 1 to 2^29-1
	BadWireType    = wire.BadWireType // a wire type that protobuf does not define
	BadGroup       = wire.BadGroup    // unbalanced groups
	BadLength      = wire.BadLength   // a value that passes the end of its message
	TooDeep        = wire.TooDeep     // messages nested more than 100 deep
	ReadFailed     = wire.ReadFailed  // the source of the bytes failed
	StringTooLong  = wire.TooLong     // a string of 2 GiB or more
)

// A DataError says why the values of a tensor cannot be had.
type DataError struct {
	Code   DataCode
	Tensor string // its name; may be empty
	Offset int64  // of the TensorProto in the model file
	Detail string
	Err    error // the cause; may be nil
}

// A DataCode says in which way a payload is wrong. Codes are append-only.
type DataCode string

// The codes of a [DataError].
const (
	DataSize     DataCode = "data-size"     // not dims x data type
	DataType     DataCode = "data-type"     // the data type is undefined, or not what was asked for
	DataField    DataCode = "data-field"    // the value field is not one for the data type
	DataRange    DataCode = "data-range"    // an external offset or length is no number, or passes the end of the file
	DataLocation DataCode = "data-location" // the external location is refused
	DataMissing  DataCode = "data-missing"  // the data file cannot be opened
	DataNone     DataCode = "data-none"     // the tensor has elements but no payload
	DataLimit    DataCode = "data-limit"    // more than the caller wants to read
	DataDamaged  DataCode = "data-damaged"  // the payload is no valid protobuf, or reading failed
	DataOverflow DataCode = "data-overflow" // a value does not fit the Go type asked for
	DataSegment  DataCode = "data-segment"  // the tensor holds a part of a larger one
)

// Error names the tensor and what is wrong.
func (e *DataError) Error() string {
	name := strconv.Quote(e.Tensor)
	if e.Tensor == "" {
		name = "at byte " + strconv.FormatInt(e.Offset, 10)
	}
	text := "tensor " + name + ": " + e.Detail
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Err }

func (t *Tensor) dataError(code DataCode, detail string, cause error) *DataError {
	return &DataError{Code: code, Tensor: t.Name, Offset: t.Extent.Offset, Detail: detail, Err: cause}
}
