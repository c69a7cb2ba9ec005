package catalogue_test

import (
	"reflect"
	"regexp"
	"slices"
	"testing"

	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
	"onnxmem/testdata/corpus"
)

// TestFactsAgreeOverVersions compares the entries of one operator: what an
// operator is does not change with its version, so that a fact that one entry
// lacks was forgotten there.
func TestFactsAgreeOverVersions(t *testing.T) {
	type facts struct {
		effect     op.Effect
		random     op.Randomness
		roles      op.Roles
		flags      [4]bool
		views      []op.View
		countsMACs bool
	}
	first := map[op.ID]facts{}
	for _, o := range catalogue.New().Ops() {
		got := facts{o.Effect, o.Random, o.Roles, [4]bool{o.Elementwise, o.ShapeOnly, o.Normalizes, o.QuantizedWeights}, o.Views, o.MACs != nil}
		want, seen := first[o.ID()]
		if !seen {
			first[o.ID()] = got
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%s.%s: the entry of versions %v says %+v, an earlier one %+v", o.Domain, o.Name, o.Versions, got, want)
		}
	}
}

// weightNames matches the names that the schemas give to inputs that hold
// weights. Matrix products and lookups take weights and activations alike, and
// the queries of attention may be learned.
var weightNames = regexp.MustCompile(`^([WRBPwbAC]|[Ss]cale|slope|gamma|beta|data|query|key|value|(.*_)?(weights?|bias|embedding))$`)

// TestParametersAreNamedSo compares the slots that entries call parameters and
// statistics with the names of the inputs in the schemas.
func TestParametersAreNamedSo(t *testing.T) {
	known := catalogue.New()
	for _, list := range []string{corpus.ONNXSchemas, corpus.ContribSchemas, corpus.ORTDefaultSchemas} {
		for _, s := range corpus.Schemas(t, list) {
			o, _ := known.Find(s.Domain, s.Name, int64(s.Since))
			if o == nil {
				continue // TestCatalogueCoversSchemas says so
			}
			for slot, in := range s.Inputs {
				switch role := o.Roles.At(slot); {
				case role == op.Parameter && !weightNames.MatchString(in.Name),
					role == op.Statistic && !slices.Contains([]string{"mean", "var", "input_mean", "input_var"}, in.Name):
					t.Errorf("%s.%s version %d: input %d has role %d, the schema calls it %q", s.Domain, s.Name, s.Since, slot, role, in.Name)
				}
			}
		}
	}
}
