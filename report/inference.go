package report

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
)

// describeInference fills the memory of one run.
func (a *Analysis) describeInference(r *Result, p *memory.Program, w *memory.Weights) {
	weights := memory.ExactSize(w.Bytes)
	inputs, activations := p.InputSize(), p.Sum()
	exactOrLow(inputs, &r.Inputs.Bytes, &r.Inputs.BytesAtLeast)
	inf := &r.Inference
	exactOrLow(activations, &inf.ActivationsBytes, &inf.ActivationsAtLeast)
	exactOrLow(activations.Add(weights).Add(inputs), &inf.SumBytes, &inf.SumAtLeast)

	peak := p.PeakIn(nil, a.opts.FreeInputs)
	total := peak.Size.Add(weights)
	if !a.opts.FreeInputs {
		total = total.Add(inputs)
	}
	exactOrLow(total, &inf.PeakBytes, &inf.PeakAtLeast)
	if n, ok := total.AtMost(); ok && inf.PeakBytes == nil {
		inf.PeakAtMost = &n
	}
	inf.PeakActivationBytes = exact(peak.Size)
	inf.LiveAtPeak = []LiveTensor{}
	if peak.Step >= 0 {
		inf.PeakNode, inf.PeakOp = p.PeakLabel(peak.Step)
		for _, l := range p.LiveAt(peak.Step) {
			inf.LiveAtPeak = append(inf.LiveAtPeak, LiveTensor{l.Name, l.Size.Low, l.Producer, l.NeededBy})
		}
	}
	inf.Explanation = a.explainPeak(p, peak)
	if a.opts.Timeline {
		inf.Timeline = make([]int64, len(peak.Timeline))
		for i, s := range peak.Timeline {
			inf.Timeline[i] = s.Low
		}
		a.describeLifetimes(inf, p)
	}
	a.describePlans(inf, p)
	inf.Unknown = a.unknown()
}

// describePlans fills what placing and reordering would give.
func (a *Analysis) describePlans(inf *Inference, p *memory.Program) {
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

// exactOrLow fills a number, or where it is not known the limit below it.
func exactOrLow(s memory.Size, number, atLeast **int64) {
	if *number = exact(s); *number == nil {
		low := s.Low
		*atLeast = &low
	}
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
				reason := fact.Reason
				if reason == "" { // its type is known, with a dim that only a run settles
					reason = "its size depends on values that are known only when the model runs"
				}
				list = append(list, Unknown{scope.Graph.Values[id].Name, scope.Graph.Nodes[i].OpType, reason})
			}
		}
	}
	return list
}
