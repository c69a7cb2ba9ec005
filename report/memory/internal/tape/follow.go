package tape

import (
	"onnxmem/report/finding"
)

// This file follows the graph, one node after the other.

// follow records one node after the other, up to the first that cannot be.
func (r *recorder) follow() {
	defer func() {
		switch p := recover(); p {
		case nil:
		case errNoOperand:
			r.fail(finding.TrainingMissingInput, r.missingOperand)
		default:
			panic(p)
		}
	}()
	for i := range r.g.nodes.All() {
		if r.err != nil {
			return
		}
		r.record(i)
	}
}

// missingOperand says which operand of the node under way has no value.
func (r *recorder) missingOperand(f *finding.Finding) {
	f.Op = r.node.op
	if !r.missing.None() {
		f.Tensor = r.g.values.At(r.missing).name
	}
}

// finish lists the outputs, over which the loss is taken.
func (r *recorder) finish() {
	for _, id := range r.g.outputs {
		if id.None() || r.vars.Get(id).None() || !isReal(r.g.values.At(id).dtype) || r.groups.cache[id] {
			continue
		}
		r.t.Outputs = append(r.t.Outputs, r.vars.Get(id))
	}
	r.sortParams()
}
