package tape

// elementwiseRules are the operators of two or more tensors, element by
// element, with broadcasting.
var elementwiseRules = map[string]rule{
	"Add":   func(r *recorder, n *node) { r.bind(n, 0, r.add("Add", n, r.operand(n, 0), r.operand(n, 1))) },
	"Sub":   subtract,
	"Mul":   multiply,
	"Div":   divide,
	"Pow":   power,
	"Max":   extreme("Maximum"),
	"Min":   extreme("Minimum"),
	"Sum":   sum,
	"Mean":  sum,
	"Mod":   func(r *recorder, n *node) { r.bind(n, 0, r.add("Remainder", n, r.operand(n, 0), VarID{})) },
	"Where": where,
	"PRelu": prelu,
	"Cast":  castRule, "CastLike": castRule,
}

// result is a new tensor for output 0 of the node, laid out like the operand
// of equal dims.
func (r *recorder) result(n *node, operands ...VarID) Tensor {
	dims := r.g.values.At(n.outs[0]).dims
	size := int64(0)
	for _, v := range operands {
		if !v.None() && !r.isConstant(v) {
			size = max(size, r.at(v).Size)
		}
	}
	if own := r.elementBytes(r.g.values.At(n.outs[0]).dtype); size == 0 || size > 4 && own < size {
		size = own // integers among the operands do not widen it
	}
	for _, v := range operands {
		if !v.None() && sameDims(r.at(v).Dims, dims) {
			t := r.at(v).Tensor
			return r.like(&t, size)
		}
	}
	return r.dense(dims, size)
}

// scalar reports whether an operand is a single number that needs no gradient,
// which frameworks pass by value.
func (r *recorder) scalar(v VarID) bool {
	return v.None() || !r.needs(v) && product64(r.at(v).Dims) == 1
}

func (r *recorder) add(kind string, n *node, a, b VarID) VarID {
	op := Op{Kind: kind, In: operands(a, b)}
	for _, v := range op.In {
		op.Grads = append(op.Grads, Grad{To: v, Rule: Pass})
	}
	return r.emit(op, r.result(n, a, b))
}

func operands(vs ...VarID) []VarID {
	var list []VarID
	for _, v := range vs {
		if !v.None() {
			list = append(list, v)
		}
	}
	return list
}

func subtract(r *recorder, n *node) {
	a, b := r.operand(n, 0), r.operand(n, 1)
	r.bind(n, 0, r.emit(Op{Kind: "Sub", In: operands(a, b), Grads: []Grad{{To: a, Rule: Pass}, {To: b, Rule: Full}}}, r.result(n, a, b)))
}

// multiply saves an operand where the other one needs a gradient.
func multiply(r *recorder, n *node) {
	r.bind(n, 0, r.multiply(n, r.operand(n, 0), r.operand(n, 1)))
}

func (r *recorder) multiply(n *node, a, b VarID) VarID {
	op := Op{Kind: "Mul", In: operands(a, b), Grads: []Grad{{To: a, Rule: Full}, {To: b, Rule: Full}}}
	if r.needs(a) && !r.scalar(b) {
		op.Saved = append(op.Saved, r.saved(b))
	}
	if r.needs(b) {
		op.Saved = append(op.Saved, r.saved(a))
	}
	return r.emit(op, r.result(n, a, b))
}

func divide(r *recorder, n *node) {
	a, b := r.operand(n, 0), r.operand(n, 1)
	op := Op{Kind: "Div", In: operands(a, b), Grads: []Grad{{To: a, Rule: Full}, {To: b, Rule: Full}}}
	if !r.scalar(b) {
		op.Saved = append(op.Saved, r.saved(b))
	}
	if r.needs(b) {
		op.Saved = append(op.Saved, r.saved(a))
		op.BackwardWorkspace = 2 * product64(r.g.values.At(n.outs[0]).dims) * r.at(b).Size
	}
	r.bind(n, 0, r.emit(op, r.result(n, a, b)))
}

// power by a number saves its base, by a tensor all three.
func power(r *recorder, n *node) {
	a, b := r.operand(n, 0), r.operand(n, 1)
	if r.opts.Autocast {
		a = r.cast(a, 4)
	}
	out := r.result(n, a, b)
	op := Op{Kind: "Pow", In: operands(a, b), Saved: []StorageID{r.saved(a)}, BackwardWorkspace: out.Bytes(), Grads: []Grad{{To: a, Rule: Full}, {To: b, Rule: Full}}}
	if !r.scalar(b) {
		op.Saved = append(op.Saved, r.saved(b))
		if r.needs(b) {
			op.Saved = append(op.Saved, out.Storage)
		}
	}
	r.bind(n, 0, r.emit(op, out))
}

// extreme is a maximum or minimum, which saves both operands; of more than two
// it is taken pair by pair.
func extreme(kind string) rule {
	return func(r *recorder, n *node) {
		v := r.operand(n, 0)
		for i := 1; i < len(n.ins); i++ {
			b := r.operand(n, i)
			if b.None() {
				continue
			}
			out := r.result(n, v, b)
			op := Op{Kind: kind, In: operands(v, b), Saved: []StorageID{r.saved(v)}, BackwardWorkspace: 2 * out.Bytes(), Grads: []Grad{{To: v, Rule: Full}, {To: b, Rule: Full}}}
			if !r.scalar(b) {
				op.Saved = append(op.Saved, r.saved(b))
			}
			v = r.emit(op, out)
		}
		r.bind(n, 0, v)
	}
}

func sum(r *recorder, n *node) {
	v := r.operand(n, 0)
	for i := 1; i < len(n.ins); i++ {
		if b := r.operand(n, i); !b.None() {
			v = r.add("Add", n, v, b)
		}
	}
	r.bind(n, 0, v)
}

// where saves its condition, one byte an element.
func where(r *recorder, n *node) {
	c, a, b := r.operand(n, 0), r.operand(n, 1), r.operand(n, 2)
	op := Op{Kind: "Where", In: operands(a, b), Grads: []Grad{{To: a, Rule: Full}, {To: b, Rule: Full}}}
	if r.needs(a) || r.needs(b) {
		op.Saved = []StorageID{r.saved(c)}
	}
	r.bind(n, 0, r.emit(op, r.result(n, a, b)))
}

func prelu(r *recorder, n *node) {
	x, slope := r.operand(n, 0), r.operand(n, 1)
	r.bind(n, 0, r.emit(Op{Kind: "PreluKernel", In: operands(x, slope), Saved: []StorageID{r.saved(x), r.saved(slope)},
		Grads: []Grad{{To: x, Rule: Fresh}, {To: slope, Rule: Full}}}, r.result(n, x)))
}

// castRule between types of real numbers is nothing in a training that runs at
// one precision; from integers it makes a tensor.
func castRule(r *recorder, n *node) {
	x := r.operand(n, 0)
	if isReal(r.g.values.At(n.ins[0]).dtype) && isReal(r.g.values.At(n.outs[0]).dtype) {
		r.bind(n, 0, x)
		return
	}
	out := r.dense(r.g.values.At(n.outs[0]).dims, r.elementBytes(r.g.values.At(n.outs[0]).dtype))
	r.bind(n, 0, r.emit(Op{In: operands(x)}, out))
}
