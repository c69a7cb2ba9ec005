package weights

import (
	"fmt"
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer/op"
)

// This file finds weights that a module has once and the file holds twice:
// under two names, or transposed for another reader.

// leastTie is the size in bytes from which equal contents mean that a weight is
// shared: 256 numbers are not equal by chance.
const leastTie = 1 << 10

// tie makes copies of tensors that train Tied to the first of them, and notes
// them. With untie they are noted only. So they are in a model that was never
// trained: a layer that was copied for each block starts with equal weights and
// keeps them for itself (copy.deepcopy in torch.nn.TransformerEncoder).
func (w *Set) tie(untie bool) {
	var matrices []*Tensor
	for i := range w.Tensors {
		if t := &w.Tensors[i]; t.Role == Trainable && isMatrix(t.Dims) && t.Bytes >= leastTie && !t.Unread && t.Tensor != nil {
			matrices = append(matrices, t)
		}
	}
	tied := noteOf{Note: memory.Note{Code: NoteTiedWeights, Option: "untie"}}
	equal := noteOf{Note: memory.Note{Code: NoteEqualWeights}}
	link := func(original, copied *Tensor, transposed, tie bool) {
		note := &equal
		if tie {
			note = &tied
			copied.Role, copied.Original, copied.Transposed = Tied, original.Tensor, transposed
		}
		if note.Count == 0 || copied.Bytes > note.most {
			note.Related = original.Name
		}
		note.add(copied.Name, copied.Bytes)
	}
	groups := append(samePlace(matrices), Equal(differentPlaces(matrices), leastTie)...)
	fresh := -1 // not asked yet
	for _, g := range groups {
		for _, t := range g[1:] {
			same := samePlaceAs(g[0].Tensor, t.Tensor) || crossesKinds(g[0], t)
			if !same && fresh < 0 {
				fresh = 0
				if w.untrained() {
					fresh = 1
				}
			}
			link(g[0], t, false, !untie && (same || fresh == 0))
		}
	}
	for _, p := range transposedPairs(matrices) {
		link(p[0], p[1], true, !untie)
	}
	for _, n := range []*noteOf{&tied, &equal} {
		if n.Count > 0 {
			w.Notes = append(w.Notes, n.Note)
		}
	}
}

// isMatrix reports whether a tensor has at least two axes of more than one.
func isMatrix(dims []int64) bool {
	wide := 0
	for _, d := range dims {
		if d > 1 {
			wide++
		}
	}
	return wide > 1
}

// crossesKinds reports whether one of two tensors is a table that is looked up
// and the other a factor of a product: copies of a layer have the same readers,
// an embedding and the projection that shares it have not.
func crossesKinds(a, b *Tensor) bool {
	return slices.ContainsFunc(a.Readers, isLookup) != slices.ContainsFunc(b.Readers, isLookup)
}

// untrained reports whether all scales of normalizations are ones, as modules
// make them: no training leaves them so.
func (w *Set) untrained() bool {
	found := false
	for i := range w.Tensors {
		t := &w.Tensors[i]
		if t.Role != Trainable || t.Tensor == nil || len(t.Dims) != 1 || t.Elements == 0 || !slices.ContainsFunc(t.Readers, isNorm) {
			continue
		}
		values, ok := readAt(t.Tensor, 0, min(t.Elements, mostFrequencies))
		if !ok {
			return false
		}
		ones, zeros := true, true
		for _, x := range values {
			ones, zeros = ones && x == 1, zeros && x == 0
		}
		if !ones && !zeros { // zeros are shifts, which start so
			return false
		}
		found = found || ones
	}
	return found
}

func isNorm(id op.ID) bool {
	switch id.Name {
	case "LayerNormalization", "BatchNormalization", "GroupNormalization", "RMSNormalization", "InstanceNormalization", "SimplifiedLayerNormalization",
		"SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "Mul", "Add": // the last two where an exporter took one apart
		return true
	}
	return false
}

// samePlace groups tensors whose values lie at the same place of a file.
func samePlace(tensors []*Tensor) [][]*Tensor {
	return grouped(tensors, func(t *Tensor) (string, bool) { return placeOf(t.Tensor) })
}

// differentPlaces leaves out all but the first tensor of each place.
func differentPlaces(tensors []*Tensor) []*Tensor {
	seen := map[string]bool{}
	var list []*Tensor
	for _, t := range tensors {
		if place, ok := placeOf(t.Tensor); ok {
			if seen[place] {
				continue
			}
			seen[place] = true
		}
		list = append(list, t)
	}
	return list
}

func samePlaceAs(a, b *onnxgraph.Tensor) bool {
	x, ok := placeOf(a)
	y, known := placeOf(b)
	return ok && known && x == y
}

// placeOf names the place of a tensor's external data, with its type and shape;
// ok is false for others, and where the file gives no length.
func placeOf(t *onnxgraph.Tensor) (place string, ok bool) {
	if t == nil || !t.External {
		return "", false
	}
	location, offset, length, err := t.ExternalLocation()
	if err != nil || length <= 0 {
		return "", false
	}
	return fmt.Sprint(location, offset, length, t.DType, t.Dims), true
}
