package tape

// reduceRules are the reductions.
var reduceRules = map[string]rule{
	"ReduceSum":       single(reduce("Sum", Repeat, false, false, 0)),
	"ReduceMean":      reduce("Mean", Fresh, false, false, 0),
	"ReduceMax":       reduce("Amax", Fresh, true, true, 1),
	"ReduceMin":       reduce("Amin", Fresh, true, true, 1),
	"ReduceL2":        single(reduce("LinalgVectorNorm", Fresh, true, true, 1)),
	"ReduceL1":        single(reduce("LinalgVectorNorm", Fresh, true, true, 1)),
	"ReduceProd":      single(reduce("Prod", Fresh, true, true, 1)),
	"ReduceLogSumExp": single(reduce("Logsumexp", Fresh, true, true, 1)),
	"ReduceLogSum":    single(reduce("Log", Fresh, true, true, 1)),
	"ReduceSumSquare": single(reduce("Pow", Fresh, true, false, 1)),
}

func reduce(kind string, how Rule, savesInput, savesResult bool, workspace int64) rule {
	return func(r *recorder, n *node) {
		x := r.operand(n, 0)
		t := r.at(x).Tensor
		out := r.dense(r.g.values.At(n.outs[0]).dims, t.Size)
		op := Op{Kind: kind, In: []VarID{x}, BackwardWorkspace: workspace * t.Bytes(), Grads: []Grad{{To: x, Rule: how}}}
		if savesInput {
			op.Saved = append(op.Saved, r.saved(x))
		}
		if savesResult {
			op.Saved = append(op.Saved, out.Storage)
		}
		r.bind(n, 0, r.emit(op, out))
	}
}
