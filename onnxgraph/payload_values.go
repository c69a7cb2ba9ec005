package onnxgraph

import (
	"encoding/binary"
	"fmt"
	"math"
)

// This file reads the values of a tensor as numbers.

// Int64s returns the values of t, which must be of an integer type or BOOL
// (false is 0, true is 1). It refuses more than limit elements; a negative
// limit is none. Every error is a [*DataError]; its code is DataOverflow when
// an unsigned value passes 2^63 - 1, see [Tensor.Uint64s].
func (t *Tensor) Int64s(limit int) ([]int64, error) {
	if !t.DType.IsInteger() && t.DType != Bool {
		return nil, t.typeError("an integer type")
	}
	b, err := t.readElements(limit)
	if err != nil {
		return nil, err
	}
	n, _ := t.Elements()
	list := make([]int64, n)
	for i := range list {
		v := element(b, i, t.DType.Bits())
		switch {
		case t.DType.isSigned():
			shift := 64 - t.DType.Bits()
			list[i] = int64(v<<shift) >> shift
		case t.DType == Bool:
			if v != 0 {
				list[i] = 1
			}
		case v > math.MaxInt64:
			return nil, t.dataError(DataOverflow, fmt.Sprintf("element %d is %d, more than 2^63 - 1", i, v), nil)
		default:
			list[i] = int64(v)
		}
	}
	return list, nil
}

// Uint64s is Int64s for the unsigned types.
func (t *Tensor) Uint64s(limit int) ([]uint64, error) {
	if !t.DType.IsInteger() || t.DType.isSigned() {
		return nil, t.typeError("an unsigned integer type")
	}
	b, err := t.readElements(limit)
	if err != nil {
		return nil, err
	}
	n, _ := t.Elements()
	list := make([]uint64, n)
	for i := range list {
		list[i] = element(b, i, t.DType.Bits())
	}
	return list, nil
}

// Float64s returns the values of t, which must be of a real floating point
// type: from DOUBLE down to the types of 8, 6 and 4 bits, every value of which
// a float64 can hold. It refuses more than limit elements; a negative limit is
// none. Every error is a [*DataError].
func (t *Tensor) Float64s(limit int) ([]float64, error) {
	if !t.DType.IsFloat() {
		return nil, t.typeError("a real floating point type")
	}
	b, err := t.readElements(limit)
	if err != nil {
		return nil, err
	}
	n, _ := t.Elements()
	list := make([]float64, n)
	for i := range list {
		list[i] = FloatValue(t.DType, element(b, i, t.DType.Bits()))
	}
	return list, nil
}

// readElements is ReadBytes with a limit in elements.
func (t *Tensor) readElements(limit int) ([]byte, error) {
	if n, ok := t.Elements(); ok && limit >= 0 && n > int64(limit) {
		return nil, t.dataError(DataLimit, fmt.Sprintf("has %d elements, more than the %d asked for", n, limit), nil)
	}
	return t.ReadBytes(-1)
}

func (t *Tensor) typeError(want string) error {
	return t.dataError(DataType, fmt.Sprintf("has elements of type %v, not of %s", t.DType, want), nil)
}

// isSigned reports whether d is a signed integer type.
func (d DType) isSigned() bool {
	switch d {
	case Int8, Int16, Int32, Int64, Int4, Int2:
		return true
	}
	return false
}

// element is the i-th element of b, in the format of raw_data. Elements of less
// than a byte are packed from the lowest bit on; those of 6 bits may span two
// bytes.
func element(b []byte, i, bits int) uint64 {
	switch bits {
	case 8:
		return uint64(b[i])
	case 16:
		return uint64(binary.LittleEndian.Uint16(b[2*i:]))
	case 32:
		return uint64(binary.LittleEndian.Uint32(b[4*i:]))
	case 64:
		return binary.LittleEndian.Uint64(b[8*i:])
	}
	at := i * bits
	v := uint64(b[at/8])
	if at%8+bits > 8 {
		v |= uint64(b[at/8+1]) << 8
	}
	return v >> (at % 8) & (1<<bits - 1)
}
