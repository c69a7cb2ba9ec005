package tape

import (
	"errors"
)

// This file saves the variables of a tape, and which of them stand for the values of
// the graph.

func (r *recorder) variable(t Tensor, needs bool) VarID {
	bytes := product64(t.Dims) * t.Size
	r.count(&bytes)
	return r.t.Vars.Add(Var{Tensor: t, NeedsGrad: needs})
}

// at is a variable that must be there. Where the file gives none, the model is
// not followed any further: what comes after would stand on nothing.
func (r *recorder) at(v VarID) *Var {
	if v.None() {
		panic(errNoOperand)
	}
	return r.t.Vars.At(v)
}

// errNoOperand leaves the rule of an operator for [recorder.follow].
var errNoOperand = errors.New("an operand has no value")

func (r *recorder) needs(v VarID) bool { return !v.None() && r.t.Vars.At(v).NeedsGrad }

// operand is the variable of input i of the node, none where it is left out.
func (r *recorder) operand(n *node, i int) VarID {
	if v := n.in(i); !v.None() {
		return r.of(v)
	}
	return VarID{}
}

// known is the variable of a value as far as it is there already; of a transposed
// copy it is the parameter.
func (r *recorder) known(v valueID) VarID {
	if x := r.vars.Get(v); !x.None() {
		return x
	}
	return r.tied[v]
}

// of is the variable of a value.
func (r *recorder) of(v valueID) VarID {
	if v.None() {
		return VarID{}
	}
	if p, ok := r.tied[v]; ok && r.vars.Get(v).None() {
		r.vars.Set(v, r.transposed(p))
	}
	if r.vars.Get(v).None() && r.g.values.At(v).constant {
		r.vars.Set(v, r.constant(r.g.values.At(v)))
	}
	x := r.vars.Get(v)
	if x.None() {
		r.missing = v
	}
	return x
}

// bind makes a variable stand for output i of a node.
func (r *recorder) bind(n *node, i int, v VarID) {
	if i < len(n.outs) && !n.outs[i].None() {
		if !v.None() && r.dropoutSites[n.outs[i]] {
			v = r.dropout(v)
		}
		r.vars.Set(n.outs[i], v)
	}
}

// bindOutputs makes the results of the last operator stand for the outputs of
// a node that are not left out, in order.
func (r *recorder) bindOutputs(n *node) {
	results := r.t.Ops[len(r.t.Ops)-1].Out
	for i, out := range n.outs {
		if !out.None() && len(results) > 0 {
			r.bind(n, i, results[0])
			results = results[1:]
		}
	}
}
