package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file reads the values that --feed gives inputs.

// parseFeed reads the value of an input: a .npy file, a .pb file that holds a
// TensorProto, or a literal.
func parseFeed(name, text string, m *onnxgraph.Model, opts shapeinfer.Options) (*tensor.Value, error) {
	switch {
	case isNPY(text):
		data, err := readFile(text, maxFeed)
		if err != nil {
			return nil, exitWith(exitUnreadable, fmt.Errorf("--feed %s: %w", name, err))
		}
		v, err := parseNPY(data)
		if err != nil {
			return nil, exitWith(exitUnreadable, fmt.Errorf("--feed %s=%s: %w", name, text, err))
		}
		return v, nil
	case isTensorFile(text):
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

// isFeedFile reports whether the value of --feed is a file rather than a
// literal.
func isFeedFile(text string) bool { return isNPY(text) || isTensorFile(text) }

func isNPY(text string) bool        { return strings.HasSuffix(text, ".npy") }
func isTensorFile(text string) bool { return strings.HasSuffix(text, ".pb") }

// readTensorFile reads a file that holds one TensorProto, as the ONNX test
// data sets have them.
func readTensorFile(path string) (*tensor.Value, error) {
	data, err := readFile(path, maxFeed)
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
	if decoder.More() {
		return nil, fmt.Errorf("%q continues after the JSON literal", text)
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
// what the input declares, with the sizes that the caller set. A single dynamic
// dimension is solved from n.
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
	shape, ok := literalShape(declared, opts.InputShapes[name], opts.Dims)
	if !ok {
		return dtype, []int64{int64(n)}, nil
	}
	dims, err := solveShape(shape, int64(n))
	if err != nil {
		return dtype, nil, fmt.Errorf("%w; give its shape with --input-shapes %s:SHAPE", err, name)
	}
	return dtype, dims, nil
}

// literalShape is the shape of an input as the caller gives it, else as it is
// declared; ok is false where there is none.
func literalShape(declared *onnxgraph.Type, given []dim.Dim, numbers map[string]int64) (shape []dim.Dim, ok bool) {
	switch {
	case given != nil:
		shape = slices.Clone(given)
	case declared == nil || declared.Shape == nil:
		return nil, false
	default:
		for _, d := range declared.Shape.Dims {
			switch {
			case d.Param != "":
				shape = append(shape, dim.Symbol(d.Param))
			case d.HasValue && d.Value >= 0:
				shape = append(shape, dim.Int(d.Value))
			default:
				shape = append(shape, dim.Unknown())
			}
		}
	}
	for i, d := range shape {
		shape[i] = d.EvalPartial(numbers)
	}
	return shape, true
}

// solveShape finds the one dynamic dimension of a shape, if there is one, from the
// number of elements.
func solveShape(shape []dim.Dim, n int64) ([]int64, error) {
	dims, open := make([]int64, len(shape)), -1
	for i, d := range shape {
		size, ok := d.Int()
		switch {
		case ok:
			dims[i] = size
		case open >= 0:
			return nil, errors.New("its shape has several dynamic dimensions")
		default:
			open, dims[i] = i, 1
		}
	}
	if open < 0 {
		return dims, nil
	}
	known, ok := onnxgraph.ElementCount(dims)
	if !ok || known == 0 || n%known != 0 {
		return nil, fmt.Errorf("its shape does not hold %d elements", n)
	}
	dims[open] = n / known
	return dims, nil
}
