package report

import (
	"onnxmem/report/memory"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
)

// describeFormula writes totals as expressions over the open symbols. The
// formula of the peak is that of the node at the peak under the default
// binding; for much larger sizes another node may take over.
func (a *Analysis) describeFormula(r *Result, w *memory.Weights) {
	if len(a.Symbolic.FreeSymbols) == 0 {
		return
	}
	if d := totalMACs(a.Symbolic.Main, map[*shapeinfer.Scope]dim.Dim{}); d.IsKnown() {
		r.Formula.MACs = d.String()
	}
}
