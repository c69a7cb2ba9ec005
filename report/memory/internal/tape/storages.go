package tape

import (
	"onnxmem/report/finding"
)

// This file saves the storages of a tape, and what of them derivatives save.

// Limits above which sizes are not followed: dims of a hostile file multiply
// to anything. Below them no sum over a tape overflows.
const (
	maxTensorBytes = 1 << 50
	maxTotalBytes  = 1 << 58
)

// product64 multiplies dims and stops at the largest size that is followed.
func product64(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		if d == 0 {
			return 0
		}
		if d < 0 || n > maxTensorBytes/d {
			n = maxTensorBytes
			continue
		}
		n *= d
	}
	return n
}

func (r *recorder) storage(bytes int64, k Kind) StorageID {
	r.count(&bytes)
	id := r.t.Storages.Add(Storage{Bytes: bytes, Kind: k})
	if k == Allocated {
		r.allocated = append(r.allocated, id)
	}
	return id
}

// count adds to the bytes of all tensors, views too, since each may get a
// gradient of its size. What is above the limits fails and counts as nothing.
func (r *recorder) count(bytes *int64) {
	if *bytes < 0 || *bytes > maxTensorBytes || r.total > maxTotalBytes {
		r.fail(finding.TrainingTooLarge, nil)
		*bytes = 0
	}
	r.total += *bytes
}

// dense is a new row-major tensor.
func (r *recorder) dense(dims []int64, size int64) Tensor {
	return Tensor{Dims: dims, Strides: contiguousStrides(dims), Storage: r.storage(product64(dims)*size, Allocated), Size: size}
}

// like is a new tensor of the same dims and order of axes.
func (r *recorder) like(t *Tensor, size int64) Tensor {
	return Tensor{Dims: t.Dims, Strides: likeStrides(t), Storage: r.storage(product64(t.Dims)*size, Allocated), Size: size}
}

// small adds a storage for what an operator saves beside tensors.
func (r *recorder) small(bytes int64) StorageID { return r.storage(bytes, Allocated) }

// isConstant reports whether a tensor is part of the program and takes no
// memory of its own.
func (r *recorder) isConstant(v VarID) bool {
	s := r.at(v).Storage
	return !s.None() && r.t.Storages.At(s).Kind == Constant
}

// saved is the storage of an operand that a derivative saves. Integers have
// none until somebody saves them: what steers shapes is not on any device.
func (r *recorder) saved(v VarID) StorageID {
	if v.None() {
		return StorageID{}
	}
	if of, ok := r.expanded[v]; ok {
		return r.saved(of)
	}
	x := r.at(v)
	if x.Storage.None() {
		x.Storage = r.storage(x.Bytes(), Allocated)
	}
	return x.Storage
}
