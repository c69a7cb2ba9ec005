package report

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
	"onnxmem/report/memory"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer/tensor"
)

// describeInference fills the memory of one run, and returns its peak.
func (a *Analysis) describeInference(r *Result, p *liveness.Program, w *weights.Set) liveness.Peak {
	inputs, activations := p.InputSize(), p.Sum()
	fill(inputs, &r.Inputs.Bytes, &r.Inputs.BytesAtLeast, &r.Inputs.BytesAtMost)
	inf := &r.Inference
	fill(activations, &inf.ActivationsBytes, &inf.ActivationsAtLeast, &inf.ActivationsAtMost)
	fill(activations.Add(w.Size()).Add(inputs), &inf.SumBytes, &inf.SumAtLeast, &inf.SumAtMost)

	inf.LiveAtPeak = []LiveTensor{}
	peak := p.PeakIn(nil, a.opts.FreeInputs)
	total := peak.Size.Add(w.LoadedSize())
	if !a.opts.FreeInputs {
		total = total.Add(inputs)
	}
	fill(total, &inf.PeakBytes, &inf.PeakAtLeast, &inf.PeakAtMost)
	fill(peak.Size, &inf.PeakActivationBytes, &inf.PeakActivationAtLeast, &inf.PeakActivationAtMost)
	if peak.Step >= 0 {
		inf.PeakNode, inf.PeakOp = p.PeakLabel(peak.Step)
		for _, l := range p.LiveAt(peak.Step) {
			live := LiveTensor{Name: l.Name, Producer: l.Producer, NeededBy: l.NeededBy}
			fill(l.Size, &live.Bytes, &live.BytesAtLeast, &live.BytesAtMost)
			inf.LiveAtPeak = append(inf.LiveAtPeak, live)
		}
	}
	inf.Unknown = append(a.unknown(), cutSteps(p)...)
	return peak
}

// describePlans fills what placing and reordering would give.
func (a *Analysis) describePlans(inf *Inference, p *liveness.Program) {
	arenas := p.PlanArena(0)
	if arenas.Exact {
		inf.ArenaBytes, inf.ArenaBestFitBytes = &arenas.Best.Bytes, &arenas.BestFit.Bytes
	}
	best := p.BestOrder()
	if inf.PeakActivationBytes != nil {
		inf.BestOrderBytes, inf.BestOrderExact = &best.Peak, best.Exact
	}
}

func exact(s memory.Size) *int64 {
	if n, ok := s.Exact(); ok {
		return &n
	}
	return nil
}

// fill sets a number, or where it is not known the limits that are.
func fill(s memory.Size, number, atLeast, atMost **int64) {
	if *number = exact(s); *number != nil {
		return
	}
	*atLeast = &s.Low
	if high, ok := s.AtMost(); ok {
		*atMost = &high
	}
}

// whyUnsized says why the size of a value is not known.
func whyUnsized(fact *tensor.Fact) finding.Code {
	switch {
	case fact.Reason != "":
		return finding.SizeUnknown
	case fact.Type.IsTensor() && fact.Type.DType == onnxgraph.String:
		return finding.SizeOfStrings
	case fact.Type.IsTensor() && fact.Type.Shape.IsStatic():
		return finding.SizeTooLarge
	}
	return finding.SizeDataDependent // its type is known, with a data-dependent dim
}

// maxCutSteps is the number of cut steps that are listed: a model that grows
// leaves one for each call at which following ended.
const maxCutSteps = 10

// cutSteps lists the first steps of which it is not known what runs inside.
func cutSteps(p *liveness.Program) []Unknown {
	var list []Unknown
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Truncated && len(list) < maxCutSteps {
			list = append(list, Unknown{Name: s.Label(), Op: s.NodeOf().OpType, Code: finding.CallsTruncated})
		}
	}
	return list
}

// unknown lists the tensors of the main graph whose size is not known.
func (a *Analysis) unknown() []Unknown {
	var list []Unknown
	scope := a.Numbers.Main
	for i := range scope.Graph.Nodes {
		for _, id := range scope.Graph.NodeOutputs(int32(i)) {
			if id == onnxgraph.NoValue {
				continue
			}
			fact := &scope.Facts[id]
			if _, ok := memory.SizeOf(fact.Type).Exact(); !ok {
				list = append(list, Unknown{scope.Graph.Values[id].Name, scope.Graph.Nodes[i].OpType, whyUnsized(fact), fact.Reason})
			}
		}
	}
	return list
}
