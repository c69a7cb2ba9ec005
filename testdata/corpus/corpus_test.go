package corpus

import (
	"os"
	"testing"
)

// The numbers of cases and models are those of testdata/README.md; decoding is
// strict, so a field of a record that no struct knows fails here.

func TestManifests(t *testing.T) {
	for name, want := range map[string]struct{ cases, wrong int }{
		Node:         {1275, 0},
		NodeExpanded: {440, 0},
		Versions:     {1439, 128},
		Contrib:      {562, 0},
		Infer:        {952, 172},
		Symbolic:     {28, 1},
	} {
		cases := Manifest(t, name)
		wrong := 0
		for _, c := range cases {
			if c.ExpectError {
				wrong++
			} else if len(c.Outputs) == 0 && len(c.Expect) == 0 {
				t.Errorf("%s: %s expects nothing", name, c.Name)
			}
			if len(c.Bytes(t)) == 0 {
				t.Errorf("%s: %s is empty", name, c.Name)
			}
			for input, feed := range c.Feed {
				if _, err := feed.Elements(); err != nil {
					t.Errorf("%s: %s: feed of %s: %v", name, c.Name, input, err)
				}
			}
		}
		if len(cases) != want.cases || wrong != want.wrong {
			t.Errorf("%s: %d cases, %d wrong on purpose; want %d, %d", name, len(cases), wrong, want.cases, want.wrong)
		}
	}
}

func TestZoo(t *testing.T) {
	zoo, steps := Zoo(t), Steps(t)
	bindings := 0
	for _, m := range zoo {
		bindings += len(m.Bindings)
		if m.Name+".onnx" != m.FileName {
			t.Errorf("%s is the record of %s", m.Name, m.FileName)
		}
		// The timeline's maximum is the peak of the first binding; with shapes
		// that hang on values the two runs were not of the same sizes.
		if line := steps[m.Name]; line != nil && len(m.Bindings[0].DataDependent) == 0 {
			peak := int64(0)
			for _, s := range line.Steps {
				peak = max(peak, s.InUseAfter)
			}
			if want := m.Bindings[0].ORT.PeakRequested; peak != want {
				t.Errorf("%s: timeline peaks at %d bytes, the run at %d", m.Name, peak, want)
			}
		}
	}
	if len(zoo) != 66 || bindings != 111 || len(steps) != 64 {
		t.Errorf("%d models, %d bindings, %d timelines; want 66, 111, 64", len(zoo), bindings, len(steps))
	}
}

func TestTraining(t *testing.T) {
	records := Training(t)
	runs := 0
	for _, r := range records {
		runs += len(r.Runs)
		for i, run := range r.Runs {
			if run.AtPeak.Sum() != run.PeakBytes {
				t.Errorf("%s, run %d: categories sum to %d bytes, the peak is %d", r.Name, i, run.AtPeak.Sum(), run.PeakBytes)
			}
		}
	}
	if len(records) != 19 || runs != 836 {
		t.Errorf("%d records, %d runs; want 19, 836", len(records), runs)
	}
	if adam := OptimizerStepsOf(t).Optimizers["adam"]["foreach"]; adam.StatePerAll != 2 || adam.TempPerAll != 1 {
		t.Errorf("adam with foreach: %+v, want two states and one temporary per parameter", adam)
	}
}

func TestCases(t *testing.T) {
	cases := Cases(t)
	if len(cases) != 96 {
		t.Errorf("%d cases, want 96", len(cases))
	}
	for _, c := range cases {
		if len(c.Bytes(t)) == 0 {
			t.Errorf("%s is empty", c.Name)
		}
	}
}

func TestSchemas(t *testing.T) {
	for list, want := range map[string]int{ONNXSchemas: 659, ContribSchemas: 201, ORTDefaultSchemas: 28} {
		if got := len(Schemas(t, list)); got != want {
			t.Errorf("%s: %d operator versions, want %d", list, got, want)
		}
	}
}

func TestAudit(t *testing.T) {
	for _, f := range Audit(t) {
		if _, err := os.Stat(f.Path); err != nil {
			t.Error(err)
		}
	}
}
