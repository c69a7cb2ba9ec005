package weights

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
)

// This file finds stored tensors of equal contents.

// sampleBytes is how much of a tensor's beginning, middle and end is compared
// before all of it is.
const sampleBytes = 512

// Equal groups the tensors of a list, of at least so many bytes each, that have
// one type, one shape and one content. Contents are read in pieces, and whole
// only where samples agree, so that a model without copies is hardly read.
// Tensors that hold one byte over and over, as zeros, are left out: that they
// are equal does not tell that they are shared. So are those whose values cannot
// be read.
func Equal(tensors []*Tensor, least int64) [][]*Tensor {
	var found [][]*Tensor
	alike := grouped(tensors, func(t *Tensor) (string, bool) {
		return fmt.Sprint(t.DType, t.Dims), t.Bytes >= least && t.Tensor != nil && t.Stored == t.Bytes
	})
	for _, group := range alike {
		for _, sampled := range grouped(group, sample) {
			found = append(found, grouped(sampled, digest)...)
		}
	}
	return found
}

// grouped splits tensors into groups of equal keys, in the order of their first
// members, and drops those without a key and those alone in their group.
func grouped(tensors []*Tensor, key func(*Tensor) (string, bool)) [][]*Tensor {
	index := map[string]int{}
	var groups [][]*Tensor
	for _, t := range tensors {
		k, ok := key(t)
		if !ok {
			continue
		}
		g, known := index[k]
		if !known {
			g = len(groups)
			index[k] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], t)
	}
	return slices.DeleteFunc(groups, func(g []*Tensor) bool { return len(g) < 2 })
}

// sample reads a little of a tensor in three places, all of it where it is small.
func sample(t *Tensor) (key string, ok bool) {
	r, err := t.Tensor.Open()
	if err != nil {
		return "", false
	}
	size := min(sampleBytes, r.Size())
	buf := make([]byte, 3*size)
	for i, at := range []int64{0, (r.Size() - size) / 2, r.Size() - size} {
		if _, err := r.ReadAt(buf[int64(i)*size:int64(i+1)*size], at); err != nil {
			return "", false
		}
	}
	if bytes.Count(buf, buf[:1]) == len(buf) {
		return "", false
	}
	return string(buf), true
}

// HasContents reports whether the values of a tensor can be read and are not one
// byte over and over, so that they tell it from others.
func (t *Tensor) HasContents() bool {
	if t.Tensor == nil {
		return false
	}
	_, ok := sample(t)
	return ok
}

func digest(t *Tensor) (key string, ok bool) {
	r, err := t.Tensor.Open()
	if err != nil {
		return "", false
	}
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", false
	}
	return string(h.Sum(nil)), true
}
