package tape

import "onnxmem/report/finding"

// recurrentRules are the recurrent layers. What they keep is the runtime's own
// business and differs between devices: cuDNN calls it the reserve space. Here it
// is the gates of each step, of a GRU also the hidden part of the new gate, and
// of an LSTM the cells before and after their tanh.
var recurrentRules = map[string]rule{
	"LSTM": recurrent("Lstm", 4, 2, 3),
	"GRU":  recurrent("Gru", 4, 0, 2),
	"RNN":  recurrent("Rnn", 1, 0, 2),
}

// recurrent keeps the input, the results and, for each step and hidden unit, a
// number of gates and cells.
func recurrent(kind string, gates, cells int64, outputs int) rule {
	return func(r *recorder, n *node) {
		x := r.operand(n, 0)
		t := r.at(x).Tensor
		hidden := n.intAttr("hidden_size", 0)
		if len(t.Dims) != 3 || hidden <= 0 {
			r.other(n)
			return
		}
		directions := int64(1)
		if n.stringAttr("direction", "forward") == "bidirectional" {
			directions = 2
		}
		op := Op{Kind: kind}
		for i := range n.ins {
			v := r.operand(n, i)
			if v.None() || !isReal(r.g.values.At(n.ins[i]).dtype) {
				continue
			}
			op.In = append(op.In, v)
			op.Grads = append(op.Grads, Grad{To: v, Rule: Fresh})
		}
		step := t.Dims[0] * t.Dims[1] * directions * hidden * t.Size
		op.Saved = append(op.Saved, r.hold(x), r.small(step*(gates+cells)))
		var outs []Tensor
		for k, out := range n.outs {
			if !out.None() && k < outputs {
				o := r.dense(r.g.values.At(out).dims, t.Size)
				op.Saved = append(op.Saved, o.Storage)
				outs = append(outs, o)
			}
		}
		r.emit(op, outs...)
		r.bindOutputs(n)
		r.noteOnce(finding.New(finding.RecurrentApproximated))
	}
}
