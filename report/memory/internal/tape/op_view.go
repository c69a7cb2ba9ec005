package tape

// viewRules are the operators that show the same memory in another way, and
// those that copy where that does not go.
var viewRules = map[string]rule{
	"Reshape":   reshape,
	"Flatten":   reshape,
	"Squeeze":   reshape,
	"Unsqueeze": reshape,
	"Transpose": transpose,
	"Expand":    expand,
	"Slice":     slice,
	"Split":     split,
	"Concat":    concat,
}

func reshape(r *recorder, n *node) {
	r.bind(n, 0, r.reshape(r.operand(n, 0), r.g.values.At(n.outs[0]).dims))
}

// reshape shows a tensor in other dims, or copies it where its strides do not
// allow that.
func (r *recorder) reshape(x VarID, dims []int64) VarID {
	t := r.at(x).Tensor
	if sameDims(t.Dims, dims) {
		return x
	}
	op := Op{Kind: "View", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Reshape}}}
	if strides, ok := viewStrides(&t, dims); ok {
		return r.emit(op, Tensor{Dims: dims, Strides: strides, Storage: t.Storage, Size: t.Size, View: true})
	}
	op.Kind = "UnsafeView"
	return r.emit(op, r.dense(dims, t.Size))
}

func transpose(r *recorder, n *node) {
	x := r.operand(n, 0)
	t := r.at(x).Tensor
	perm, back := make([]int, len(t.Dims)), make([]int, len(t.Dims))
	given := n.intsAttr("perm")
	for i := range perm {
		perm[i] = len(perm) - 1 - i
		if len(given) == len(perm) {
			perm[i] = int(given[i])
		}
		if perm[i] < 0 || perm[i] >= len(perm) {
			r.invalid("perm is not a permutation")
			return
		}
		back[perm[i]] = i
	}
	r.bind(n, 0, r.emit(Op{Kind: "Permute", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Permute, Perm: back}}}, t.Permuted(perm)))
}

func expand(r *recorder, n *node) {
	x := r.operand(n, 0)
	t := r.at(x).Tensor
	dims := r.g.values.At(n.outs[0]).dims
	if sameDims(t.Dims, dims) {
		r.bind(n, 0, x)
		return
	}
	r.bind(n, 0, r.emit(Op{Kind: "Expand", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Pass}}}, t.Expanded(dims)))
}

// slice is a view whose derivative fills a tensor of the whole size.
func slice(r *recorder, n *node) {
	x := r.operand(n, 0)
	t := r.at(x).Tensor
	dims := r.g.values.At(n.outs[0]).dims
	if sameDims(t.Dims, dims) {
		r.bind(n, 0, x)
		return
	}
	r.bind(n, 0, r.emit(Op{Kind: "Slice", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Fresh}}}, t.Narrowed(dims)))
}

// split makes views whose gradients come together in one new tensor.
func split(r *recorder, n *node) {
	x := r.operand(n, 0)
	t := r.at(x).Tensor
	var outs []Tensor
	for _, out := range n.outs {
		if !out.None() {
			outs = append(outs, t.Narrowed(r.g.values.At(out).dims))
		}
	}
	r.emit(Op{Kind: "Split", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Fresh}}}, outs...)
	r.bindOutputs(n)
}

// concat hands each operand a part of its own gradient. Operands without
// elements, such as an empty cache of keys, are left out, and one that remains
// alone is not copied.
func concat(r *recorder, n *node) {
	op := Op{Kind: "Cat"}
	last := true
	size := int64(0)
	for i := range n.ins {
		v := r.operand(n, i)
		if v.None() || product64(r.at(v).Dims) == 0 {
			continue
		}
		op.In = append(op.In, v)
		op.Grads = append(op.Grads, Grad{To: v, Rule: Narrow})
		last = last && r.at(v).channelsLast()
		if !r.isConstant(v) {
			size = max(size, r.at(v).Size)
		}
	}
	if len(op.In) == 1 {
		r.bind(n, 0, op.In[0])
		return
	}
	if size == 0 {
		size = r.elementBytes(r.g.values.At(n.outs[0]).dtype)
	}
	out := r.dense(r.g.values.At(n.outs[0]).dims, size)
	if last && len(out.Dims) == 4 {
		out.Strides = channelsLastStrides(out.Dims)
	}
	r.bind(n, 0, r.emit(op, out))
}
