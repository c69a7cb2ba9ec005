package report

import (
	"cmp"
	"fmt"
	"slices"

	"onnxmem/report/memory/weights"
)

// leastDuplicate is the size in bytes below which equal contents mean nothing:
// small tables and biases are equal by chance.
const leastDuplicate = 16 << 10

// duplicates finds stored tensors of equal type, shape and contents under
// several names, the largest first.
func duplicates(w *weights.Set) []Duplicate {
	all := make([]*weights.Tensor, len(w.Tensors))
	for i := range w.Tensors {
		all[i] = &w.Tensors[i]
	}
	var found []Duplicate
	for _, equal := range weights.Equal(all, leastDuplicate) {
		d := Duplicate{Bytes: equal[0].Bytes}
		for _, t := range equal {
			d.Names = append(d.Names, t.Name)
		}
		found = append(found, d)
	}
	slices.SortStableFunc(found, func(a, b Duplicate) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return found
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
