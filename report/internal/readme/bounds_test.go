package main

import (
	"sync"
	"testing"

	"onnxmem/report/internal/accuracy"
	"onnxmem/testdata/corpus"
)

// compared makes all reports, which takes seconds, once for the tests here.
var compared = sync.OnceValues(func() (comparisons, error) {
	root, err := corpus.FindRoot()
	if err != nil {
		return comparisons{}, err
	}
	return compareAll(root)
})

func compare(t *testing.T) comparisons {
	t.Helper()
	c, err := compared()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A limit is what the errors of a subject have reached, rounded up. under
// counts the estimates that are more than 5% below the truth.
type limit struct {
	runs, estimated, exact int
	median, p90, max       float64
	under                  int
}

// limits are those of the subjects by title. What they allow stands in
// ACCURACY.md, run by run.
var (
	limits = map[string]limit{
		"inference peak":                   {107, 107, 105, 0, 0, 0.0229, 0},
		"saved for backward":               {68, 68, 32, 1e-7, 0.00046, 0.0040, 0},
		"training peak":                    {628, 628, 75, 1e-7, 0.000016, 0.0119, 0},
		"training peak, other options":     {166, 166, 45, 1e-7, 0.00085, 0.0098, 0},
		"saved, other options":             {65, 65, 23, 1e-6, 0.0012, 0.0074, 0},
		"saved, with dropout":              {38, 38, 7, 1.2e-6, 0.0120, 0.0152, 0},
		"training peak, with dropout":      {256, 256, 41, 1e-7, 5e-6, 0.0119, 0},
		"saved, rewritten exports":         {35, 35, 17, 1e-7, 7e-6, 0.0890, 0},
		"training peak, rewritten exports": {280, 280, 13, 2.1e-6, 8e-6, 0.0821, 0},
	}
	laterLimits = map[string]limit{
		"inference peak":     {344, 332, 332, 0, 0, 0, 0},
		"saved for backward": {108, 108, 56, 0, 0.0236, 0.1166, 8},
		"training peak":      {432, 432, 38, 1.6e-6, 0.0594, 0.2993, 52},
	}
)

// TestErrorsWithinLimits holds the published errors to what they have reached.
func TestErrorsWithinLimits(t *testing.T) {
	c := compare(t)
	for name, x := range map[string]struct {
		subjects []accuracy.Subject
		limits   map[string]limit
	}{"first": {c.first.Subjects(), limits}, "later": {c.later.Subjects(), laterLimits}} {
		for _, subject := range x.subjects {
			l, limited := x.limits[subject.Title]
			if !limited && len(subject.Figures) == 0 {
				continue
			}
			t.Run(name+"/"+subject.Title, func(t *testing.T) {
				s := accuracy.Summarize(subject.Figures)
				if s.Runs != l.runs || s.Estimated < l.estimated || s.Exact < l.exact || s.Median > l.median || s.P90 > l.p90 || s.Max > l.max || s.Under > l.under {
					t.Errorf("%+v, limits %+v", s, l)
				}
				if s.Estimated > l.estimated || s.Exact > l.exact || s.P90 < 0.8*l.p90 || s.Max < 0.8*l.max || s.Under < l.under {
					t.Errorf("%+v is better than the limits %+v: set them to it", s, l)
				}
			})
		}
	}
	if c.first.Skipped != 4 {
		t.Errorf("%d runs are left out as their sizes depend on values, must be 4", c.first.Skipped)
	}
}
