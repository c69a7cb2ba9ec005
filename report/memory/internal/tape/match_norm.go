package tape

// layerNorm finds (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) * scale +
// shift over the last axes, which is how exporters write LayerNorm below opset
// 17.
func (m *matcher) layerNorm(mean *node) {
	x := mean.in(0)
	centre := m.reader(mean.out(), "Sub")
	if centre == nil || centre.in(0) != x || !m.overLastAxes(x, mean.out()) {
		return
	}
	d := centre.out()
	readers := m.g.values.At(d).users
	inner := []*node{mean, centre}
	var variance *node
	for _, u := range readers {
		n := m.g.nodes.At(u)
		if n.op == "Pow" && n.in(0) == d && m.isNumber(n.in(1), 2) || n.op == "Mul" && n.in(0) == d && n.in(1) == d {
			variance = n
		}
	}
	if variance == nil || m.g.values.At(d).output {
		return
	}
	second := m.reader(variance.out(), "ReduceMean")
	if second == nil || !m.overLastAxes(variance.out(), second.out()) {
		return
	}
	eps := m.reader(second.out(), "Add")
	if eps == nil {
		return
	}
	root := m.reader(eps.out(), "Sqrt")
	if root == nil {
		return
	}
	quotient := m.reader(root.out(), "Div")
	if quotient == nil || quotient.in(0) != d || len(distinct(readers)) != 2 {
		return
	}
	inner = append(inner, variance, second, eps, root, quotient)
	m.found.norms[mean] = m.scaleAndShift(quotient, inner, func(r *recorder, n *node, scale, shift valueID) VarID {
		rank := len(m.g.values.At(x).dims)
		axis := int64(rank)
		for i := rank - 1; i >= 0 && m.g.values.At(mean.out()).dims[i] == 1; i-- {
			axis = int64(i)
		}
		return r.layerNorm(n, r.of(x), r.of(scale), r.of(shift), axis)
	})
}

func distinct(list []nodeID) []nodeID {
	var out []nodeID
	for _, x := range list {
		seen := false
		for _, y := range out {
			seen = seen || x == y
		}
		if !seen {
			out = append(out, x)
		}
	}
	return out
}

// overLastAxes reports whether a mean is taken over the last axes and keeps
// their sites.
func (m *matcher) overLastAxes(x, mean valueID) bool {
	a, b := m.g.values.At(x), m.g.values.At(mean)
	if !a.known || !b.known || len(a.dims) != len(b.dims) || len(a.dims) == 0 {
		return false
	}
	i := len(a.dims) - 1
	for i >= 0 && b.dims[i] == 1 {
		i--
	}
	return i < len(a.dims)-1 && sameDims(a.dims[:i+1], b.dims[:i+1])
}

// scaleAndShift takes the product with a scale and the sum with a shift, where
// they follow, into a normalisation, and returns its result.
func (m *matcher) scaleAndShift(last *node, inner []*node, build func(r *recorder, n *node, scale, shift valueID) VarID) valueID {
	var scale, shift valueID
	if mul := m.reader(last.out(), "Mul"); mul != nil && m.isInitializer(mul.other(last.out())) {
		scale, inner, last = mul.other(last.out()), append(inner, mul), mul
		if add := m.reader(last.out(), "Add"); add != nil && m.isInitializer(add.other(last.out())) {
			shift, inner, last = add.other(last.out()), append(inner, add), add
		}
	}
	m.claim(last, func(r *recorder, n *node) { r.bind(n, 0, build(r, n, scale, shift)) }, inner...)
	return last.out()
}

// isInitializer reports whether a value is a stored tensor, or one handed on.
func (m *matcher) isInitializer(v valueID) bool { return !v.None() && m.r.initializerBehind(v) != nil }

// groupNorm finds GroupNorm written as an InstanceNormalization over groups:
// Reshape, InstanceNormalization, Reshape, and the scale and shift of each
// channel.
func (m *matcher) groupNorm(n *node) {
	before := m.producer(n.in(0), "Reshape")
	after := m.reader(n.out(), "Reshape")
	if before == nil || after == nil || m.reader(before.out(), "InstanceNormalization") == nil {
		return
	}
	x := before.in(0)
	v, grouped := m.g.values.At(x), m.g.values.At(before.out())
	if !v.known || !grouped.known || len(grouped.dims) < 2 || !sameDims(v.dims, m.g.values.At(after.out()).dims) {
		return
	}
	groups := grouped.dims[1]
	m.scaleAndShift(after, []*node{before, n}, func(r *recorder, n *node, scale, shift valueID) VarID {
		return r.groupNorm(r.of(x), r.of(scale), r.of(shift), groups)
	})
}

// foldedShift finds a convolution without a bias and the sum with the shift of a
// BatchNormalization that was folded into it.
func (m *matcher) foldedShift(conv *node) {
	if conv.in(0).None() || conv.in(1).None() {
		return
	}
	weight := m.r.initializerBehind(conv.in(1))
	if f := m.r.folded[weight]; f == nil || !f.Add {
		return
	}
	add := m.reader(conv.out(), "Add")
	if add == nil || !m.isInitializer(add.other(conv.out())) || !m.g.values.At(conv.out()).known {
		return
	}
	shift := add.other(conv.out())
	m.claim(add, func(r *recorder, n *node) {
		y := r.convolve(conv, r.of(conv.in(0)), r.of(conv.in(1)), VarID{})
		if norm := r.foldedNorm(weight, r.of(shift)); norm != nil {
			y = r.batchNorm(y, norm.scale, norm.shift)
		}
		r.bind(n, 0, y)
	}, conv)
}

// linear finds a product with a matrix of weights and the sum with a bias.
func (m *matcher) linear(n *node) {
	x, w := n.in(0), n.in(1)
	if x.None() || w.None() || !m.g.values.At(w).known || len(m.g.values.At(w).dims) != 2 {
		return
	}
	add := m.reader(n.out(), "Add")
	if add == nil {
		return
	}
	bias := add.other(n.out())
	if bias.None() || !m.g.values.At(bias).known || len(m.g.values.At(bias).dims) != 1 || m.g.values.At(bias).dims[0] != m.g.values.At(w).dims[1] || !m.isInitializer(bias) {
		return
	}
	m.claim(add, func(r *recorder, n *node) {
		r.bind(n, 0, r.linear(r.of(x), r.of(w), r.of(bias), r.g.values.At(n.outs[0]).dims))
	}, n)
}

// rmsNorm finds x * rsqrt(mean(x^2) + eps), which models write in Python and
// run in 32 bits whatever the rest runs in. In 32 bits that is what the
// operators say anyway.
func (m *matcher) rmsNorm(square *node) {
	x := square.in(0)
	if !m.r.opts.Half || x.None() || !m.isNumber(square.in(1), 2) {
		return
	}
	mean := m.reader(square.out(), "ReduceMean")
	if mean == nil || !m.overLastAxes(x, mean.out()) {
		return
	}
	inner := []*node{square, mean}
	v := mean.out()
	for range 4 {
		n := m.reader(v, "Add", "Sqrt", "Reciprocal", "Div", "Cast")
		if n == nil {
			break
		}
		inner = append(inner, n)
		v = n.out()
	}
	last := m.reader(v, "Mul")
	if last == nil || last.other(v) != x || !invertsRoot(inner) {
		return
	}
	rows := m.g.values.At(mean.out()).dims
	m.claim(last, func(r *recorder, n *node) { r.bind(n, 0, r.wideRMSNorm(r.of(x), rows)) }, inner...)
}

// invertsRoot reports whether nodes take one root and one reciprocal.
func invertsRoot(nodes []*node) bool {
	roots, reciprocals := 0, 0
	for _, n := range nodes {
		switch n.op {
		case "Sqrt":
			roots++
		case "Reciprocal", "Div":
			reciprocals++
		}
	}
	return roots == 1 && reciprocals == 1
}

// wideRMSNorm saves x in 32 bits, and the factor of each row.
func (r *recorder) wideRMSNorm(x VarID, rows []int64) VarID {
	size := r.at(x).Size
	wide := r.cast(x, 4)
	t := r.at(wide).Tensor
	squares := r.emit(Op{Kind: "Pow", In: []VarID{wide}, Saved: []StorageID{r.saved(wide)}, BackwardWorkspace: t.Bytes(), Grads: []Grad{{To: wide, Rule: Full}}}, r.like(&t, 4))
	mean := r.emit(Op{Kind: "Mean", In: []VarID{squares}, Grads: []Grad{{To: squares, Rule: Fresh}}}, r.dense(rows, 4))
	factor := r.unary("Rsqrt", mean, true, 2, false)
	out := r.emit(Op{Kind: "Mul", In: []VarID{wide, factor}, Saved: []StorageID{r.saved(wide), r.saved(factor)},
		Grads: []Grad{{To: wide, Rule: Full}, {To: factor, Rule: Full}}}, r.like(&t, 4))
	return r.cast(out, size)
}
