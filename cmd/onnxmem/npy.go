package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/tensor"
)

// The header of a .npy file, format versions 1 to 3:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
var (
	npyDescr   = regexp.MustCompile(`'descr'\s*:\s*'([<>|=]?)([a-zA-Z])(\d+)'`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*True`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([^)]*)\)`)
)

// parseNPY reads a .npy file of booleans, integers or floats.
func parseNPY(data []byte) (*tensor.Value, error) {
	if len(data) < 10 || string(data[:6]) != "\x93NUMPY" {
		return nil, fmt.Errorf("offset 0: not a .npy file: the magic bytes \\x93NUMPY are missing")
	}
	start, length := 10, int(binary.LittleEndian.Uint16(data[8:]))
	if data[6] >= 2 {
		if len(data) < 12 {
			return nil, fmt.Errorf("offset %d: the .npy header ends early", len(data))
		}
		start, length = 12, int(binary.LittleEndian.Uint32(data[8:]))
	}
	if length < 0 || length > len(data)-start {
		return nil, fmt.Errorf("offset 8: the .npy header claims %d bytes, the file has %d", length, len(data)-start)
	}
	header, body := string(data[start:start+length]), data[start+length:]
	descr := npyDescr.FindStringSubmatch(header)
	shape := npyShape.FindStringSubmatch(header)
	if descr == nil || shape == nil {
		return nil, fmt.Errorf("offset %d: the .npy header has no plain descr and shape: %s", start, strings.TrimSpace(header))
	}
	if npyFortran.MatchString(header) {
		return nil, fmt.Errorf("offset %d: a .npy file in Fortran order is not read; save it with numpy.ascontiguousarray", start)
	}
	dims, err := npyDims(shape[1])
	if err != nil {
		return nil, fmt.Errorf("offset %d: %w", start, err)
	}
	return npyValue(descr[1], descr[2], descr[3], dims, body)
}

func npyDims(text string) ([]int64, error) {
	dims := []int64{}
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("the .npy shape (%s) is no list of sizes", text)
		}
		dims = append(dims, n)
	}
	return dims, nil
}

// npyTypes maps numpy's kind and width in bytes to element types.
var npyTypes = map[string]onnxgraph.DType{
	"b1": onnxgraph.Bool,
	"i1": onnxgraph.Int8, "i2": onnxgraph.Int16, "i4": onnxgraph.Int32, "i8": onnxgraph.Int64,
	"u1": onnxgraph.Uint8, "u2": onnxgraph.Uint16, "u4": onnxgraph.Uint32, "u8": onnxgraph.Uint64,
	"f4": onnxgraph.Float, "f8": onnxgraph.Double,
}

func npyValue(order, kind, width string, dims []int64, body []byte) (*tensor.Value, error) {
	dtype, ok := npyTypes[kind+width]
	if !ok {
		return nil, fmt.Errorf("a .npy file of type %s%s is not read: booleans, integers, f4 and f8 are", kind, width)
	}
	n, ok := onnxgraph.ElementCount(dims)
	size, _ := strconv.Atoi(width)
	if !ok || n > int64(len(body)/size) {
		return nil, fmt.Errorf("the .npy file holds %d bytes of data, its shape %v asks for more", len(body), dims)
	}
	if n > tensor.MaxInts {
		return nil, fmt.Errorf("%d elements are more than the %d that can decide a shape: give the shape alone with --input-shapes", n, tensor.MaxInts)
	}
	var bytesOf binary.ByteOrder = binary.LittleEndian
	if order == ">" {
		bytesOf = binary.BigEndian
	}
	v := &tensor.Value{DType: dtype, Dims: dims, Elems: make([]tensor.Scalar, n)}
	for i := range v.Elems {
		v.Elems[i] = npyElement(kind, body[i*size:(i+1)*size], bytesOf)
	}
	return v, nil
}

func npyElement(kind string, b []byte, order binary.ByteOrder) tensor.Scalar {
	var bits uint64
	switch len(b) {
	case 1:
		bits = uint64(b[0])
	case 2:
		bits = uint64(order.Uint16(b))
	case 4:
		bits = uint64(order.Uint32(b))
	default:
		bits = order.Uint64(b)
	}
	switch {
	case kind == "f" && len(b) == 4:
		return tensor.Float(float64(math.Float32frombits(uint32(bits))))
	case kind == "f":
		return tensor.Float(math.Float64frombits(bits))
	case kind == "i":
		shift := 64 - 8*len(b)
		return tensor.Int(int64(bits<<shift) >> shift)
	case kind == "u" && bits > math.MaxInt64:
		return tensor.Scalar{} // past what dims can hold
	}
	return tensor.Int(int64(bits))
}
