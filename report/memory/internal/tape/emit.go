package tape

// This file puts operators on the tape.

// emit adds an operator. Where no operand needs a gradient it leaves no node
// in autograd's graph, and saves nothing.
func (r *recorder) emit(op Op, outs ...Tensor) VarID {
	needs := false
	for _, g := range op.Grads {
		needs = needs || r.needs(g.To)
	}
	op.Scope, op.Node, op.Root, op.Path = r.node.scope, r.node.index, r.node.root, r.node.path
	op.Allocated, r.allocated = r.allocated, nil
	for _, t := range outs {
		op.Out = append(op.Out, r.variable(t, needs))
	}
	if !needs {
		op.Kind, op.Grads, op.Saved = "", nil, nil
	}
	r.prune(&op)
	r.t.Ops = append(r.t.Ops, op)
	if len(op.Out) == 0 {
		return VarID{}
	}
	return op.Out[0]
}

// prune drops what is not worth keeping: gradients that nobody needs, and what
// lives anyway.
func (r *recorder) prune(op *Op) {
	grads := op.Grads[:0]
	for _, g := range op.Grads {
		if r.needs(g.To) {
			grads = append(grads, g)
		}
	}
	op.Grads = grads
	saved := op.Saved[:0]
	for i, s := range op.Saved {
		if s.None() || r.t.Storages.At(s).Kind != Allocated || containsStorage(op.Saved[:i], s) {
			continue
		}
		saved = append(saved, s)
	}
	op.Saved = saved
}

func containsStorage(list []StorageID, s StorageID) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
