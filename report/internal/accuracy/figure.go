package accuracy

import (
	"cmp"
	"math"
	"slices"
)

// A Figure is one estimate beside the truth. Both are bytes.
type Figure struct {
	Model    string // file in the zoo
	Run      string // what tells it from the other runs of the model
	Truth    int64
	Estimate *int64 // nil when the report does not know
	Reason   string // why it does not
}

// Error is estimate/truth - 1; ok is false where nothing was estimated.
func (f Figure) Error() (e float64, ok bool) {
	switch {
	case f.Estimate == nil:
		return 0, false
	case f.Truth == 0 && *f.Estimate == 0:
		return 0, true
	}
	return float64(*f.Estimate)/float64(f.Truth) - 1, true
}

// Statistics sum up the errors of several figures. Median, P90 and Max are of
// the absolute error.
type Statistics struct {
	Runs, Estimated  int
	Exact            int // to the byte
	Median, P90, Max float64
	Under            int     // below the truth by more than UnderLimit
	Lowest           float64 // the worst under-estimate; 0 where there is none
}

// UnderLimit is how far below the truth an estimate may lie before it counts
// as an under-estimate.
const UnderLimit = 0.05

// Summarize computes the statistics of figures. Quantiles are the nearest rank
// from below, so that each is an error that occurred, but for the median of an
// even number of errors, which is the mean of the middle two.
func Summarize(figures []Figure) Statistics {
	s := Statistics{Runs: len(figures)}
	var errors []float64
	for _, f := range figures {
		e, ok := f.Error()
		if !ok {
			continue
		}
		s.Estimated++
		if *f.Estimate == f.Truth {
			s.Exact++
		}
		if e < -UnderLimit {
			s.Under++
		}
		s.Lowest = min(s.Lowest, e)
		errors = append(errors, math.Abs(e))
	}
	if len(errors) == 0 {
		return s
	}
	slices.Sort(errors)
	last := len(errors) - 1
	s.Median = (errors[last/2] + errors[(last+1)/2]) / 2
	s.P90 = errors[last*9/10]
	s.Max = errors[last]
	return s
}

// ByModel groups figures by model, the model with the largest error first and
// those without an estimate before all others.
func ByModel(figures []Figure) [][]Figure {
	index := map[string]int{}
	var groups [][]Figure
	for _, f := range figures {
		i, ok := index[f.Model]
		if !ok {
			i = len(groups)
			index[f.Model] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	slices.SortStableFunc(groups, func(a, b []Figure) int {
		return cmp.Or(cmp.Compare(worst(b), worst(a)), cmp.Compare(a[0].Model, b[0].Model))
	})
	return groups
}

// worst is the largest absolute error of figures, infinite where one has no
// estimate.
func worst(figures []Figure) float64 {
	most := 0.0
	for _, f := range figures {
		e, ok := f.Error()
		if !ok {
			return math.Inf(1)
		}
		most = max(most, math.Abs(e))
	}
	return most
}
