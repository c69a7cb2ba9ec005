package onnxgraph

import "bytes"

// This file makes tensors that no file holds, for models that programs put
// together.

// NewTensor returns a tensor whose values are in memory: raw has them in the
// format of raw_data, little-endian, row-major, types below a byte packed. It
// is kept, not copied.
func NewTensor(name string, dtype DType, dims []int64, raw []byte) *Tensor {
	size := int64(len(raw))
	return &Tensor{
		Name: name, DType: dtype, Dims: dims,
		Payloads: []Payload{{Field: RawData, Extent: Extent{Length: size}}},
		data:     &source{file: bytes.NewReader(raw), size: size},
	}
}

// NewStringTensor returns a tensor of strings in memory, row-major.
func NewStringTensor(name string, dims []int64, values []string) *Tensor {
	t := &Tensor{Name: name, DType: String, Dims: dims}
	var text []byte
	for _, v := range values {
		place := Extent{Offset: int64(len(text)), Length: int64(len(v))}
		t.Payloads = append(t.Payloads, Payload{Field: StringData, Extent: place})
		text = append(text, v...)
	}
	t.data = &source{file: bytes.NewReader(text), size: int64(len(text))}
	return t
}
