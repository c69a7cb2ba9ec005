package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"onnxmem/report/memory/weights"
)

// leastDuplicate is the size in bytes below which equal contents mean nothing:
// small tables and biases are equal by chance.
const leastDuplicate = 16 << 10

// sampleBytes is how much of a tensor's beginning, middle and end is compared
// before all of it is.
const sampleBytes = 512

// duplicates finds stored tensors of equal type, shape and contents under
// several names, the largest first. Contents are read in pieces, and whole only
// where samples agree, so that a model without duplicates is hardly read.
// Tensors that hold one byte over and over, as zeros, are left out: that they
// are equal does not tell that they are shared. Those whose values cannot be
// read are left out, too.
func duplicates(w *weights.Set) []Duplicate {
	groups := grouped(w.Tensors, func(t *weights.Tensor) (string, bool) {
		return fmt.Sprint(t.DType, t.Dims), t.Bytes >= leastDuplicate && t.Tensor != nil && t.Stored == t.Bytes
	})
	var found []Duplicate
	for _, group := range groups {
		for _, alike := range grouped(group, sample) {
			for _, equal := range grouped(alike, digestOf) {
				d := Duplicate{Bytes: equal[0].Bytes}
				for _, t := range equal {
					d.Names = append(d.Names, t.Name)
				}
				found = append(found, d)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Duplicate) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return found
}

// grouped splits tensors into groups of equal keys, in the order of their first
// members, and drops those without a key and those alone in their group.
func grouped(tensors []weights.Tensor, key func(*weights.Tensor) (string, bool)) [][]weights.Tensor {
	index := map[string]int{}
	var groups [][]weights.Tensor
	for i := range tensors {
		k, ok := key(&tensors[i])
		if !ok {
			continue
		}
		g, known := index[k]
		if !known {
			g = len(groups)
			index[k] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], tensors[i])
	}
	return slices.DeleteFunc(groups, func(g []weights.Tensor) bool { return len(g) < 2 })
}

// sample reads a little of a tensor in three places.
func sample(t *weights.Tensor) (key string, ok bool) {
	r, err := t.Tensor.Open()
	if err != nil {
		return "", false
	}
	buf := make([]byte, 3*sampleBytes)
	for i, at := range []int64{0, r.Size() / 2, r.Size() - sampleBytes} {
		if _, err := r.ReadAt(buf[i*sampleBytes:(i+1)*sampleBytes], at); err != nil {
			return "", false
		}
	}
	if bytes.Count(buf, buf[:1]) == len(buf) {
		return "", false
	}
	return string(buf), true
}

func digestOf(t *weights.Tensor) (key string, ok bool) {
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

// duplicateNotes says what is stored more than once.
func duplicateNotes(list []Duplicate) []string {
	if len(list) == 0 {
		return nil
	}
	extra := int64(0)
	for _, d := range list {
		extra += d.Bytes * int64(len(d.Names)-1)
	}
	first := list[0]
	note := fmt.Sprintf("%s and %s hold the same %d bytes", first.Names[0], first.Names[1], first.Bytes)
	if n := len(list) - 1; n > 0 {
		note += fmt.Sprintf(", and %d more groups of weights are equal", n)
	}
	return []string{fmt.Sprintf("%s: stored once, %d bytes less would be needed. They count as often as they are stored", note, extra)}
}
