package tensor

import (
	"encoding/json"
	"fmt"
	"strconv"

	"onnxmem/onnxgraph"
)

// This file makes values of what people write.

// Literal makes a value of elements decoded from JSON: json.Number, bool,
// string, row-major. A string among floats spells NaN or Infinity, which JSON
// has no numbers for.
func Literal(d onnxgraph.DType, dims []int64, elems []any) (*Value, error) {
	if n, ok := onnxgraph.ElementCount(dims); !ok || n != int64(len(elems)) {
		return nil, fmt.Errorf("%d elements do not fill the shape %v", len(elems), dims)
	}
	v := &Value{DType: d, Dims: dims, Elems: make([]Scalar, len(elems))}
	for i, e := range elems {
		x, ok := literalElement(e, d)
		if !ok {
			return nil, fmt.Errorf("element %v does not fit type %s", e, d)
		}
		v.Elems[i] = x
	}
	return v, nil
}

func literalElement(e any, d onnxgraph.DType) (x Scalar, ok bool) {
	switch e := e.(type) {
	case bool:
		return Bool(e), d == onnxgraph.Bool || d.IsInteger() || d.IsFloat()
	case string:
		if d == onnxgraph.String {
			return Text(e), true
		}
		f, err := strconv.ParseFloat(e, 64)
		return Float(f), err == nil && d.IsFloat()
	case json.Number:
		if n, err := strconv.ParseInt(e.String(), 10, 64); err == nil {
			return Int(n), d != onnxgraph.String
		}
		if d == onnxgraph.Uint64 {
			return Scalar{}, true // past 2^63 - 1: a known element that no dim can hold
		}
		f, err := strconv.ParseFloat(e.String(), 64)
		return Float(f), err == nil && d.IsFloat()
	}
	return Scalar{}, false
}
