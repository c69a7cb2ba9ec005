package report

import (
	"onnxmem/report/memory"
)

// describeLifetimes says what the timeline is made of: which node each step
// is, and from when to when each storage is alive.
func (a *Analysis) describeLifetimes(inf *Inference, p *memory.Program) {
	inf.Steps = make([]Step, len(p.Steps))
	inner := make([]int64, len(p.Steps)+1) // first the changes at each step
	for id, l := range p.Lifetimes(nil) {
		s := &p.Storages[id]
		input := s.Kind == memory.Input
		if s.Kind != memory.Activation && !(input && a.opts.FreeInputs) || l.Last < l.First {
			continue
		}
		_, known := s.Size.Exact()
		inf.Lifetimes = append(inf.Lifetimes, Lifetime{
			Name: s.Name, Bytes: s.Size.Low, AtLeast: !known, Formula: a.storageFormula(s),
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

// storageFormula is the size of a storage over the open symbols. Values of
// functions and bodies have none: their scopes differ between a model with
// open symbols and one with numbers.
func (a *Analysis) storageFormula(s *memory.Storage) string {
	if len(a.Symbolic.FreeSymbols) == 0 || s.Value.Scope != a.Numbers.Main {
		return ""
	}
	if size := a.Symbolic.Main.Facts[s.Value.ID].Type.Bytes(); size.IsKnown() {
		return size.String()
	}
	return ""
}
