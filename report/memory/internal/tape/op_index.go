package tape

// indexRules are the operators that pick elements.
var indexRules = map[string]rule{
	"Gather":          gather,
	"GatherElements":  gatherElements,
	"GatherND":        picked("Index"),
	"ScatterElements": scatter,
	"ScatterND":       scatter,
	"Scatter":         scatter,
	"Compress":        picked("Index"),
	"TopK":            topK,
	"OneHot":          picked("Index"),
}

// gather of one element is a view; of a table of parameters an embedding,
// which keeps the indices.
func gather(r *recorder, n *node) {
	x, index := r.operand(n, 0), r.operand(n, 1)
	t := r.at(x).Tensor
	v := r.g.values.At(n.ins[1])
	axis := n.intAttr("axis", 0)
	if axis < 0 {
		axis += int64(len(t.Dims))
	}
	if axis < 0 || axis >= int64(len(t.Dims)) {
		r.invalid("axis %d is out of range", axis)
		return
	}
	if v.constant && v.known && len(v.dims) == 0 {
		view := Tensor{Storage: t.Storage, Size: t.Size, View: true}
		for i := range t.Dims {
			if int64(i) != axis {
				view.Dims, view.Strides = append(view.Dims, t.Dims[i]), append(view.Strides, t.Strides[i])
			}
		}
		r.bind(n, 0, r.emit(Op{Kind: "Select", In: []VarID{x}, Grads: []Grad{{To: x, Rule: Fresh}}}, view))
		return
	}
	kind := "IndexSelect"
	if !r.at(x).Param.None() && axis == 0 {
		kind = "Embedding"
	}
	op := Op{Kind: kind, In: operands(x, index), Grads: []Grad{{To: x, Rule: Fresh}}}
	if r.needs(x) {
		op.Saved = []StorageID{r.holdIndex(index)}
	}
	r.bind(n, 0, r.emit(op, r.dense(r.g.values.At(n.outs[0]).dims, t.Size)))
}

// holdIndex is the storage of indices: 8 bytes each, also where the file holds
// them as a constant that the framework makes anew.
func (r *recorder) holdIndex(v VarID) StorageID {
	if v.None() {
		return StorageID{}
	}
	if of, ok := r.expanded[v]; ok {
		return r.holdIndex(of)
	}
	if r.isConstant(v) {
		x := r.at(v)
		x.Storage, x.Size = StorageID{}, 8
	}
	return r.hold(v)
}

func gatherElements(r *recorder, n *node) {
	x, index := r.operand(n, 0), r.operand(n, 1)
	op := Op{Kind: "Gather", In: operands(x, index), Grads: []Grad{{To: x, Rule: Fresh}}}
	if r.needs(x) {
		op.Saved = []StorageID{r.hold(x), r.holdIndex(index)}
	}
	r.bind(n, 0, r.emit(op, r.dense(r.g.values.At(n.outs[0]).dims, r.at(x).Size)))
}

// picked keeps only which elements it took.
func picked(kind string) rule {
	return func(r *recorder, n *node) {
		x, index := r.operand(n, 0), r.operand(n, 1)
		op := Op{Kind: kind, In: operands(x, index), Grads: []Grad{{To: x, Rule: Fresh}}}
		if r.needs(x) {
			op.Saved = []StorageID{r.holdIndex(index)}
		}
		r.bind(n, 0, r.emit(op, r.dense(r.g.values.At(n.outs[0]).dims, r.at(x).Size)))
	}
}

func scatter(r *recorder, n *node) {
	x, index, updates := r.operand(n, 0), r.operand(n, 1), r.operand(n, 2)
	op := Op{Kind: "Scatter", In: operands(x, index, updates), Grads: []Grad{{To: x, Rule: Fresh}, {To: updates, Rule: Fresh}}}
	if r.needs(x) || r.needs(updates) {
		op.Saved = []StorageID{r.holdIndex(index)}
	}
	t := r.at(x).Tensor
	r.bind(n, 0, r.emit(op, r.like(&t, t.Size)))
}

func topK(r *recorder, n *node) {
	x := r.operand(n, 0)
	if len(n.outs) == 0 || n.outs[0].None() {
		return
	}
	out := r.dense(r.g.values.At(n.outs[0]).dims, r.at(x).Size)
	where := r.small(8 * out.Elements())
	r.bind(n, 0, r.emit(Op{Kind: "Topk", In: operands(x), Saved: []StorageID{where}, Grads: []Grad{{To: x, Rule: Fresh}}}, out))
	if len(n.outs) > 1 && !n.outs[1].None() {
		r.bind(n, 1, r.variable(Tensor{Dims: out.Dims, Strides: contiguousStrides(out.Dims), Storage: where, Size: 8}, false))
	}
}
