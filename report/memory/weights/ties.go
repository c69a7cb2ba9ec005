package weights

import (
	"fmt"
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
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
	tied := newNote(finding.TiedWeights, finding.Untie)
	equal := newNote(finding.EqualWeights)
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
	at := newPlaces(w.Tensors)
	groups := append(grouped(matrices, at.of), Equal(at.apart(matrices), leastTie)...)
	fresh := -1 // not asked yet
	for _, g := range groups {
		for _, t := range g[1:] {
			same := at.same(g[0], t) || crossesKinds(g[0], t)
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
			w.Notes = append(w.Notes, n.Finding)
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

// A place is where a tensor's external data starts.
type place struct {
	location string
	offset   int64
}

// places are the places of a file's tensors that can be believed.
type places map[place]bool

// newPlaces looks at all tensors of a model. Tools that take weights out of a
// file leave entries of which only the location is true, so a place counts only
// where no tensor of another type, shape or length lies, and not if it is that
// of all of several tensors of a file.
func newPlaces(tensors []Tensor) places {
	type group struct {
		first string
		n     int
		mixed bool
	}
	groups, files := map[place]*group{}, map[string]int{}
	for i := range tensors {
		at, length, ok := placeOf(tensors[i].Tensor)
		if !ok {
			continue
		}
		files[at.location]++
		is := fmt.Sprint(tensors[i].DType, tensors[i].Dims, length)
		g := groups[at]
		if g == nil {
			g = &group{first: is}
			groups[at] = g
		}
		g.n++
		g.mixed = g.mixed || g.first != is
	}
	known := places{}
	for at, g := range groups {
		known[at] = !g.mixed && (g.n <= 2 || g.n < files[at.location])
	}
	return known
}

// of names the place of a tensor; ok is false where it cannot be believed.
func (p places) of(t *Tensor) (key string, ok bool) {
	at, _, ok := placeOf(t.Tensor)
	return fmt.Sprint(at.offset, " ", at.location), ok && p[at]
}

// placeOf is the place of a tensor's external data, and its length in bytes; ok
// is false for other tensors, and where the file leaves the offset open.
func placeOf(t *onnxgraph.Tensor) (at place, length int64, ok bool) {
	given := func(e onnxgraph.StringEntry) bool { return e.Key == "offset" }
	if t == nil || !t.External || !slices.ContainsFunc(t.ExternalData, given) {
		return place{}, 0, false
	}
	location, offset, length, err := t.ExternalLocation()
	return place{location, offset}, length, err == nil
}

// apart leaves out all but the first tensor of each place.
func (p places) apart(tensors []*Tensor) []*Tensor {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(tensors), func(t *Tensor) bool {
		key, ok := p.of(t)
		again := ok && seen[key]
		seen[key] = true
		return again
	})
}

// same reports whether two tensors lie at one place.
func (p places) same(a, b *Tensor) bool {
	x, ok := p.of(a)
	y, known := p.of(b)
	return ok && known && x == y
}
