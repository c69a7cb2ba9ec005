package accuracy

import (
	"testing"

	"onnxmem/testdata/corpus"
)

// TestInferenceBounds holds the published errors to limits: every run is
// estimated, half of them to the byte, nine of ten within 2 %, none further
// than 10 % off.
func TestInferenceBounds(t *testing.T) {
	figures, skipped, err := Inference(corpus.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	s := Summarize(figures)
	if s.Runs+skipped != 111 || s.Runs != 107 {
		t.Errorf("%d runs compared and %d left out, of 111", s.Runs, skipped)
	}
	if s.Estimated != s.Runs || s.Median != 0 || s.P90 > 0.02 || s.Max > 0.10 || s.Under > 0 {
		t.Errorf("%+v", s)
	}
}

// TestTrainingBounds does the same for training: half within 1 %, nine of ten
// within 3 % of what is kept and 4 % of the peak, none further than 10 % off,
// none more than 5 % below.
func TestTrainingBounds(t *testing.T) {
	saved, peak, options, err := Training(corpus.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		what    string
		figures []Figure
		runs    int // at least
		p90     float64
	}{{"saved", saved, 60, 0.03}, {"peak", peak, 600, 0.04}, {"peak with options", options, 150, 0.04}} {
		s := Summarize(x.figures)
		if s.Runs < x.runs || s.Estimated != s.Runs || s.Median > 0.01 || s.P90 > x.p90 || s.Max > 0.10 || s.Under > 0 {
			t.Errorf("%s: %+v", x.what, s)
		}
	}
}

func TestSummarize(t *testing.T) {
	figure := func(truth int64, estimate ...int64) Figure {
		f := Figure{Truth: truth}
		if len(estimate) > 0 {
			f.Estimate = &estimate[0]
		}
		return f
	}
	// Errors: 0, +10 %, -20 %, none, +1 %. Sorted: 0, 0.01, 0.1, 0.2.
	got := Summarize([]Figure{figure(100, 100), figure(100, 110), figure(100, 80), figure(100), figure(100, 101)})
	if got.Runs != 5 || got.Estimated != 4 || got.Exact != 1 || got.Under != 1 {
		t.Errorf("%+v", got)
	}
	for _, x := range []struct{ got, want float64 }{{got.Median, 0.055}, {got.P90, 0.1}, {got.Max, 0.2}, {got.Lowest, -0.2}} {
		if d := x.got - x.want; d > 1e-12 || d < -1e-12 {
			t.Errorf("%v, want %v", x.got, x.want)
		}
	}
}

// TestLaterBounds holds the errors of the models that were recorded later to
// limits. They are wider: what is left stands in the accuracy page, by model.
func TestLaterBounds(t *testing.T) {
	c, err := Compare(corpus.Path(t, corpus.Later))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		what             string
		figures          []Figure
		runs, estimated  int // at least
		median, p90, max float64
		under            int // at most
	}{
		{"peak of one run", c.Inference, 330, 320, 0, 0.02, 0.10, 0},
		{"saved", c.Saved, 100, 100, 0.01, 0.12, 0.37, 14},
		{"peak", c.Training, 400, 400, 0.01, 0.07, 0.30, 59},
	} {
		s := Summarize(x.figures)
		if s.Runs < x.runs || s.Estimated < x.estimated || s.Median > x.median || s.P90 > x.p90 || s.Max > x.max || s.Under > x.under {
			t.Errorf("%s: %+v", x.what, s)
		}
	}
}
