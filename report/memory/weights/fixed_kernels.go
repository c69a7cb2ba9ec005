package weights

import (
	"math"

	"onnxmem/onnxgraph"
)

// This file tells kernels that are part of the program from those that train, by
// what they hold.

// isFixedKernel reports whether the weight of a convolution never trains: it
// sums up what it reads with the weights 0, 1, 2 ..., as the expectation over
// bins in the heads of detectors does (Li et al., Generalized Focal Loss, 2020),
// or blurs each channel with the same filter (Zhang, Making Convolutional
// Networks Shift-Invariant Again, 2019; bilinear upsampling, Long et al., 2015).
func isFixedKernel(t *onnxgraph.Tensor) bool {
	if t == nil || len(t.Dims) < 3 {
		return false
	}
	n, ok := t.Elements()
	if !ok || n < 4 || n > mostKernel {
		return false
	}
	if isBins(t, n) {
		return true
	}
	return t.Dims[1] == 1 && t.Dims[0] > 1 && isBlur(t, n)
}

// mostKernel bounds what is read of a kernel: 64 x 64 for 512 channels.
const mostKernel = 1 << 21

// isBins reports whether a kernel of one output is 0, 1, 2 ...
func isBins(t *onnxgraph.Tensor, n int64) bool {
	if t.Dims[0] != 1 || t.Dims[1] != n || n > mostFrequencies {
		return false
	}
	values, ok := readAt(t, 0, n)
	if !ok {
		return false
	}
	for i, x := range values {
		if x != float64(i) {
			return false
		}
	}
	return true
}

// isBlur reports whether all channels have the same filter, which is symmetric,
// nowhere negative, and not the same everywhere.
func isBlur(t *onnxgraph.Tensor, n int64) bool {
	size := n / t.Dims[0]
	if size < 3 {
		return false
	}
	first, ok := readAt(t, 0, 2*size)
	if !ok || !sameFilter(first[:size], first[size:]) || !isSmoothing(first[:size]) {
		return false
	}
	all, ok := readAt(t, 0, n)
	if !ok {
		return false
	}
	for at := size; at < n; at += size {
		if !sameFilter(first[:size], all[at:at+size]) {
			return false
		}
	}
	return true
}

func sameFilter(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func isSmoothing(filter []float64) bool {
	least, most := math.Inf(1), 0.0
	for i, x := range filter {
		if !(x >= 0) || math.Abs(x-filter[len(filter)-1-i]) > 1e-6*math.Abs(x) {
			return false
		}
		least, most = min(least, x), max(most, x)
	}
	return most > least
}
