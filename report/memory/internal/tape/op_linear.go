package tape

// linearRules are the matrix products.
var linearRules = map[string]rule{
	"MatMul": matmul,
	"Gemm":   gemm,
	"Einsum": einsum,
}

func matmul(r *recorder, n *node) {
	r.bind(n, 0, r.matmul(n, r.operand(n, 0), r.operand(n, 1), r.g.values.At(n.outs[0]).dims))
}

// matmul of a matrix of weights is a linear layer; of two stacks of matrices a
// batched product.
func (r *recorder) matmul(n *node, a, b VarID, dims []int64) VarID {
	if len(r.at(b).Dims) <= 2 {
		return r.linear(a, b, VarID{}, dims)
	}
	return r.batched(a, b, dims)
}

// linear multiplies rows by a matrix. A tensor of more than two dims is seen
// as rows, which takes a copy where it is not contiguous; that copy is saved
// then.
func (r *recorder) linear(x, w, bias VarID, dims []int64) VarID {
	if r.opts.LoRARank > 0 && !r.at(w).Param.None() {
		return r.lora(x, w, bias, dims)
	}
	return r.product(x, w, bias, dims)
}

func (r *recorder) product(x, w, bias VarID, dims []int64) VarID {
	kind := "Addmm"
	if bias.None() {
		kind = "Mm"
	}
	if r.opts.Autocast {
		x, w = r.cast(x, 2), r.cast(w, 2)
		if !bias.None() {
			bias = r.cast(bias, 2)
		}
	}
	if len(r.at(x).Dims) > 2 && !r.at(x).Contiguous() {
		x = r.contiguous(x)
		kind = "Mm" // torch.nn.functional.linear adds the bias in place then
	}
	op := Op{Kind: kind, In: operands(x, w, bias), Grads: []Grad{{To: x, Rule: Fresh, Dense: true}, {To: w, Rule: Fresh, View: true}}}
	if !bias.None() {
		op.Grads = append(op.Grads, Grad{To: bias, Rule: Pass})
	}
	if r.needs(w) {
		op.Saved = append(op.Saved, r.saved(x))
	}
	if r.needs(x) {
		op.Saved = append(op.Saved, r.saved(w))
	}
	return r.emit(op, r.dense(dims, r.at(x).Size))
}

// contiguous copies a tensor into row-major order.
func (r *recorder) contiguous(x VarID) VarID {
	t := r.at(x).Tensor
	return r.emit(Op{Kind: "Clone", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Pass}}}, r.dense(t.Dims, t.Size))
}

// batched multiplies stacks of matrices. Each operand must be seen as one
// stack; that takes a copy where its strides do not allow it or where it
// repeats.
func (r *recorder) batched(a, b VarID, dims []int64) VarID {
	if r.opts.Autocast {
		a, b = r.cast(a, 2), r.cast(b, 2)
	}
	a, b = r.stacked(a, dims), r.stacked(b, dims)
	op := Op{Kind: "Bmm", In: operands(a, b), Grads: []Grad{{To: a, Rule: Fresh, Dense: true}, {To: b, Rule: Fresh, Dense: true}}}
	if r.needs(a) {
		op.Saved = append(op.Saved, r.saved(b))
	}
	if r.needs(b) {
		op.Saved = append(op.Saved, r.saved(a))
	}
	return r.emit(op, r.dense(dims, r.at(a).Size))
}

// stacked is a tensor whose batch dims lie in memory as one.
func (r *recorder) stacked(x VarID, product []int64) VarID {
	t := r.at(x).Tensor
	k := len(t.Dims)
	if k < 2 || len(product) < 2 {
		return x
	}
	batch := product[:len(product)-2]
	full := append(append([]int64{}, batch...), t.Dims[k-2:]...)
	wide := t
	if !sameDims(full, t.Dims) {
		wide = t.Expanded(full)
	}
	n := int64(1)
	for _, d := range batch {
		n *= d
	}
	if _, ok := viewStrides(&wide, []int64{n, t.Dims[k-2], t.Dims[k-1]}); ok {
		return x
	}
	out := r.dense(full, t.Size)
	return r.emit(Op{Kind: "Clone", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Pass}}}, out)
}

func gemm(r *recorder, n *node) {
	r.bind(n, 0, r.linear(r.operand(n, 0), r.operand(n, 1), r.operand(n, 2), r.g.values.At(n.outs[0]).dims))
}

// einsum is a batched product after permutations.
func einsum(r *recorder, n *node) {
	if len(n.ins) != 2 {
		r.other(n)
		return
	}
	a, b := r.operand(n, 0), r.operand(n, 1)
	op := Op{Kind: "Bmm", In: operands(a, b), Grads: []Grad{{To: a, Rule: Fresh}, {To: b, Rule: Fresh}}}
	if r.needs(a) {
		op.Saved = append(op.Saved, r.saved(b))
	}
	if r.needs(b) {
		op.Saved = append(op.Saved, r.saved(a))
	}
	r.bind(n, 0, r.emit(op, r.dense(r.g.values.At(n.outs[0]).dims, r.at(a).Size)))
}

// lora trains two thin factors beside a frozen layer: y = xW + (xA)B (Hu et
// al., LoRA, 2021).
func (r *recorder) lora(x, w, bias VarID, dims []int64) VarID {
	wd := r.at(w).Dims
	if len(wd) != 2 || len(r.at(x).Dims) == 0 || len(dims) == 0 {
		return r.product(x, w, bias, dims)
	}
	name := r.t.Params.At(r.at(w).Param).Name
	size := r.at(w).Size
	in, out := r.at(x).Dims[len(r.at(x).Dims)-1], dims[len(dims)-1]
	y := r.product(x, w, bias, dims)
	return r.besideWeights(x, y, name, in, out, size, dims)
}

// besideWeights adds the product with two thin factors to that with a weight of
// in x out.
func (r *recorder) besideWeights(x, y VarID, name string, in, out, size int64, dims []int64) VarID {
	rank := r.opts.LoRARank
	made := r.allocated
	down, up := r.param(name+".lora_A", []int64{in, rank}, size, true), r.param(name+".lora_B", []int64{rank, out}, size, true)
	r.allocated = made
	thin := append(append([]int64{}, dims[:len(dims)-1]...), rank)
	low := r.product(x, down, VarID{}, thin)
	side := r.product(low, up, VarID{}, dims)
	t := r.at(y).Tensor
	scaled := r.emit(Op{Kind: "Mul", In: []VarID{side}, Grads: []Grad{{To: side, Rule: Fresh}}}, r.like(&t, t.Size))
	return r.emit(Op{Kind: "Add", In: []VarID{y, scaled}, Grads: []Grad{{To: y, Rule: Pass}, {To: scaled, Rule: Pass}}}, r.like(&t, t.Size))
}
