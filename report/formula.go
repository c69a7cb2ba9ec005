package report

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
)

// describeFormula writes totals as expressions over the open symbols. The
// formula of the peak is that of the moment at which the peak falls under the
// default binding; for other sizes another moment may take over.
func (a *Analysis) describeFormula(r *Result, p *liveness.Program, w *weights.Set, peak liveness.Peak) {
	r.Formula.Symbols = map[string]int64{}
	for _, name := range a.Symbolic.FreeSymbols {
		if n, ok := a.Numbers.Assumed[name]; ok {
			r.Formula.Symbols[name] = n
		}
	}
	if d := totalMACs(a.Symbolic.Main, map[*shapeinfer.Scope]dim.Dim{}); d.IsKnown() {
		r.Formula.MACs = d.String()
	}
	if inputs := a.symbolicInputs(); inputs.IsKnown() {
		r.Formula.InputsBytes = inputs.String()
	}
	if d := dim.Add(a.symbolicOutputs(p), dim.Int(0)); d.IsKnown() {
		r.Formula.ActivationsBytes = d.String()
	}
	r.Formula.PeakBytes = a.peakFormula(p, w, peak)
}

// peakFormula is what is alive at the moment of the peak; empty where it is not
// known.
func (a *Analysis) peakFormula(p *liveness.Program, w *weights.Set, peak liveness.Peak) string {
	if peak.Step < 0 || p.Cut || w.Unsized > 0 {
		return ""
	}
	live := dim.Int(w.Bytes - w.UnreadBytes)
	if !a.opts.FreeInputs {
		live = dim.Add(live, a.symbolicInputs())
	}
	for _, l := range p.LiveAt(peak.Step) {
		fact, ok := a.Symbolic.Lookup(l.Name)
		if !ok {
			return "" // inside a body or a function, whose values have other names
		}
		live = dim.Add(live, fact.Type.Bytes())
	}
	if !live.IsKnown() {
		return ""
	}
	return live.String()
}

func (a *Analysis) symbolicInputs() dim.Dim {
	var sizes []dim.Dim
	scope := a.Symbolic.Main
	for _, id := range scope.Graph.Inputs {
		if scope.Graph.Values[id].Origin == onnxgraph.GraphInput {
			sizes = append(sizes, scope.Facts[id].Type.Bytes())
		}
	}
	return dim.Sum(sizes...)
}

// symbolicOutputs is the sum of what all nodes of the main graph make, as
// [memory.Program.Sum] counts it with numbers. It is unknown where a node has bodies or calls a
// function, whose own nodes count too.
func (a *Analysis) symbolicOutputs(p *liveness.Program) dim.Dim {
	var sizes []dim.Dim
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Scope != a.Numbers.Main || len(s.Bodies) > 0 || s.Cut {
			return dim.Unknown()
		}
		for slot, id := range s.Scope.Graph.NodeOutputs(s.Node) {
			if id == onnxgraph.NoValue || s.Writes[slot] == liveness.NoStorage {
				continue
			}
			if there := a.appears(p.Storage(s.Writes[slot])); !isZero(there) {
				sizes = append(sizes, dim.Mul(a.symbolicSize(liveness.Value{Scope: s.Scope, ID: id}), there))
			}
		}
	}
	return dim.Sum(sizes...)
}
