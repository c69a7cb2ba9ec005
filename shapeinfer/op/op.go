// Package op is the catalogue of operators: for each, in one place, everything
// that the standard says about the types and values of its outputs, the
// multiply-accumulates that it takes, and which outputs must be views.
//
// A family of operators is one file. Adding an operator is one entry in one
// file's table; lists, help and the coverage table are made from the
// catalogue.
package op

import (
	"sort"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
)

// The operator domains of the catalogue. The default domain has the empty name.
const (
	DomainML              = "ai.onnx.ml"
	DomainPreview         = "ai.onnx.preview"
	DomainPreviewTraining = "ai.onnx.preview.training"
	DomainMicrosoft       = "com.microsoft"
	DomainNchwc           = "com.microsoft.nchwc"
	DomainInternalNHWC    = "com.ms.internal.nhwc"
	DomainATen            = "org.pytorch.aten"
)

// An Op is one operator over the range of versions that behave alike.
type Op struct {
	Domain string // empty: ai.onnx
	Name   string
	// Versions are the opset versions of the domain at which the operator was
	// introduced or changed and that this entry covers, ascending. Versions
	// that other rules apply to are entries of their own.
	Versions []int
	// Infer sets the outputs' types, and their values where they can be known.
	Infer func(*Call) error
	// MACs counts multiply-accumulates of one run, nil where there are none.
	MACs func(*Call) dim.Dim
	// Views lists outputs that share the storage of an input in every runtime
	// that does not copy for its own reasons: Reshape and its kin.
	Views []View
	// Deprecated says that the standard withdrew the operator with the last of
	// Versions; its types still follow.
	Deprecated bool
}

// A View says that an output is another view of an input's storage.
type View struct{ Output, Input int }

// viewOfFirst is the Views of the operators that only relabel their input.
var viewOfFirst = []View{{0, 0}}

// A Catalogue finds operators by domain, name and opset version.
type Catalogue struct {
	byName map[key][]*Op
	ops    []*Op
}

type key struct{ domain, name string }

// NewCatalogue returns the catalogue of all operators that the program knows.
func NewCatalogue() *Catalogue {
	c := &Catalogue{byName: make(map[key][]*Op, 512)}
	for _, family := range families() {
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
