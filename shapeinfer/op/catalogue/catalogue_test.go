package catalogue_test

import (
	"slices"
	"testing"

	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
	"onnxmem/testdata/corpus"
)

// TestCatalogueCoversSchemas compares the catalogue with the schema lists of
// ONNX and of ONNX Runtime: every version of every operator must be covered by
// exactly one entry, and no entry may claim a version that does not exist.
func TestCatalogueCoversSchemas(t *testing.T) {
	type version struct {
		domain, name string
		since        int
	}
	declared := map[version]bool{}
	for _, list := range []string{corpus.ONNXSchemas, corpus.ContribSchemas, corpus.ORTDefaultSchemas} {
		for _, s := range corpus.Schemas(t, list) {
			declared[version{s.Domain, s.Name, s.Since}] = true
		}
	}
	covered := map[version]int{}
	for _, o := range catalogue.New().Ops() {
		if !slices.IsSorted(o.Versions) || len(o.Versions) == 0 {
			t.Errorf("%s.%s: versions %v are not ascending", o.Domain, o.Name, o.Versions)
		}
		for _, v := range o.Versions {
			k := version{o.Domain, o.Name, v}
			covered[k]++
			if !declared[k] && o.Domain != op.DomainATen {
				t.Errorf("%s.%s: no schema of version %d", o.Domain, o.Name, v)
			}
		}
	}
	for k := range declared {
		if n := covered[k]; n != 1 {
			t.Errorf("%s.%s version %d is covered by %d entries", k.domain, k.name, k.since, n)
		}
	}
}
