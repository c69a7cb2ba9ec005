package report

import (
	"cmp"
	"slices"

	"onnxmem/report/finding"
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
func duplicateNotes(list []Duplicate) []finding.Finding {
	if len(list) == 0 {
		return nil
	}
	extra := int64(0)
	for _, d := range list {
		extra += d.Bytes * int64(len(d.Names)-1)
	}
	f := finding.New(finding.DuplicateWeights)
	f.Tensor, f.Related, f.TensorBytes = list[0].Names[0], list[0].Names[1], list[0].Bytes
	f.Count, f.Bytes = int64(len(list)), extra
	return []finding.Finding{f}
}
