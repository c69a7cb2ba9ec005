package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// parseFeed reads the value of an input: a .npy file, a .pb file that holds a
// TensorProto, or a literal.
func parseFeed(name, text string, m *onnxgraph.Model, opts shapeinfer.Options) (*tensor.Value, error) {
	switch {
	case strings.HasSuffix(text, ".npy"):
		data, err := os.ReadFile(text)
		if err != nil {
			return nil, exitWith(exitUnreadable, fmt.Errorf("--feed %s: %w", name, err))
		}
		v, err := parseNPY(data)
		if err != nil {
			return nil, exitWith(exitUnreadable, fmt.Errorf("--feed %s=%s: %w", name, text, err))
		}
		return v, nil
	case strings.HasSuffix(text, ".pb"):
		v, err := readTensorFile(text)
		if err != nil {
			return nil, exitWith(exitUnreadable, fmt.Errorf("--feed %s: %w", name, err))
		}
		return v, nil
	}
	v, err := parseLiteral(name, text, m, opts)
	if err != nil {
		return nil, usagef("--feed %s: %w", name, err)
	}
	return v, nil
}

// readTensorFile reads a file that holds one TensorProto, as the ONNX test
// data sets have them.
func readTensorFile(path string) (*tensor.Value, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := onnxgraph.ReadTensor(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	v, err := shapeinfer.ReadValue(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

// parseLiteral reads a flat, row-major JSON list of numbers, booleans or
// strings, or a single one. Its shape and element type are the input's.
func parseLiteral(name, text string, m *onnxgraph.Model, opts shapeinfer.Options) (*tensor.Value, error) {
	var elems []any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber() // integers may pass 2^53
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("%q is neither a .npy or .pb file nor a JSON literal such as [1,2]: %w", text, err)
	}
	if list, ok := value.([]any); ok {
		elems = list
	} else {
		elems = []any{value}
	}
	dtype, dims, err := literalType(name, len(elems), m, opts)
	if err != nil {
		return nil, err
	}
	return tensor.Literal(dtype, dims, elems)
}

// literalType is the element type and shape that a literal of n elements has:
// what the input declares, bound as the caller asked. A single open dim is
// solved from n.
func literalType(name string, n int, m *onnxgraph.Model, opts shapeinfer.Options) (onnxgraph.DType, []int64, error) {
	var declared *onnxgraph.Type
	for _, in := range m.Graph.Inputs {
		if in.Name == name {
			declared = in.Type
		}
	}
	dtype := onnxgraph.Float
	if declared != nil && declared.DType.Valid() {
		dtype = declared.DType
	}
	var shape []dim.Dim
	if given, ok := opts.InputShapes[name]; ok {
		shape = given
	} else if declared == nil || declared.Shape == nil {
		return dtype, []int64{int64(n)}, nil
	} else {
		for _, d := range declared.Shape.Dims {
			if bound, ok := opts.Dims[d.Param]; ok && d.Param != "" {
				shape = append(shape, dim.Int(bound))
			} else if d.HasValue && d.Value > 0 {
				shape = append(shape, dim.Int(d.Value))
			} else {
				shape = append(shape, dim.Unknown())
			}
		}
	}
	dims, open, known := make([]int64, len(shape)), -1, int64(1)
	for i, d := range shape {
		size, ok := d.Int()
		switch {
		case ok:
			dims[i] = size
			known *= size
		case open >= 0:
			return dtype, nil, fmt.Errorf("its shape has several open dims: bind them with --input-shapes %s:SHAPE", name)
		default:
			open = i
		}
	}
	if open >= 0 {
		if known == 0 || int64(n)%known != 0 {
			return dtype, nil, fmt.Errorf("%d elements do not fit its shape", n)
		}
		dims[open] = int64(n) / known
	}
	return dtype, dims, nil
}
