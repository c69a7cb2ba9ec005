package tape

// attentionRules are the operators that are attention by themselves.
var attentionRules = map[string]rule{
	"Attention":                         attentionNode,
	"com.microsoft::MultiHeadAttention": packedAttention,
}

// attend runs a recognised attention.
func (r *recorder) attend(a *attentionGroup, n *node) VarID {
	q, k, v := r.of(a.q), r.of(a.k), r.of(a.v)
	dims := r.g.values.At(n.outs[0]).dims
	fused := r.opts.Attention == AttentionFused || r.opts.Attention == AttentionAuto && !a.byHand && (!a.grouped || r.sixteen())
	if fused {
		if a.turned {
			k = r.turned(k)
		}
		if a.grouped && r.opts.Attention == AttentionAuto {
			k, v = r.ungrouped(k), r.ungrouped(v)
		}
		return r.fusedAttention(q, k, v, r.of(a.bias), dims)
	}
	if !a.turned {
		k = r.turned(k)
	}
	kept := r.g.values.At(a.q).dims
	scores := append(append([]int64{}, kept[:len(kept)-1]...), r.at(k).Dims[len(r.at(k).Dims)-1])
	if a.grouped && !a.byHand && r.opts.Attention == AttentionAuto {
		return r.mathAttention(q, k, v, scores, dims)
	}
	return r.eagerAttention(q, k, v, r.of(a.bias), scores, dims, r.dropping || a.drops && r.opts.Dropout >= 0)
}

// sixteen reports whether attention runs in 16 bits.
func (r *recorder) sixteen() bool { return r.opts.Half || r.opts.Autocast }

// turned is a view with the last two axes swapped.
func (r *recorder) turned(x VarID) VarID {
	t := r.at(x).Tensor
	perm := make([]int, len(t.Dims))
	for i := range perm {
		perm[i] = i
	}
	k := len(perm)
	perm[k-1], perm[k-2] = k-2, k-1
	return r.emit(Op{Kind: "Transpose", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Permute, Perm: perm}}}, t.Permuted(perm))
}

// fusedAttention keeps queries, keys, values, its result, and one logarithm a
// row: 4 bytes, of rows rounded up to 32 in the kernel for 32 bits.
func (r *recorder) fusedAttention(q, k, v, bias VarID, dims []int64) VarID {
	if r.opts.Autocast {
		q, k, v = r.cast(q, 2), r.cast(k, 2), r.cast(v, 2)
	}
	kind, rows, seeds := "ScaledDotProductEfficientAttention", dims[len(dims)-2], int64(16)
	if r.at(q).Size == 2 && bias.None() {
		kind, seeds = "ScaledDotProductFlashAttention", 24
	} else {
		rows = (rows + 31) / 32 * 32
	}
	out := r.dense(dims, r.at(q).Size)
	switch {
	case kind == "ScaledDotProductFlashAttention" && sameDims(dims, r.at(q).Dims):
		out.Strides = likeStrides(&r.at(q).Tensor)
	case len(dims) == 4:
		out.Strides = headStrides(dims)
	}
	logs := r.small(product64(dims[:len(dims)-2])*rows*4 + seeds)
	op := Op{Kind: kind, In: operands(q, k, v, bias), Saved: []StorageID{r.hold(q), r.hold(k), r.hold(v), out.Storage, logs}}
	for _, x := range []VarID{q, k, v} {
		op.Grads = append(op.Grads, Grad{To: x, Rule: Fresh, Heads: true})
	}
	if !bias.None() {
		op.Saved = append(op.Saved, r.hold(bias))
		op.Grads = append(op.Grads, Grad{To: bias, Rule: Pass})
	}
	return r.emit(op, out)
}

// headStrides lay [batch, heads, rows, width] out as [batch, rows, heads,
// width], which is how the kernels write.
func headStrides(d []int64) []int64 {
	return []int64{max(d[1], 1) * max(d[2], 1) * max(d[3], 1), max(d[3], 1), max(d[1], 1) * max(d[3], 1), 1}
}

// mathAttention is torch.nn.functional.scaled_dot_product_attention without a
// kernel: queries and keys are scaled each, and the matrix of scores is kept.
func (r *recorder) mathAttention(q, k, v VarID, scores, dims []int64) VarID {
	q, k = r.scaled(q), r.scaled(k)
	p := r.softmax("SafeSoftmax", r.batched(q, k, scores))
	return r.batched(p, v, dims)
}

// eagerAttention is attention as models write it: product, scale, mask,
// softmax, dropout, product.
func (r *recorder) eagerAttention(q, k, v, bias VarID, scores, dims []int64, drops bool) VarID {
	s := r.scaled(r.batched(q, k, scores))
	if !bias.None() {
		t := r.at(s).Tensor
		s = r.emit(Op{Kind: "Add", In: []VarID{s, bias}, Grads: []Grad{{To: s, Rule: Pass}, {To: bias, Rule: Pass}}}, r.like(&t, t.Size))
	}
	if r.opts.Autocast {
		s = r.cast(s, 4)
	}
	p := r.softmax("Softmax", s)
	if drops {
		p = r.dropout(p)
	}
	return r.batched(p, v, dims)
}

// scaled is a product with one number.
func (r *recorder) scaled(x VarID) VarID {
	t := r.at(x).Tensor
	return r.emit(Op{Kind: "Mul", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Fresh}}}, r.like(&t, t.Size))
}

// ungrouped undoes the repetition of keys and values, which the kernels for 16
// bits do not need.
func (r *recorder) ungrouped(x VarID) VarID {
	for range 3 {
		made := r.makerOf(x)
		if made == nil || len(made.In) != 1 {
			return x
		}
		switch made.Kind {
		case "UnsafeView", "View":
			x = made.In[0]
		case "Expand":
			from := made.In[0]
			if m := r.makerOf(from); m != nil && m.Kind == "View" && len(r.at(m.In[0]).Dims) == 4 {
				from = m.In[0]
			}
			return from
		default:
			return x
		}
	}
	return x
}

// makerOf is the operator that made a variable, among the last ones.
func (r *recorder) makerOf(x VarID) *Op {
	for i := len(r.t.Ops) - 1; i >= 0 && i > len(r.t.Ops)-64; i-- {
		for _, out := range r.t.Ops[i].Out {
			if out == x {
				return &r.t.Ops[i]
			}
		}
	}
	return nil
}

// attentionNode is the standard's Attention: [batch, heads, rows, width], or
// three dims and the number of heads as attributes.
func attentionNode(r *recorder, n *node) {
	q, k, v := r.operand(n, 0), r.operand(n, 1), r.operand(n, 2)
	bias := r.operand(n, 3)
	if !bias.None() && !r.needs(bias) {
		bias = VarID{}
	}
	dims := r.g.values.At(n.outs[0]).dims
	if len(dims) == 3 {
		r.bind(n, 0, r.threeDim(n, q, k, v, n.intAttr("q_num_heads", 1), n.intAttr("kv_num_heads", 1), dims))
		return
	}
	if len(dims) != 4 || len(r.at(q).Dims) != 4 || len(r.at(k).Dims) != 4 || len(r.at(v).Dims) != 4 {
		r.other(n)
		return
	}
	grouped := r.at(q).Dims[1] != r.at(k).Dims[1]
	if r.groups.repeated[n] && r.opts.Attention == AttentionAuto {
		if !r.sixteen() {
			scores := []int64{dims[0], dims[1], dims[2], r.at(k).Dims[2]}
			r.bind(n, 0, r.mathAttention(q, r.turned(k), v, scores, dims))
			return
		}
		k, v = r.ungrouped(k), r.ungrouped(v)
	}
	r.bind(n, 0, r.attendHeads(q, k, v, bias, grouped, dims))
}

// attendHeads picks the kernel for heads that are axes of their own.
func (r *recorder) attendHeads(q, k, v, bias VarID, grouped bool, dims []int64) VarID {
	if r.opts.Attention == AttentionFused || r.opts.Attention == AttentionAuto && (!grouped || r.sixteen()) {
		return r.fusedAttention(q, k, v, bias, dims)
	}
	qd := r.at(q).Dims
	if grouped {
		k, v = r.repeatedHeads(k, qd[1]), r.repeatedHeads(v, qd[1])
	}
	kt := r.turned(k)
	scores := []int64{qd[0], qd[1], qd[2], r.at(k).Dims[2]}
	if r.opts.Attention == AttentionAuto {
		return r.mathAttention(q, kt, v, scores, dims)
	}
	return r.eagerAttention(q, kt, v, bias, scores, dims, r.dropping)
}

func (r *recorder) repeatedHeads(x VarID, heads int64) VarID {
	t := r.at(x).Tensor
	dims := append([]int64{}, t.Dims...)
	dims[1] = heads
	return r.emit(Op{Kind: "Clone", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Fresh}}}, r.dense(dims, t.Size))
}

// threeDim is attention over [batch, rows, heads x width].
func (r *recorder) threeDim(n *node, q, k, v VarID, heads, kvHeads int64, dims []int64) VarID {
	split := func(x VarID, h int64) VarID {
		d := r.at(x).Dims
		if h < 1 || len(d) != 3 || d[2]%h != 0 {
			r.invalid("%d heads", h)
			return VarID{}
		}
		x = r.reshape(x, []int64{d[0], d[1], h, d[2] / h})
		t := r.at(x).Tensor
		perm := []int{0, 2, 1, 3}
		return r.emit(Op{Kind: "Transpose", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Permute, Perm: perm}}}, t.Permuted(perm))
	}
	q, k, v = split(q, heads), split(k, kvHeads), split(v, kvHeads)
	if r.err != nil {
		return VarID{}
	}
	width := r.at(v).Dims[3]
	out := r.attendHeads(q, k, v, VarID{}, heads != kvHeads, []int64{dims[0], heads, dims[1], width})
	t := r.at(out).Tensor
	perm := []int{0, 2, 1, 3}
	out = r.emit(Op{Kind: "Transpose", In: []VarID{out}, Grads: []Grad{{To: out, Rule: Permute, Perm: perm}}}, t.Permuted(perm))
	return r.reshape(out, dims)
}

// packedAttention is the contributed operator over [batch, rows, width].
func packedAttention(r *recorder, n *node) {
	q, k, v := r.operand(n, 0), r.operand(n, 1), r.operand(n, 2)
	if k.None() || v.None() || len(r.at(q).Dims) != 3 || len(r.at(k).Dims) != 3 || len(r.at(v).Dims) != 3 {
		r.other(n)
		return
	}
	h := n.intAttr("num_heads", 1)
	r.bind(n, 0, r.threeDim(n, q, k, v, h, h, r.g.values.At(n.outs[0]).dims))
}
