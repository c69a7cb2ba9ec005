package tape

import "onnxmem/report/finding"

// placeDropouts decides after which values training has a dropout that the
// export lost: exporters drop them, since they do nothing at inference. A
// transformer has one after its embeddings and after each linear layer that
// ends in a residual sum; a network of convolutions before its classifier.
// Unless asked, only language models with learned positions get them, which as
// good as all train with dropout (Devlin et al., BERT, 2018; Radford et al.,
// GPT-2, 2019).
func (m *matcher) placeDropouts() {
	r := m.r
	if r.opts.Dropout < 0 || m.hasDropout() {
		return
	}
	start := m.embeddings()
	places := m.dropoutPlaces(start)
	switch {
	case len(places) == 0:
		return
	case r.opts.Dropout == 0 && (start.None() || m.attentions == 0):
		r.noteOnce(finding.New(finding.DropoutNotShown))
		return
	case r.opts.Dropout == 0:
		r.noteOnce(finding.New(finding.DropoutAssumed))
	}
	r.drops, r.dropping = places, m.attentions > 0
}

// dropoutPlaces are the values after which an architecture has a dropout; start
// is the sum of embeddings, if there is one.
func (m *matcher) dropoutPlaces(start valueID) map[valueID]bool {
	places := map[valueID]bool{}
	if m.attentions == 0 {
		m.beforeClassifier(places)
		return places
	}
	if !start.None() {
		places[start] = true
	}
	for _, n := range m.g.nodes.All() {
		switch {
		case n.op == "Gemm", n.op == "MatMul" && m.stored(n.in(1)):
			out := n.out()
			if users := m.g.values.At(out).users; n.op == "MatMul" && len(users) == 1 {
				if add := m.g.nodes.At(users[0]); add.op == "Add" && m.stored(add.other(out)) {
					out = add.out()
				}
			}
			if m.endsInResidual(out) {
				places[out] = true
			}
		case n.op == "com.microsoft::SkipLayerNormalization", n.op == "com.microsoft::SkipSimplifiedLayerNormalization":
			places[n.in(0)] = true // the linear layer's side comes first
		}
	}
	return places
}

// hasDropout reports whether the graph still has its own dropouts.
func (m *matcher) hasDropout() bool {
	for _, n := range m.g.nodes.All() {
		if n.op == "Dropout" {
			return true
		}
	}
	return false
}

// embeddings finds the sum of token and position embeddings, or the
// normalisation that alone reads it; none where there are no two of them.
func (m *matcher) embeddings() valueID {
	var sum valueID
	for _, n := range m.g.nodes.All() {
		if n.op == "com.microsoft::EmbedLayerNormalization" {
			return n.out()
		}
		if n.op == "Add" && len(n.ins) == 2 && m.embedded(n.ins[0]) && m.embedded(n.ins[1]) {
			sum = n.out()
		}
	}
	if sum.None() {
		return valueID{}
	}
	users := distinct(m.g.values.At(sum).users)
	for _, u := range users {
		n := m.g.nodes.At(u)
		if n.op == "LayerNormalization" && len(users) == 1 {
			return n.out()
		}
		if norm, ok := m.found.norms[n]; ok && len(users) == 2 { // the mean, and what it is taken from
			return norm
		}
	}
	return sum
}

// embedded reports whether a value is an embedding, or a sum of such.
func (m *matcher) embedded(v valueID) bool {
	for range 8 {
		if v.None() || m.g.values.At(v).producer.None() {
			return false
		}
		n := m.g.nodes.At(m.g.values.At(v).producer)
		switch {
		case n.op == "Gather" && m.stored(n.in(0)) && len(m.g.values.At(n.in(0)).dims) == 2:
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

// endsInResidual reports whether a linear layer's result goes into a residual
// sum.
func (m *matcher) endsInResidual(v valueID) bool {
	at := v
	for range 4 {
		users := m.g.values.At(at).users
		if len(users) != 1 {
			return false
		}
		n := m.g.nodes.At(users[0])
		switch n.op {
		case "Reshape", "Transpose":
			at = n.out()
			continue
		case "Add":
			other := n.other(at)
			return !other.None() && m.active.Get(other) && !m.stored(other) && sameDims(m.g.values.At(other).dims, m.g.values.At(at).dims)
		}
		return false
	}
	return false
}

// beforeClassifier marks the inputs of linear layers that a pooling or another
// linear layer made.
func (m *matcher) beforeClassifier(places map[valueID]bool) {
	for _, n := range m.g.nodes.All() {
		if n.op != "Gemm" || n.in(0).None() {
			continue
		}
		v := n.in(0)
		for range 4 {
			p := m.g.values.At(v).producer
			if p.None() {
				break
			}
			made := m.g.nodes.At(p)
			switch made.op {
			case "Reshape", "Flatten", "Squeeze", "Relu":
				v = made.in(0)
				continue
			case "GlobalAveragePool", "ReduceMean", "Gemm":
				places[n.in(0)] = true
			}
			break
		}
	}
}
