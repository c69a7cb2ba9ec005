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
		f := assumedDimension(name, n)
		if slices.Contains(small, name) {
			f = finding.New(finding.AssumedSmallest)
			f.Symbol, f.Size = name, n
		}
		list = append(list, f)
	}
	if len(a.Symbolic.FreeSymbols) > 0 {
		list = append(list, finding.New(finding.FormulaDomain))
	}
	return list
}

func assumedDimension(symbol string, size int64) finding.Finding {
	f := finding.New(finding.AssumedDimension)
	f.Symbol, f.Size = symbol, size
	return f
}

// smallDims lists the dynamic dimensions of inputs, the batch apart, that count
// as 1: numbers are then those of the smallest input.
func (a *Analysis) smallDims() (list []string) {
	first, _, _ := a.batch()
	for _, name := range a.Symbolic.FreeSymbols {
		if n, assumed := a.Numbers.Assumed[name]; assumed && n == 1 && name != first && a.declares(name) {
			list = append(list, name)
		}
	}
	return list
}

// declares reports whether an input declares a dim by that name.
func (a *Analysis) declares(name string) bool {
	return slices.ContainsFunc(realInputs(a.Program), func(in *onnxgraph.ValueInfo) bool {
		return in.Type != nil && in.Type.Shape != nil && slices.ContainsFunc(in.Type.Shape.Dims, func(d onnxgraph.Dim) bool { return d.Param == name })
	})
}
