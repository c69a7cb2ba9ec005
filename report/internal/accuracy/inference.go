package accuracy

import (
	"fmt"
	"strings"

	"onnxmem/report"
	"onnxmem/testdata/corpus"
)

// Inference holds the peak of one run against the bytes that ONNX Runtime
// requested on the CPU with graph optimisations off: node outputs alive
// together, graph outputs included, inputs and weights excluded. Runs in which
// a tensor's size hangs on run-time values are left out; skipped counts them.
func Inference(root string) (figures []Figure, skipped int, err error) {
	zoo, err := corpus.ReadZoo(root)
	if err != nil {
		return nil, 0, err
	}
	for _, m := range zoo {
		p, err := program(m.Model)
		if err != nil {
			return nil, 0, err
		}
		for _, b := range m.Bindings {
			if b.ORT.PeakRequested == 0 || len(b.DataDependent) > 0 {
				skipped++
				continue
			}
			infer, err := bindRun(b)
			if err != nil {
				return nil, 0, fmt.Errorf("%s: %w", m.Name, err)
			}
			a, err := report.Analyze(m.FileName, p, report.Options{Infer: infer, Runtime: "ort-cpu"})
			if err != nil {
				return nil, 0, fmt.Errorf("%s: %w", m.Name, err)
			}
			run := a.Make().Inference.Runtime
			figures = append(figures, Figure{
				Model: m.Name, Run: inputsText(b), Truth: b.ORT.PeakRequested, Estimate: run.ActivationBytes, Reason: run.Reason,
			})
		}
	}
	return figures, skipped, nil
}

// inputsText lists the shapes that a run was fed, in the order of their names.
func inputsText(b corpus.Binding) string {
	var parts []string
	for _, name := range sortedKeys(b.Inputs) {
		if in := b.Inputs[name]; !in.Absent {
			parts = append(parts, name+" "+in.Shape.String())
		}
	}
	return strings.Join(parts, ", ")
}
