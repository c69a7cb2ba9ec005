package tape

import "onnxmem/onnxgraph"

// convolutionRules are the convolutions and the normalisation that exporters
// fold into them.
var convolutionRules = map[string]rule{
	"Conv":          convolution,
	"ConvTranspose": convolution,
}

// convolution keeps its input even where its weights are frozen. Where the
// exporter folded a BatchNormalization into it, training has that back: the
// stored bias is the normalisation's shift then.
func convolution(r *recorder, n *node) {
	x, w, bias := r.operand(n, 0), r.operand(n, 1), r.operand(n, 2)
	var stored *foldedNorm
	if v := n.in(1); !v.None() {
		stored = r.foldedNorm(r.storedBehind(v), bias)
	}
	if stored != nil {
		bias = stored.bias
	}
	if v := n.in(1); !v.None() {
		w = r.normalized(w, r.storedBehind(v))
	}
	out := r.convolve(n, x, w, bias)
	if stored != nil {
		out = r.batchNorm(out, stored.scale, stored.shift)
	}
	r.bind(n, 0, out)
}

// normalized is a weight that is made from a direction and a length of each row:
// the norms are kept, and the weight by who reads it (SAVED.md, weight_norm).
func (r *recorder) normalized(v VarID, weight *onnxgraph.Tensor) VarID {
	rows, ok := r.normed[weight]
	if !ok || r.opts.NoFusion {
		return v
	}
	made := r.made
	t := r.at(v).Tensor
	length := r.param(weight.Name+" (length)", []int64{rows}, t.Size, r.needs(v))
	r.made = made
	norms := r.small(rows * t.Size)
	return r.emit(Op{Kind: "WeightNormInterface", In: operands(v, length), Saved: []StorageID{norms}, Grads: []Grad{{To: v, Rule: Fresh}, {To: length, Rule: Fresh}}}, r.dense(t.Dims, t.Size))
}

func (r *recorder) convolve(n *node, x, w, bias VarID) VarID {
	if r.opts.Autocast {
		x, w = r.cast(x, 2), r.cast(w, 2)
		if !bias.None() {
			bias = r.cast(bias, 2)
		}
	}
	dims := r.g.values.At(n.outs[0]).dims
	out := r.dense(dims, r.at(x).Size)
	if len(dims) == 4 && r.at(x).channelsLast() {
		out.Strides = channelsLastStrides(dims)
	}
	op := Op{Kind: "Convolution", In: operands(x, w, bias), Saved: []StorageID{r.hold(x), r.hold(w)}, Grads: []Grad{{To: x, Rule: Fresh}, {To: w, Rule: Fresh}}}
	if !bias.None() {
		op.Grads = append(op.Grads, Grad{To: bias, Rule: Fresh})
	}
	return r.emit(op, out)
}
