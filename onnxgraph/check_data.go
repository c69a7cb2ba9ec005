package onnxgraph

import (
	"errors"
	"fmt"
	"io/fs"
)

// CheckData checks, without reading the values of t, that its payload has the
// size that dims and data type ask for and that its external data is none that
// a runtime refuses. What only the values tell is not checked: how many numbers
// a run of varints holds. Nor is a data file that is not there, which may well
// be elsewhere. The error is a [*DataError].
func (t *Tensor) CheckData() error {
	if t.DType == String || !t.DType.Valid() {
		return nil // strings have no size; a wrong type is told where the tensor is read
	}
	size, ok := t.Bytes()
	switch {
	case t.Segment != nil:
		return t.dataError(DataSegment, "holds a segment of a larger tensor, which no runtime reads", nil)
	case !ok || t.data == nil:
		return nil // wrong dims, and tensors without a file, are told elsewhere
	case t.External:
		return t.checkExternal(size)
	case len(t.Payloads) == 0 && size > 0:
		return t.dataError(DataNone, fmt.Sprintf("has no values, where %d bytes are due", size), nil)
	}
	place, raw := t.rawData()
	length := place.Length
	if !raw {
		var fixed bool
		if length, fixed = t.floatRuns(); !fixed {
			return nil
		}
	}
	if length != size {
		return t.sizeError(length, size)
	}
	return nil
}

// floatRuns is the length of the runs of floats or doubles of t; fixed is
// false where the values are stored in another field.
func (t *Tensor) floatRuns() (length int64, fixed bool) {
	for _, p := range t.Payloads {
		if p.Field != FloatData && p.Field != DoubleData || p.Field != typedField(t.DType) {
			return 0, false
		}
		length += p.Extent.Length
	}
	return length, len(t.Payloads) > 0
}

func (t *Tensor) checkExternal(size int64) error {
	_, err := t.externalSection(size)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoFolder) || errors.Is(err, errClosed) {
		return nil
	}
	return err
}
