package tape

// placeDropouts decides after which values training has a dropout that the
// export lost: exporters drop them, since they do nothing at inference. A
// transformer has one after its embeddings and after each linear layer that
// ends in a residual sum; a network of convolutions before its classifier.
// Unless asked, only language models with learned positions get them, which as
// good as all train with dropout.
func (m *matcher) placeDropouts() {
	r := m.r
	if r.opts.Dropout < 0 || m.hasDropout() {
		return
	}
	start, text := m.embeddings()
	if r.opts.Dropout == 0 && (!text || m.attentions == 0) {
		return
	}
	r.drops = map[int32]bool{}
	if m.attentions == 0 {
		m.beforeClassifier()
		return
	}
	r.dropping = true
	if start != none {
		r.drops[start] = true
	}
	for i := range m.g.nodes {
		n := &m.g.nodes[i]
		switch {
		case n.op == "Gemm", n.op == "MatMul" && m.stored(n.in(1)):
			out := n.out()
			if users := m.g.values[out].users; n.op == "MatMul" && len(users) == 1 {
				if add := &m.g.nodes[users[0]]; add.op == "Add" && m.stored(add.other(out)) {
					out = add.out()
				}
			}
			m.dropResidual(out)
		case n.op == "com.microsoft::SkipLayerNormalization":
			r.drops[n.in(0)] = true // the linear layer's side comes first
		}
	}
	if r.opts.Dropout == 0 {
		r.note("a language model with learned positions: dropout is assumed as its kind trains with it, which an export for inference cannot show; --dropout 0 leaves it out")
	}
}

// hasDropout reports whether the graph still has its own dropouts.
func (m *matcher) hasDropout() bool {
	for i := range m.g.nodes {
		if m.g.nodes[i].op == "Dropout" {
			return true
		}
	}
	return false
}

// embeddings finds the sum of token and position embeddings, or the
// normalisation that alone reads it.
func (m *matcher) embeddings() (start int32, text bool) {
	start = none
	for i := range m.g.nodes {
		n := &m.g.nodes[i]
		if n.op == "com.microsoft::EmbedLayerNormalization" {
			return n.out(), true
		}
		if n.op != "Add" || len(n.ins) != 2 || !m.embedded(n.ins[0]) || !m.embedded(n.ins[1]) {
			continue
		}
		start = n.out()
	}
	if start == none {
		return none, false
	}
	users := m.g.values[start].users
	first := start
	for _, u := range users {
		n := &m.g.nodes[u]
		if n.op == "LayerNormalization" && len(users) == 1 {
			first = n.out()
		}
		if n.op == "ReduceMean" && len(distinct(users)) == 2 {
			first = m.normOf(n, first)
		}
	}
	return first, true
}

// normOf is the result of a LayerNorm that starts at a node, or missing.
func (m *matcher) normOf(n *node, missing int32) int32 {
	for k, i := m.indexOf(n), 0; i < 16 && int(k)+i < len(m.g.nodes); i++ {
		if at := &m.g.nodes[int(k)+i]; m.found.at[int(k)+i] != nil && at.op == "Add" {
			return at.out()
		}
	}
	return missing
}

// embedded reports whether a value is an embedding, or a sum of such.
func (m *matcher) embedded(v int32) bool {
	for range 8 {
		if v == none || m.g.values[v].producer == none {
			return false
		}
		n := &m.g.nodes[m.g.values[v].producer]
		switch {
		case n.op == "Gather" && m.stored(n.in(0)) && len(m.g.values[n.in(0)].dims) == 2:
			return true
		case n.op == "Cast", n.op == "Reshape", n.op == "Mul" && m.single(n.in(1)):
			v = n.in(0)
		case n.op == "Add" && len(n.ins) == 2 && m.embedded(n.ins[0]):
			v = n.ins[1]
		default:
			return false
		}
	}
	return false
}

// dropResidual marks a linear layer's result that ends in a residual sum.
func (m *matcher) dropResidual(v int32) {
	at := v
	for range 4 {
		users := m.g.values[at].users
		if len(users) != 1 {
			return
		}
		n := &m.g.nodes[users[0]]
		switch n.op {
		case "Reshape", "Transpose":
			at = n.out()
			continue
		case "Add":
			if other := n.other(at); other != none && m.active[other] && !m.stored(other) && sameDims(m.g.values[other].dims, m.g.values[at].dims) {
				m.r.drops[v] = true
			}
		}
		return
	}
}

// beforeClassifier marks the inputs of linear layers that a pooling or another
// linear layer made.
func (m *matcher) beforeClassifier() {
	for i := range m.g.nodes {
		n := &m.g.nodes[i]
		if n.op != "Gemm" || n.in(0) == none {
			continue
		}
		v := n.in(0)
		for range 4 {
			p := m.g.values[v].producer
			if p == none {
				break
			}
			made := &m.g.nodes[p]
			switch made.op {
			case "Reshape", "Flatten", "Squeeze", "Relu":
				v = made.in(0)
				continue
			case "GlobalAveragePool", "ReduceMean", "Gemm":
				m.r.drops[n.in(0)] = true
			}
			break
		}
	}
}
