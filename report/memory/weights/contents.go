package weights

import (
	"bytes"
	"encoding/binary"

	"onnxmem/onnxgraph"
)

// This file reads a little of what tensors hold. Values that cannot be read,
// since a file beside the model is not there, say nothing.

// readAt reads n elements of a tensor from element at on, as numbers; ok is
// false where they cannot be read.
func readAt(t *onnxgraph.Tensor, at, n int64) (values []float64, ok bool) {
	bits := int64(t.DType.Bits())
	if !t.DType.IsFloat() || bits%8 != 0 {
		return nil, false
	}
	raw, ok := readRaw(t, at*bits/8, n*bits/8)
	if !ok {
		return nil, false
	}
	values = make([]float64, n)
	for i := range values {
		values[i] = onnxgraph.FloatValue(t.DType, littleEndian(raw[int64(i)*bits/8:][:bits/8]))
	}
	return values, true
}

func littleEndian(b []byte) uint64 {
	var wide [8]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint64(wide[:])
}

// readRaw reads a part of a tensor's bytes. Tensors whose values are single
// numbers of the protocol are read whole, and only where they are small.
func readRaw(t *onnxgraph.Tensor, at, n int64) ([]byte, bool) {
	const small = 64 << 10
	if r, err := t.Open(); err == nil {
		b := make([]byte, n)
		if k, err := r.ReadAt(b, at); int64(k) < n && err != nil {
			return nil, false
		}
		return b, true
	}
	all, err := t.ReadBytes(small)
	if err != nil || at+n > int64(len(all)) {
		return nil, false
	}
	return all[at : at+n], true
}

// uniform reports whether bytes repeat one element.
func uniform(b []byte, size int64) bool {
	return int64(len(b)) <= size || bytes.Equal(b[size:], b[:int64(len(b))-size])
}
