package report

import (
	"onnxmem/report/memory/liveness"
	"onnxmem/shapeinfer/dim"
)

// describeTimeline fills how much is alive while each step runs, and what.
func (a *Analysis) describeTimeline(inf *Inference, p *liveness.Program, peak liveness.Peak) {
	inf.Timeline = make([]int64, len(peak.Timeline))
	for i, s := range peak.Timeline {
		inf.Timeline[i] = s.Low
	}
	a.describeLifetimes(inf, p)
}

// describeLifetimes says what the timeline is made of: which node each step
// is, and from when to when each storage is alive.
func (a *Analysis) describeLifetimes(inf *Inference, p *liveness.Program) {
	inf.Steps = make([]Step, len(p.Steps))
	memo := map[liveness.StorageID]dim.Dim{}
	inner := make([]int64, len(p.Steps)+1) // first the changes at each step
	for id, l := range p.Lifetimes(nil) {
		s := &p.Storages[id]
		input := s.Kind == liveness.Input
		formula := a.storageFormula(p, liveness.StorageID(id), memo)
		appears := s.Kind == liveness.Folded && formula != "" && formula != "0"
		if s.Kind != liveness.Activation && !appears && !(input && a.opts.FreeInputs) || l.Last < l.First {
			continue
		}
		if appears {
			inf.Lifetimes = append(inf.Lifetimes, Lifetime{Name: s.Name, Formula: formula, First: int(l.First), Last: int(l.Last), Output: s.Output})
			continue
		}
		_, known := s.Size.Exact()
		inf.Lifetimes = append(inf.Lifetimes, Lifetime{
			Name: s.Name, Bytes: s.Size.Low, AtLeast: !known, Formula: formula,
			First: int(l.First), Last: int(l.Last), Output: s.Output && !input, Input: input,
		})
		inner[l.First] += s.Size.Low
		inner[l.Last+1] -= s.Size.Low
	}
	alive := int64(0)
	for i := range inf.Steps {
		alive += inner[i]
		inf.Steps[i] = Step{Name: p.Steps[i].Label(), Op: p.Steps[i].NodeOf().OpType, InnerBytes: max(inf.Timeline[i]-alive, 0)}
	}
}
