package onnxgraph

import (
	"errors"
	"fmt"
	"io"

	"onnxmem/onnxgraph/internal/wire"
)

// This file reads the values of a tensor as bytes, however they are stored.

// ReadBytes returns the values of t in the format of raw_data, little-endian
// and packed, in whichever way they are stored. It refuses, with a
// [*DataError] of code DataLimit, when that is more than limit bytes; a
// negative limit is none. Every error is a [*DataError].
func (t *Tensor) ReadBytes(limit int64) ([]byte, error) {
	size, err := t.payloadSize(limit)
	if err != nil {
		return nil, err
	}
	s, err := t.section(size)
	if err == nil {
		// The section lies within its file, so size is no more than is there.
		b := make([]byte, size)
		if n, err := s.ReadAt(b, 0); err != nil && (int64(n) < size || !errors.Is(err, io.EOF)) {
			return nil, t.dataError(DataDamaged, "cannot read its values", err)
		}
		return b, nil
	}
	if !isStoredTyped(err) {
		return nil, err
	}
	if err := t.checkTyped(); err != nil {
		return nil, err
	}
	b := make([]byte, 0, size)
	err = t.typedBytes(func(chunk []byte) error {
		b = append(b, chunk...)
		return nil
	})
	return b, err
}

// WriteData writes the values of t to w in the format of raw_data without
// holding them all in memory: for hashes and searches. Strings are written
// each after its length, a varint. Errors are a [*DataError] or w's.
func (t *Tensor) WriteData(w io.Writer) error {
	if t.DType == String {
		return t.writeStrings(w)
	}
	s, err := t.Open()
	if err == nil {
		n, err := io.Copy(w, s)
		if err == nil && n < s.Size() {
			err = t.dataError(DataDamaged, "cannot read its values", io.ErrUnexpectedEOF)
		}
		return err
	}
	if !isStoredTyped(err) {
		return err
	}
	if err := t.checkTyped(); err != nil {
		return err
	}
	return t.typedBytes(func(chunk []byte) error {
		_, err := w.Write(chunk)
		return err
	})
}

// isStoredTyped reports whether err is section's refusal of a tensor whose
// values are in a typed field.
func isStoredTyped(err error) bool {
	var e *DataError
	return errors.As(err, &e) && e.Code == DataField
}

// typedCount is the number of entries that t's typed field must have. One
// entry holds one element, except that it holds two elements of four bits,
// four of two bits, and that a complex element takes two.
func (t *Tensor) typedCount() int64 {
	n, _ := t.Elements()
	switch t.DType {
	case Uint4, Int4, Float4E2M1, Uint2, Int2:
		n, _ = t.Bytes()
	case Complex64, Complex128:
		n *= 2 // fits: its size in bytes does
	}
	return n
}

// checkTyped checks that the typed fields are the right ones and have about the
// right length, before anything is allocated for their values.
func (t *Tensor) checkTyped() error {
	field, count := typedField(t.DType), t.typedCount()
	var stored int64
	found := false
	for _, p := range t.Payloads {
		if p.Field == field {
			stored += p.Extent.Length
			found = true
		}
	}
	if !found {
		return t.dataError(DataField, fmt.Sprintf("the values of type %v are in a field for other types", t.DType), nil)
	}
	if shortest := int64(field.shortest()); stored/shortest < count {
		return t.dataError(DataSize, fmt.Sprintf("stores %d bytes, too few for %d entries of %v%d", stored, count, t.DType, t.Dims), nil)
	}
	return nil
}

// shortest is the least number of bytes that an entry of f takes in the file.
func (f PayloadField) shortest() int {
	switch f.kind() {
	case wire.Fixed32:
		return 4
	case wire.Fixed64:
		return 8
	}
	return 1
}

// typedBytes converts the entries of t's typed field to the format of raw_data
// and hands them to emit in chunks that it must not keep.
func (t *Tensor) typedBytes(emit func(chunk []byte) error) error {
	const chunkSize = 4 << 10
	var (
		field   = typedField(t.DType)
		count   = t.typedCount()
		pack    = packer{bits: t.entryBits(), out: make([]byte, 0, chunkSize+8)}
		have    int64
		emitted error
	)
	numbers := wire.NewNumbers(t.data.file, t.data.size)
	for _, p := range t.Payloads {
		if p.Field != field {
			continue
		}
		err := numbers.Run(field.kind(), p.Extent.Offset, p.Extent.Length, func(bits uint64) bool {
			if have++; have > count {
				return false
			}
			if t.DType == Bool && bits != 0 {
				bits = 1
			}
			pack.add(bits)
			if len(pack.out) >= chunkSize {
				emitted = emit(pack.out)
				pack.out = pack.out[:0]
			}
			return emitted == nil
		})
		if err != nil {
			return t.dataError(DataDamaged, "cannot read its values", err)
		}
		if emitted != nil {
			return emitted
		}
	}
	if have != count {
		return t.dataError(DataSize, fmt.Sprintf("its typed field does not hold the %d entries due for %v%d", count, t.DType, t.Dims), nil)
	}
	return emit(pack.rest())
}

// entryBits is the number of bits of raw_data that one entry of the typed field
// makes.
func (t *Tensor) entryBits() int {
	switch t.DType {
	case Uint4, Int4, Float4E2M1, Uint2, Int2:
		return 8
	case Complex64, Complex128:
		return t.DType.Bits() / 2
	}
	return t.DType.Bits()
}
