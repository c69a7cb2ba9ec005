package tape

import (
	"cmp"
	"slices"

	"onnxmem/report/memory/internal/ref"
)

// A StorageID refers to a storage of a Tape, or to none: no memory at all, as of
// a gradient that is a single number seen as a whole tensor.
type StorageID = ref.ID[Storage]

// A Tensor is a framework tensor: dims and strides, in elements, over a
// storage. Whether an operator copies hangs on the strides: a transposed
// tensor cannot be reshaped in place.
type Tensor struct {
	Dims    []int64
	Strides []int64
	Storage StorageID
	Size    int64 // bytes of an element
	View    bool  // of another tensor, which still holds the storage
}

// Elements is the product of the dims. Dims are bounded by the tape.
func (t *Tensor) Elements() int64 { return product(t.Dims) }

// Bytes is what a dense copy takes.
func (t *Tensor) Bytes() int64 { return t.Elements() * t.Size }

func product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// contiguousStrides are those of a row-major tensor.
func contiguousStrides(dims []int64) []int64 {
	s := make([]int64, len(dims))
	n := int64(1)
	for i := len(dims) - 1; i >= 0; i-- {
		s[i] = n
		n *= max(dims[i], 1)
	}
	return s
}

// Contiguous reports whether a tensor is row-major without gaps.
func (t *Tensor) Contiguous() bool {
	n := int64(1)
	for i := len(t.Dims) - 1; i >= 0; i-- {
		if t.Dims[i] != 1 && t.Strides[i] != n {
			return false
		}
		n *= max(t.Dims[i], 1)
	}
	return true
}

// gaps counts the axes along which a tensor leaves out memory between its
// elements, whatever the order of the axes.
func (t *Tensor) gaps() int {
	axes := make([]int, 0, len(t.Dims))
	for i := range t.Dims {
		if t.Dims[i] != 1 {
			axes = append(axes, i)
		}
	}
	slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(t.Strides[a], t.Strides[b]) })
	n, next := 0, int64(1)
	for _, i := range axes {
		if t.Strides[i] > next {
			n++
		}
		next = t.Strides[i] * t.Dims[i]
	}
	return n
}

// channelsLast reports whether a tensor of images is stored with its channels
// innermost, and not row-major as well.
func (t *Tensor) channelsLast() bool {
	if len(t.Dims) != 4 || t.Contiguous() {
		return false
	}
	n := int64(1)
	for _, i := range []int{1, 3, 2, 0} {
		if t.Dims[i] != 1 && t.Strides[i] != n {
			return false
		}
		n *= t.Dims[i]
	}
	return true
}

func channelsLastStrides(dims []int64) []int64 {
	s := make([]int64, 4)
	n := int64(1)
	for _, i := range []int{1, 3, 2, 0} {
		s[i] = n
		n *= max(dims[i], 1)
	}
	return s
}

// likeStrides are those of a fresh tensor that keeps another's order of axes,
// as elementwise operators make them: row-major when the other one overlaps or
// has gaps.
func likeStrides(t *Tensor) []int64 {
	axes := make([]int, len(t.Dims))
	for i := range axes {
		axes[i] = i
	}
	// Insertion sort by stride, largest first; equal ones keep their order.
	for i := 1; i < len(axes); i++ {
		for k := i; k > 0 && t.Strides[axes[k]] > t.Strides[axes[k-1]] && t.Dims[axes[k]] != 1 && t.Dims[axes[k-1]] != 1; k-- {
			axes[k], axes[k-1] = axes[k-1], axes[k]
		}
	}
	s, n := make([]int64, len(axes)), int64(1)
	for i := len(axes) - 1; i >= 0; i-- {
		if t.Strides[axes[i]] == 0 && t.Dims[axes[i]] > 1 {
			return contiguousStrides(t.Dims)
		}
		s[axes[i]] = n
		n *= max(t.Dims[axes[i]], 1)
	}
	return s
}

// viewStrides are the strides of a tensor in other dims of equal size without
// moving anything; ok is false where that takes a copy. This is the rule of
// torch.Tensor.view: a new dim may span old ones only where those lie one
// after another in memory.
func viewStrides(t *Tensor, dims []int64) (strides []int64, ok bool) {
	if t.Elements() == 0 {
		return contiguousStrides(dims), true
	}
	strides = make([]int64, len(dims))
	if len(t.Dims) == 0 {
		for i := range strides {
			strides[i] = 1
		}
		return strides, true
	}
	at := len(dims) - 1
	base := t.Strides[len(t.Dims)-1]
	chunk, filled := int64(1), int64(1)
	for i := len(t.Dims) - 1; i >= 0; i-- {
		chunk *= t.Dims[i]
		if i > 0 && (t.Dims[i-1] == 1 || t.Strides[i-1] == chunk*base) {
			continue
		}
		for at >= 0 && (filled < chunk || dims[at] == 1) {
			strides[at] = filled * base
			filled *= dims[at]
			at--
		}
		if filled != chunk {
			return nil, false
		}
		if i > 0 {
			base = t.Strides[i-1]
			chunk, filled = 1, 1
		}
	}
	return strides, at < 0
}

// Permuted is a view with the axes in another order.
func (t *Tensor) Permuted(perm []int) Tensor {
	v := Tensor{Dims: make([]int64, len(perm)), Strides: make([]int64, len(perm)), Storage: t.Storage, Size: t.Size, View: true}
	for i, p := range perm {
		v.Dims[i], v.Strides[i] = t.Dims[p], t.Strides[p]
	}
	return v
}

// Narrowed is a view of fewer elements: dims of a slice with unit steps.
func (t *Tensor) Narrowed(dims []int64) Tensor {
	return Tensor{Dims: dims, Strides: t.Strides, Storage: t.Storage, Size: t.Size, View: true}
}

// Expanded is a view in which dims of one repeat.
func (t *Tensor) Expanded(dims []int64) Tensor {
	v := Tensor{Dims: dims, Strides: make([]int64, len(dims)), Storage: t.Storage, Size: t.Size, View: true}
	for i := range dims {
		if k := i - len(dims) + len(t.Dims); k >= 0 && t.Dims[k] == dims[i] {
			v.Strides[i] = t.Strides[k]
		}
	}
	return v
}

func sameDims(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Reshaped is a view in other dims of equal size; ok is false where that takes
// a copy.
func (t *Tensor) Reshaped(dims []int64) (v Tensor, ok bool) {
	strides, ok := viewStrides(t, dims)
	return Tensor{Dims: dims, Strides: strides, Storage: t.Storage, Size: t.Size, View: true}, ok
}

// Dense is a row-major tensor of the same dims, in memory of its own.
func Dense(t Tensor) Tensor {
	return Tensor{Dims: t.Dims, Strides: contiguousStrides(t.Dims), Size: t.Size}
}

// Like is a dense tensor with the axes in the same order in memory.
func Like(t Tensor) Tensor {
	return Tensor{Dims: t.Dims, Strides: likeStrides(&t), Size: t.Size}
}

// ByHeads is a dense tensor of [batch, heads, rows, width] that lies with the
// heads after the rows.
func ByHeads(t Tensor) Tensor {
	v := Dense(t)
	if len(t.Dims) == 4 {
		v.Strides = headStrides(t.Dims)
	}
	return v
}

// SameDims reports whether two lists of dims are equal.
func SameDims(a, b []int64) bool { return sameDims(a, b) }
