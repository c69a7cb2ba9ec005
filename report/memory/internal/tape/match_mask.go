package tape

// This file leaves out what only makes masks for attention.

// A maskReading is a node of an attention and a mask that it lays over the
// scores.
type maskReading struct {
	by   *node
	mask valueID
}

// skipMasks skips the nodes that only make masks for attention: frameworks see
// that nothing is masked, or that the mask is the causal one, and run without.
// Queries, keys and values stay, also where they need no gradient.
func (m *matcher) skipMasks(a *attentionGroup) {
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
