package tape

import "onnxmem/report/finding"

// An attentionGroup is a scaled dot-product attention that an exporter wrote
// out.
type attentionGroup struct {
	q, k, v valueID // k with its last two axes as in q, unless turned
	turned  bool    // k comes transposed
	bias    valueID // a bias that needs a gradient; none
	grouped bool    // keys and values are repeated for groups of heads
	masked  bool    // by a mask that needs no gradient
	masks   []maskReading
	scaled  int  // operands of the first product that are scaled before it
	drops   bool // has a dropout of its own
	byHand  bool // written out in the model, so no kernel runs it
	inner   []*node
}

// A maskReading is a node of an attention and a mask that it lays over the
// scores.
type maskReading struct {
	by   *node
	mask valueID
}

// attention finds MatMul, scale, mask, Softmax, MatMul.
func (m *matcher) attention(soft *node) {
	a := &attentionGroup{inner: []*node{soft}}
	scores := m.climb(soft, a)
	if scores == nil {
		return
	}
	a.inner = append(a.inner, scores)
	last := m.descend(soft, a)
	if last == nil {
		return
	}
	a.v = last.in(1)
	a.q = m.unscaled(scores.in(0), "MatMul", a)
	a.k, a.turned = m.key(m.unscaled(scores.in(1), "MatMul", a), a)
	if !m.shapes(a, last.out()) {
		return
	}
	a.grouped, a.byHand = m.repeated(a.k), m.byHand(a)
	m.remark(a)
	m.claim(last, func(r *recorder, n *node) { r.bind(n, 0, r.attend(a, n)) }, a.inner...)
	m.dropMask(a)
	m.attentions++
}

// climb goes from the softmax up to the product of queries and keys: over
// scales, masks and casts.
func (m *matcher) climb(soft *node, a *attentionGroup) *node {
	v := soft.in(0)
	for range 8 {
		if v.None() || len(m.g.values.At(v).users) != 1 {
			return nil
		}
		if n := m.producer(v, "MatMul"); n != nil {
			return n
		}
		n := m.producer(v, "Mul", "Div", "Add", "Where", "Cast")
		if n == nil {
			return nil
		}
		var next, mask valueID
		switch n.op {
		case "Mul", "Div":
			for k := range 2 {
				if m.single(n.in(k)) {
					next = n.in(1 - k)
				}
			}
		case "Add":
			next, mask = m.split(n.in(0), n.in(1))
		case "Where":
			next, mask = m.split(n.in(1), n.in(2))
			a.masks = append(a.masks, maskReading{n, n.in(0)})
			if m.single(mask) {
				mask = n.in(0)
			}
		case "Cast":
			next = n.in(0)
		}
		if next.None() {
			return nil
		}
		if !mask.None() {
			a.masks = append(a.masks, maskReading{n, mask})
			if m.active.Get(mask) {
				a.bias = mask
			} else {
				a.masked = true
			}
		}
		a.inner = append(a.inner, n)
		v = next
	}
	return nil
}

// split tells the scores from the mask: the operand that comes from a product.
func (m *matcher) split(a, b valueID) (scores, mask valueID) {
	for _, pair := range [][2]valueID{{a, b}, {b, a}} {
		v := pair[0]
		for range 8 {
			n := m.producer(v, "MatMul", "Mul", "Div", "Add", "Cast", "Where")
			if n == nil {
				break
			}
			if n.op == "MatMul" {
				return pair[0], pair[1]
			}
			next := n.in(0)
			if n.op == "Where" || !next.None() && !m.active.Get(next) && !n.in(1).None() {
				next = n.in(1)
			}
			v = next
		}
	}
	return valueID{}, valueID{}
}

// descend goes from the softmax down to the product with the values: over
// dropout, casts, and the guard against rows without a key.
func (m *matcher) descend(soft *node, a *attentionGroup) *node {
	v := soft.out()
	for range 4 {
		if n := m.reader(v, "MatMul"); n != nil {
			if n.in(0) == v {
				return n
			}
			return nil
		}
		if n := m.reader(v, "Dropout", "Cast"); n != nil {
			a.inner = append(a.inner, n)
			a.drops = a.drops || n.op == "Dropout" && m.g.drops(n)
			v = n.out()
			continue
		}
		guard := m.guard(v)
		if guard == nil {
			return nil
		}
		a.inner = append(a.inner, guard...)
		v = guard[1].out()
	}
	return nil
}

// guard finds where(isnan(p), 0, p).
func (m *matcher) guard(v valueID) []*node {
	users := m.g.values.At(v).users
	if len(users) != 2 {
		return nil
	}
	a, b := m.g.nodes.At(users[0]), m.g.nodes.At(users[1])
	if a.op != "IsNaN" {
		a, b = b, a
	}
	if a.op != "IsNaN" || b.op != "Where" || b.in(0) != a.out() || b.in(2) != v {
		return nil
	}
	return []*node{a, b}
}

// unscaled looks through a product with one number.
func (m *matcher) unscaled(v valueID, reader string, a *attentionGroup) valueID {
	n := m.producer(v, "Mul", "Div")
	if n == nil || m.reader(v, reader) == nil {
		return v
	}
	for k := range 2 {
		if m.single(n.in(k)) && (n.op == "Mul" || k == 1) {
			a.inner = append(a.inner, n)
			a.scaled++
			return n.in(1 - k)
		}
	}
	return v
}

// byHand reports whether attention must have been written out in the model: as
// stacks of matrices without an axis of heads, or with a bias that trains and
// without the two scales that the framework's own attention has when exported.
func (m *matcher) byHand(a *attentionGroup) bool {
	return len(m.g.values.At(a.q).dims) == 3 || !a.bias.None() && a.scaled < 2
}

// key looks through the transposition of the keys. Newer exporters write it
// over a stack of matrices: Reshape, Transpose, Reshape.
func (m *matcher) key(v valueID, a *attentionGroup) (key valueID, turned bool) {
	after := m.producer(v, "Reshape")
	if after == nil {
		return v, true
	}
	turn := m.producer(after.in(0), "Transpose")
	if turn == nil || len(turn.intsAttr("perm")) != 3 || m.reader(after.in(0), "Reshape") == nil {
		return v, true
	}
	before := m.producer(turn.in(0), "Reshape")
	if before == nil || m.reader(turn.in(0), "Transpose") == nil {
		return v, true
	}
	x, y := m.g.values.At(before.in(0)), m.g.values.At(v)
	k := len(x.dims)
	if !x.known || !y.known || k < 3 || len(y.dims) != k || x.dims[k-1] != y.dims[k-2] || x.dims[k-2] != y.dims[k-1] {
		return v, true
	}
	a.inner = append(a.inner, after, turn, before)
	return before.in(0), false
}

// shapes checks that the parts fit: queries and keys of equal width.
func (m *matcher) shapes(a *attentionGroup, out valueID) bool {
	for _, v := range []valueID{a.q, a.k, a.v, out} {
		if v.None() || !m.g.values.At(v).known || len(m.g.values.At(v).dims) < 3 {
			return false
		}
	}
	return true
}

// repeated reports whether keys are repeated for groups of heads: expanded
// along a new axis that a reshape takes into the heads.
func (m *matcher) repeated(v valueID) bool {
	for range 3 {
		n := m.producer(v, "Reshape", "Transpose", "Expand", "Tile")
		if n == nil {
			return false
		}
		if n.op == "Expand" || n.op == "Tile" {
			x, y := m.g.values.At(n.in(0)), m.g.values.At(n.out())
			return x.known && y.known && product64(x.dims) < product64(y.dims)
		}
		v = n.in(0)
	}
	return false
}

// dropMask skips the nodes that only make masks for attention: frameworks see
// that nothing is masked, or that the mask is the causal one, and run without.
// Queries, keys and values stay, also where they need no gradient.
func (m *matcher) dropMask(a *attentionGroup) {
	var work []valueID
	for _, r := range a.masks {
		m.masking.Set(m.indexOf(r.by), true)
		work = append(work, r.mask)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		p := m.g.values.At(v).producer
		if p.None() || m.active.Get(v) || m.g.values.At(v).constant || m.g.values.At(v).output ||
			m.found.skip.Get(p) || m.found.at.Get(p) != nil || !m.onlyMasks(p) {
			continue
		}
		m.found.skip.Set(p, true)
		m.masking.Set(p, true)
		work = append(work, m.g.nodes.At(p).ins...)
	}
}

// onlyMasks reports whether everything that reads a node's outputs makes a
// mask of it or lays it over scores.
func (m *matcher) onlyMasks(p nodeID) bool {
	for _, out := range m.g.nodes.At(p).outs {
		for _, u := range m.g.values.At(out).users {
			if !m.masking.Get(u) {
				return false
			}
		}
	}
	return true
}

// attentionNode looks at an attention that is one node.
func (m *matcher) attentionNode(n *node) {
	m.attentions++
	if n.op == "Attention" && m.repeated(n.in(1)) {
		m.found.repeated[n] = true
	}
}

// remark says once what was taken for granted about attention.
func (m *matcher) remark(a *attentionGroup) {
	r := m.r
	switch {
	case r.opts.Attention == AttentionEager:
		return
	case a.masked:
		r.noteOnce(finding.New(finding.AttentionMaskAssumed))
	}
	if r.opts.Attention == AttentionAuto && a.byHand {
		r.noteOnce(finding.New(finding.AttentionUnfusedAssumed))
	}
	if r.opts.Attention == AttentionAuto && !a.byHand && !a.grouped && a.scaled < 2 {
		r.noteOnce(finding.New(finding.AttentionFusedAssumed))
	}
}
