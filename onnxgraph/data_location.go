package onnxgraph

import (
	"fmt"
	"strconv"
	"strings"
)

// CheckLocation says why an external_data location is refused, nil if it is
// not. The format asks for a POSIX path relative to the model's folder; what
// leaves that folder on any system, or names no file, is refused on all of
// them, so that a model behaves the same everywhere.
func CheckLocation(location string) error {
	switch {
	case location == "":
		return fmt.Errorf("no location is given")
	case strings.ContainsRune(location, 0):
		return fmt.Errorf("the location %q holds a zero byte", location)
	case location[0] == '/' || location[0] == '\\':
		return fmt.Errorf("the location %q is an absolute path", location)
	case len(location) > 1 && location[1] == ':':
		return fmt.Errorf("the location %q begins with a drive letter", location)
	case strings.Contains(location, memoryMarker):
		return fmt.Errorf("the location %q stands for a memory address, not for a file", location)
	}
	for _, part := range strings.FieldsFunc(location, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == ".." {
			return fmt.Errorf("the location %q leaves the model's folder", location)
		}
	}
	return nil
}

// memoryMarker is what ONNX Runtime writes, in memory only, as the location of
// a tensor whose offset is an address
// (onnxruntime/core/framework/tensorprotoutils.h, kTensorProtoMemoryAddressTag).
const memoryMarker = "_ORT_MEM_ADDR_"

// ExternalLocation returns where external data says that the payload of t
// lies. length is -1 when it is not given: the data is then as long as dims
// and data type ask for. The last entry counts when a key is repeated. The
// error is a [*DataError] when a number is none or negative; the location is
// not checked, see [CheckLocation].
func (t *Tensor) ExternalLocation() (location string, offset, length int64, err error) {
	length = -1
	for _, e := range t.ExternalData {
		switch e.Key {
		case "location":
			location = e.Value
		case "offset":
			offset, err = t.externalNumber(e, err)
		case "length":
			length, err = t.externalNumber(e, err)
		}
	}
	return location, offset, length, err
}

// externalNumber parses an offset or a length in bytes; earlier wins over its
// own error.
func (t *Tensor) externalNumber(e StringEntry, earlier error) (int64, error) {
	n, err := strconv.ParseInt(e.Value, 10, 64)
	if err == nil && n < 0 {
		err = fmt.Errorf("%d is negative", n)
	}
	if err != nil && earlier == nil {
		earlier = t.dataError(DataRange, fmt.Sprintf("the %s of its external data", e.Key), err)
	}
	return n, earlier
}

// DataLocations lists the locations of external data that tensors of m name,
// each once, in the order of [Model.AllTensors]. They are not checked, see
// [CheckLocation]; those of tensors whose data_location does not say EXTERNAL
// count, since other readers may use them, and so do all of a tensor's when a
// wrong file gives several.
func (m *Model) DataLocations() []string {
	var list []string
	seen := map[string]bool{}
	for _, t := range m.AllTensors() {
		for _, e := range t.ExternalData {
			if e.Key == "location" && !seen[e.Value] {
				seen[e.Value] = true
				list = append(list, e.Value)
			}
		}
	}
	return list
}
