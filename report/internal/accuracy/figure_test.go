package accuracy

import "testing"

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
