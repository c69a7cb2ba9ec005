package accuracy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/report/render"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// inference holds the peak of one run against the bytes that ONNX Runtime
// requested on the CPU with graph optimisations off: activations live
// together, graph outputs included, inputs and weights excluded. Runs in which
// a tensor's size hangs on run-time values are left out; skipped counts them.
func (c *Comparison) inference(zoo []*corpus.ZooModel) error {
	c.Reports = map[string]*report.Result{}
	for _, m := range zoo {
		model, err := runs.Read(m.Model)
		if err != nil {
			return err
		}
		for i, b := range m.Bindings {
			compared := b.ORT.PeakRequested != 0 && len(b.DataDependent) == 0
			if !compared {
				c.Skipped++
			}
			if !compared && i > 0 {
				continue
			}
			r, err := reportOn(model, b)
			if err != nil {
				return fmt.Errorf("%s: %w", m.Name, err)
			}
			if i == 0 {
				c.Reports[m.Name] = r
			}
			if compared {
				run := r.Inference.Runtime
				c.Inference = append(c.Inference, Figure{
					Model: m.Name, Run: inputsText(b), Truth: b.ORT.PeakRequested, Estimate: run.ActivationBytes, Reason: reasonOf(run),
				})
			}
		}
	}
	return nil
}

// reportOn reports on a model at the sizes of a recorded run.
func reportOn(m *onnxgraph.Model, b corpus.Binding) (*report.Result, error) {
	opts, err := runs.Options(b)
	if err != nil {
		return nil, err
	}
	a, err := report.Analyze(m, report.Options{Infer: opts, PanicOnBug: true})
	if err != nil {
		return nil, err
	}
	return a.Result(context.Background())
}

// inputsText lists the shapes that a run was fed, in the order of their names.
func inputsText(b corpus.Binding) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(b.Inputs)) {
		if in := b.Inputs[name]; !in.Absent {
			parts = append(parts, name+" "+in.Shape.String())
		}
	}
	return strings.Join(parts, ", ")
}

// reasonOf is why a runtime's numbers are not known, empty where they are.
func reasonOf(run *report.Runtime) string {
	if run.Reason == nil {
		return ""
	}
	return render.Style{}.Message(*run.Reason)
}
