package op

import (
	"cmp"
	"math"
	"slices"

	"onnxmem/onnxgraph"
)

// A Catalogue finds operators by domain, name and opset version. It never
// changes after it was made, so that several goroutines may use it.
type Catalogue struct {
	byName map[ID][]*Op
	ops    []*Op
}

// NewCatalogue returns a catalogue of the operators of some families. Two
// entries for the same version of an operator are a mistake of the program
// that makes it; the first one is found.
func NewCatalogue(families ...[]Op) *Catalogue {
	c := &Catalogue{byName: make(map[ID][]*Op, 512)}
	for _, family := range families {
		for i := range family {
			o := &family[i]
			k := o.ID()
			c.byName[k] = append(c.byName[k], o)
			c.ops = append(c.ops, o)
		}
	}
	slices.SortStableFunc(c.ops, func(a, b *Op) int {
		return cmp.Or(cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Name, b.Name), slices.Compare(a.Versions, b.Versions))
	})
	return c
}

// Find returns the entry in force for an operator under an imported opset
// version: the one with the newest version that is not above it. since is that
// version. nil when the catalogue has none.
func (c *Catalogue) Find(domain, name string, opset int64) (o *Op, since int) {
	for _, entry := range c.byName[ID{onnxgraph.CanonicalDomain(domain), name}] {
		for _, v := range entry.Versions {
			if int64(v) <= opset && v > since {
				o, since = entry, v
			}
		}
	}
	return o, since
}

// With returns a catalogue of these entries and those of c, which stays as it
// is. Where both describe a version of an operator, the new entry counts.
func (c *Catalogue) With(ops ...Op) *Catalogue {
	old := make([]Op, len(c.ops))
	for i, o := range c.ops {
		old[i] = *o
	}
	return NewCatalogue(slices.Clone(ops), old)
}

// Newest returns the entry of an operator with the newest version: what an
// operator is, apart from its types, does not change with the version. nil when
// the catalogue has none.
func (c *Catalogue) Newest(id ID) *Op {
	o, _ := c.Find(id.Domain, id.Name, math.MaxInt64)
	return o
}

// Has reports whether some version of the operator is in the catalogue.
func (c *Catalogue) Has(domain, name string) bool {
	return len(c.byName[ID{onnxgraph.CanonicalDomain(domain), name}]) > 0
}

// Ops lists every entry, sorted by domain, name and version.
func (c *Catalogue) Ops() []*Op { return c.ops }
