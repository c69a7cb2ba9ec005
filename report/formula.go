package report

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory/liveness"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
)

// describeFormula writes totals as expressions over the dynamic dimensions.
func (a *Analysis) describeFormula(r *Result, p *liveness.Program, peak liveness.Peak) {
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
	if held, ok := heldWeights(r, p, peak, a.opts.FreeInputs); ok {
		r.Formula.PeakBytes, r.Formula.PeakFrom = a.peakFormula(p, held)
	}
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
	memo := map[liveness.StorageID]dim.Dim{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Scope != a.Numbers.Main || len(s.Bodies) > 0 || s.Truncated {
			return dim.Unknown()
		}
		for slot, id := range s.Scope.Graph.NodeOutputs(s.Node) {
			if id == onnxgraph.NoValue || s.Writes[slot] == liveness.NoStorage {
				continue
			}
			if there := a.appears(p, s.Writes[slot], memo); !isZero(there) {
				sizes = append(sizes, dim.Mul(a.symbolicSize(liveness.Value{Scope: s.Scope, ID: id}), there))
			}
		}
	}
	return dim.Sum(sizes...)
}

// heldWeights are the bytes of the weights in the peak of a report; ok is false
// where that peak is not known.
func heldWeights(r *Result, p *liveness.Program, peak liveness.Peak, freeInputs bool) (held int64, ok bool) {
	live, known := peak.Size.Exact()
	inputs, knownInputs := p.InputSize().Exact()
	if r.Inference.PeakBytes == nil || !known || !knownInputs {
		return 0, false
	}
	held = *r.Inference.PeakBytes - live
	if !freeInputs {
		held -= inputs
	}
	return held, true
}
