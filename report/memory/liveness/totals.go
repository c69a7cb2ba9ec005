package liveness

import (
	"onnxmem/report/memory"
)

// Sum is the memory that a run takes without any reuse: every node output at
// its full size, views too. Constants are weights, and values that are known
// before the model runs are no activations. Bodies count once: of If the
// larger branch, of loops one turn.
func (p *Program) Sum() memory.Size {
	var total memory.Size
	for i := range p.Steps {
		total = total.Add(p.StepOutputs(i))
	}
	return total
}

// StepOutputs is the size of all outputs of step i and of its bodies, each at
// its full size.
func (p *Program) StepOutputs(i int) memory.Size {
	s := &p.Steps[i]
	var total memory.Size
	for slot, id := range s.Scope.Graph.NodeOutputs(s.Node) {
		if id < 0 || s.Writes[slot] == NoStorage || p.Storage(s.Writes[slot]).Kind == Folded {
			continue
		}
		total = total.Add(p.SizeIn(s.Writes[slot], Value{s.Scope, id}))
	}
	worst := memory.Size{Open: s.Truncated}
	for _, b := range s.Bodies {
		worst = worst.Max(b.Program.Sum())
	}
	return total.Add(worst)
}

// InputSize is the size of the graph's inputs, which the caller holds.
func (p *Program) InputSize() memory.Size {
	var total memory.Size
	for _, id := range p.Inputs {
		total = total.Add(p.Storage(id).Size)
	}
	return total
}
