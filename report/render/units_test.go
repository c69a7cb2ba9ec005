package render

import (
	"bytes"
	"io"
	"regexp"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/report/memory/devices"
	"onnxmem/testdata/corpus"
)

// siUnit is a size in SI units: a number before kB, MB and so on.
var siUnit = regexp.MustCompile(`[0-9] ?[kMGTPE]B\b`)

// iecUnit is a size in IEC units.
var iecUnit = regexp.MustCompile(`[0-9] ?[KMGTPE]iB\b`)

// TestUnitsReachEveryNumber: under either kind of units no text of several
// models' reports and fits has a size in the other.
func TestUnitsReachEveryNumber(t *testing.T) {
	for _, name := range []string{"gpt2_dyn18", "own_unet3_ts17", "bert_base_dynamic_int8"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := corpus.ZooNamed(t, name)
			model, err := onnxgraph.Read(bytes.NewReader(m.Bytes(t)), int64(len(m.Bytes(t))))
			if err != nil {
				t.Fatal(err)
			}
			a, err := report.Analyze(model, report.Options{Advice: true, PerNode: true, Timeline: true})
			if err != nil {
				t.Fatal(err)
			}
			r, err := a.Result(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r.CheckDevice(devices.All()[0], 1e9)
			for _, format := range Formats() {
				if format.Name == "csv" {
					continue // which has bytes in full
				}
				checkUnits(t, "report "+format.Name, func(w io.Writer, style Style) error {
					style.PerNode, style.Train, style.Top = true, true, 5
					return format.Report(w, r, style)
				})
			}
			fit, err := report.Fit(t.Context(), model, report.FitOptions{Budget: 12e9, Max: 64, Train: true})
			if err != nil {
				t.Fatal(err)
			}
			checkUnits(t, "fit table", func(w io.Writer, style Style) error { return fitTable(w, fit, style) })
		})
	}
}

func checkUnits(t *testing.T, what string, write func(io.Writer, Style) error) {
	t.Helper()
	for _, units := range []Units{SI, IEC} {
		var out bytes.Buffer
		if err := write(&out, Style{Units: units, Width: 100}); err != nil {
			t.Fatal(err)
		}
		wanted, other := siUnit, iecUnit
		if units == IEC {
			wanted, other = iecUnit, siUnit
		}
		if text := other.Find(out.Bytes()); text != nil {
			t.Errorf("%s under %s has %q", what, units, text)
		}
		if what != "report json" && !wanted.Match(out.Bytes()) { // which has numbers, and few sentences
			t.Errorf("%s under %s has no size at all", what, units)
		}
	}
}
