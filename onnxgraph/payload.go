package onnxgraph

import (
	"bytes"
	"fmt"
	"io"

	"onnxmem/onnxgraph/internal/wire"
)

// This file finds where the values of a tensor lie. A tensor that holds more
// than one payload is read as ONNX Runtime reads it: external data before
// raw_data before the typed fields
// (onnxruntime/core/framework/tensorprotoutils.cc, UnpackInitializerData).

// StoredBytes is how many bytes the payload of t occupies in the form in which
// a runtime keeps it: the length of raw_data or of the external data, the
// lengths of all strings, or dims times data type for the typed fields, whose
// length in the file depends on the values. It is 0 for a tensor without a
// payload. ok is false when it cannot be known.
func (t *Tensor) StoredBytes() (n int64, ok bool) {
	if t.External {
		_, _, length, err := t.ExternalLocation()
		if err != nil {
			return 0, false
		}
		if length >= 0 {
			return length, true
		}
		return t.Bytes()
	}
	if len(t.Payloads) == 0 {
		return 0, true
	}
	if raw, ok := t.rawData(); ok {
		return raw.Length, true
	}
	if t.DType == String {
		return t.StringBytes(), true
	}
	return t.Bytes()
}

// StringBytes is the length of all strings of t together, in bytes.
func (t *Tensor) StringBytes() (n int64) {
	for _, p := range t.Payloads {
		if p.Field == StringData {
			n += p.Extent.Length
		}
	}
	return n
}

// rawData is the place of raw_data. The last one counts, as for every singular
// field.
func (t *Tensor) rawData() (place Extent, ok bool) {
	for i := len(t.Payloads) - 1; i >= 0; i-- {
		if t.Payloads[i].Field == RawData {
			return t.Payloads[i].Extent, true
		}
	}
	return Extent{}, false
}

// payloadSize is the number of bytes that the payload of t must have: dims times data
// type. It fails when t is none of the tensors that have such a size, and when
// that is more than limit, unless limit is negative.
func (t *Tensor) payloadSize(limit int64) (int64, error) {
	if t.Segment != nil {
		return 0, t.dataError(DataSegment, "holds a segment of a larger tensor, which no runtime reads", nil)
	}
	if !t.DType.Valid() || t.DType == String {
		return 0, t.dataError(DataType, fmt.Sprintf("elements of type %v have no bytes", t.DType), nil)
	}
	n, ok := t.Bytes()
	if !ok {
		return 0, t.dataError(DataSize, fmt.Sprintf("the dims %d have no valid size", t.Dims), nil)
	}
	if err := t.attached(); err != nil {
		return 0, err
	}
	if limit >= 0 && n > limit {
		return 0, t.dataError(DataLimit, fmt.Sprintf("has %d bytes, more than the %d asked for", n, limit), nil)
	}
	return n, nil
}

// Open returns a reader of the bytes of t as they are stored, when they lie in
// one piece in the format of raw_data: raw_data itself, external data, or one
// packed run of floats or doubles. The error is a [*DataError]; its code is
// DataField when t is stored in another way, which [Tensor.ReadBytes] and
// [Tensor.WriteData] understand.
func (t *Tensor) Open() (*io.SectionReader, error) {
	size, err := t.payloadSize(-1)
	if err != nil {
		return nil, err
	}
	return t.section(size)
}

// section is Open for a payload that must have size bytes.
func (t *Tensor) section(size int64) (*io.SectionReader, error) {
	if t.External {
		return t.externalSection(size)
	}
	place, ok := t.rawData()
	if !ok && len(t.Payloads) == 1 && t.Payloads[0].Packed {
		f := t.Payloads[0].Field
		place, ok = t.Payloads[0].Extent, f == typedField(t.DType) && (f == FloatData || f == DoubleData)
	}
	switch {
	case !ok && len(t.Payloads) == 0 && size > 0:
		return nil, t.dataError(DataNone, fmt.Sprintf("has no values, where %d bytes are due", size), nil)
	case !ok && len(t.Payloads) > 0:
		return nil, t.dataError(DataField, "is not stored as raw bytes", nil)
	case place.Length != size:
		return nil, t.sizeError(place.Length, size)
	}
	if size == 0 {
		return io.NewSectionReader(bytes.NewReader(nil), 0, 0), nil
	}
	return io.NewSectionReader(t.data.file, place.Offset, place.Length), nil
}

// attached fails for a tensor that refers to bytes but was built by hand, not
// read or made by [NewTensor].
func (t *Tensor) attached() error {
	if t.data == nil && (t.External || len(t.Payloads) > 0) {
		return t.dataError(DataMissing, "belongs to no file", nil)
	}
	return nil
}

func (t *Tensor) sizeError(have, want int64) error {
	return t.dataError(DataSize, fmt.Sprintf("stores %d bytes, where %d are due for %v%d", have, want, t.DType, t.Dims), nil)
}

// externalSection is section for external data.
func (t *Tensor) externalSection(size int64) (*io.SectionReader, error) {
	location, offset, length, err := t.ExternalLocation()
	if err != nil {
		return nil, err
	}
	if length >= 0 && length != size {
		return nil, t.sizeError(length, size)
	}
	if err := CheckLocation(location); err != nil {
		return nil, t.dataError(DataLocation, "its external data is refused", err)
	}
	f, err := t.data.open(location)
	if err != nil {
		return nil, t.dataError(DataMissing, "its external data cannot be opened", err)
	}
	if end := f.Size(); offset > end || size > end-offset {
		return nil, t.dataError(DataRange, fmt.Sprintf("%d bytes at %d of %q, which has %d", size, offset, location, end), nil)
	}
	return io.NewSectionReader(f, offset, size), nil
}

// typedField is the value field that the format gives to elements of type d
// when they are not in raw_data.
func typedField(d DType) PayloadField {
	switch d {
	case Float, Complex64:
		return FloatData
	case Double, Complex128:
		return DoubleData
	case Int64:
		return Int64Data
	case Uint32, Uint64:
		return Uint64Data
	case String:
		return StringData
	}
	return Int32Data
}

// kind is the encoding of the numbers in f.
func (f PayloadField) kind() wire.Kind {
	switch f {
	case FloatData:
		return wire.Fixed32
	case DoubleData:
		return wire.Fixed64
	case StringData, RawData:
		return wire.Bytes
	}
	return wire.Varint
}
