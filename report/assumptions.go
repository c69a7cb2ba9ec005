package report

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
)

// assumptions says what was assumed for the numbers.
func (a *Analysis) assumptions() []finding.Finding {
	list := []finding.Finding{}
	small := a.smallDims()
	for _, name := range a.Symbolic.FreeSymbols {
		n, ok := a.Numbers.Assumed[name]
		if !ok {
			continue
		}
		code := finding.AssumedDimension
		if slices.Contains(small, name) {
			code = finding.AssumedSmallest
		}
		f := finding.New(code)
		f.Symbol, f.Size = name, n
		list = append(list, f)
	}
	if len(a.Symbolic.FreeSymbols) > 0 {
		list = append(list, finding.New(finding.FormulaDomain))
	}
	return list
}

// smallDims lists the dynamic dimensions of inputs, the batch apart, that count
// as 1: numbers are then those of the smallest input.
func (a *Analysis) smallDims() (list []string) {
	first, _, _ := a.batch()
	declared := declaredNames(realInputs(a.Program))
	for _, name := range a.Symbolic.FreeSymbols {
		if n, assumed := a.Numbers.Assumed[name]; assumed && n == 1 && name != first && declared[name] {
			list = append(list, name)
		}
	}
	return list
}

// declaredNames are the names of the dims that inputs declare.
func declaredNames(inputs []*onnxgraph.ValueInfo) map[string]bool {
	names := map[string]bool{}
	for _, in := range inputs {
		if in.Type == nil || in.Type.Shape == nil {
			continue
		}
		for _, d := range in.Type.Shape.Dims {
			if d.Param != "" {
				names[d.Param] = true
			}
		}
	}
	return names
}
