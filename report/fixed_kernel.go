package report

import (
	"bytes"
	"encoding/binary"
	"math"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory/weights"
)

// maxFixedKernel is the size in bytes up to which a weight is read to see
// whether it is a fixed kernel. Known ones have a few values per channel.
const maxFixedKernel = 64 << 10

// isFixedKernel reports whether a weight of a convolution or product was not
// learned, by its values: the ramp 0, 1, 2 ... that turns a distribution into its
// mean (distribution focal loss, Li et al., 2020), or one blur kernel for all
// channels (Zhang, Making Convolutional Networks Shift-Invariant Again, 2019).
// Weights that hold one value only, as files without their weights do, tell
// nothing.
func isFixedKernel(t *weights.Tensor) bool {
	if t.Tensor == nil || t.DType != onnxgraph.Float || len(t.Dims) < 2 || t.Stored != t.Bytes || t.Bytes > maxFixedKernel || t.Elements < 3 {
		return false
	}
	r, err := t.Tensor.Open()
	if err != nil || r.Size() != t.Bytes {
		return false
	}
	data := make([]byte, t.Bytes)
	if _, err := r.ReadAt(data, 0); err != nil || bytes.Count(data, data[:1]) == len(data) {
		return false
	}
	return isRamp(data) || sameChannels(data, t.Dims[0])
}

// isRamp reports whether floats are 0, 1, 2 and so on.
func isRamp(data []byte) bool {
	for i := 0; 4*i < len(data); i++ {
		if math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])) != float32(i) {
			return false
		}
	}
	return true
}

// sameChannels reports whether all of several channels hold the same values, of
// which there are some.
func sameChannels(data []byte, channels int64) bool {
	size := int64(len(data)) / channels
	first := data[:size]
	if channels < 2 || size < 12 || bytes.Equal(first[4:], first[:size-4]) { // one value throughout
		return false
	}
	for c := int64(1); c < channels; c++ {
		if !bytes.Equal(first, data[c*size:(c+1)*size]) {
			return false
		}
	}
	return true
}
