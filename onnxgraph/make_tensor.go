package onnxgraph

import "bytes"

// MakeTensor makes a tensor that no file holds, for models that programs put
// together. raw are its values as raw_data has them: little-endian, row-major,
// types below a byte packed. It is kept, not copied.
func MakeTensor(name string, dtype DType, dims []int64, raw []byte) *Tensor {
	size := int64(len(raw))
	return &Tensor{
		Name:     name,
		DType:    dtype,
		Dims:     dims,
		Payloads: []Payload{{Field: RawData, Extent: Extent{Length: size}}},
		data:     &source{file: bytes.NewReader(raw), size: size},
	}
}
