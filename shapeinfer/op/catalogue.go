package op

import (
	"sort"

	"onnxmem/onnxgraph"
)

// A Catalogue finds operators by domain, name and opset version.
type Catalogue struct {
	byName map[key][]*Op
	ops    []*Op
}

type key struct{ domain, name string }

// NewCatalogue returns a catalogue of the operators of some families. Two
// entries for the same version of an operator are a mistake of the program
// that makes it; the first one is found.
func NewCatalogue(families ...[]Op) *Catalogue {
	c := &Catalogue{byName: make(map[key][]*Op, 512)}
	for _, family := range families {
		for i := range family {
			o := &family[i]
			k := key{o.Domain, o.Name}
			c.byName[k] = append(c.byName[k], o)
			c.ops = append(c.ops, o)
		}
	}
	for _, entries := range c.byName {
		sort.Slice(entries, func(i, j int) bool { return entries[i].Versions[0] < entries[j].Versions[0] })
	}
	sort.Slice(c.ops, func(i, j int) bool {
		a, b := c.ops[i], c.ops[j]
		if a.Domain != b.Domain {
			return a.Domain < b.Domain
		}
		if a.Name != b.Name {
			return a.Name < b.Name
		}
		return a.Versions[0] < b.Versions[0]
	})
	return c
}

// Find returns the entry in force for an operator under an imported opset
// version: the one with the newest version that is not above it. since is that
// version. nil when the catalogue has none.
func (c *Catalogue) Find(domain, name string, opset int64) (o *Op, since int) {
	for _, entry := range c.byName[key{onnxgraph.CanonicalDomain(domain), name}] {
		for _, v := range entry.Versions {
			if int64(v) <= opset && v > since {
				o, since = entry, v
			}
		}
	}
	return o, since
}

// Has reports whether some version of the operator is in the catalogue.
func (c *Catalogue) Has(domain, name string) bool {
	return len(c.byName[key{onnxgraph.CanonicalDomain(domain), name}]) > 0
}

// Ops lists every entry, sorted by domain, name and version.
func (c *Catalogue) Ops() []*Op { return c.ops }
