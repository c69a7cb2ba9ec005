package tape

import (
	"math"
	"slices"
)

// groups are the operators of the framework that exporters took apart: at the
// last node of each, what it is; skip marks the others.
type groups struct {
	at    []rule
	skip  []bool
	cache map[int32]bool  // outputs that are a cache of keys and values
	norms map[*node]int32 // results of LayerNorms by the node that they start from
	// repeated marks nodes of attention whose keys are repeated for groups.
	repeated map[*node]bool
}

// A matcher finds groups of nodes.
type matcher struct {
	g      *graph
	r      *recorder
	found  *groups
	active []bool // by value: its gradient may be asked for

	attentions int
}

// recognise finds the groups of a graph. A node belongs to one group at most;
// a value inside a group has no other reader.
func recognise(r *recorder) *groups {
	m := &matcher{g: r.g, r: r, found: &groups{at: make([]rule, len(r.g.nodes)), skip: make([]bool, len(r.g.nodes)), cache: map[int32]bool{}, norms: map[*node]int32{}, repeated: map[*node]bool{}}}
	m.markActive()
	m.findCaches()
	if r.opts.AsWritten {
		return m.found
	}
	for i := range r.g.nodes {
		n := &r.g.nodes[i]
		if find := patterns[n.op]; find != nil && !m.found.skip[i] {
			find(m, n)
		}
	}
	m.placeDropouts()
	return m.found
}

// patterns are the finders by the operator that they start from.
var patterns = map[string]func(*matcher, *node){
	"ReduceMean":            (*matcher).layerNorm,
	"Erf":                   (*matcher).geluErf,
	"Tanh":                  (*matcher).tanh,
	"Sigmoid":               (*matcher).silu,
	"HardSigmoid":           (*matcher).hardSwish,
	"Clip":                  (*matcher).clipped,
	"Softmax":               (*matcher).attention,
	"MatMul":                (*matcher).linear,
	"Reciprocal":            (*matcher).rsqrt,
	"InstanceNormalization": (*matcher).groupNorm,
	"Pow":                   (*matcher).rmsNorm,
	"Attention":             (*matcher).attentionNode,

	"com.microsoft::Attention": (*matcher).attentionNode, "com.microsoft::MultiHeadAttention": (*matcher).attentionNode,
}

// markActive finds the values that a trained parameter may reach.
func (m *matcher) markActive() {
	m.active = make([]bool, len(m.g.values))
	for v := range m.g.values {
		m.active[v] = m.r.vars[v] != NoVar && m.r.needs(m.r.vars[v])
	}
	for i := range m.g.nodes {
		n := &m.g.nodes[i]
		reached := false
		for _, in := range n.ins {
			reached = reached || in != none && m.active[in]
		}
		for _, out := range n.outs {
			if out != none {
				m.active[out] = reached && isReal(m.g.values[out].dtype)
			}
		}
	}
}

// findCaches marks outputs that only append to an input: caches of keys and
// values, which training does without.
func (m *matcher) findCaches() {
	for _, id := range m.g.outputs {
		if id == none {
			continue
		}
		p := m.g.values[id].producer
		if p == none || m.g.nodes[p].op != "Concat" {
			continue
		}
		for _, in := range m.g.nodes[p].ins {
			if in != none && m.g.values[in].input && isReal(m.g.values[in].dtype) {
				m.found.cache[id] = true
			}
		}
	}
}

// claim makes nodes one group: last is where it stands on the tape.
func (m *matcher) claim(last *node, what rule, inner ...*node) {
	i := m.indexOf(last)
	for _, n := range inner {
		if k := m.indexOf(n); k != i {
			m.found.skip[k] = true
		}
	}
	m.found.at[i] = what
}

// indexOf is the number of a node of the graph.
func (m *matcher) indexOf(n *node) int32 {
	for _, out := range n.outs {
		if out != none {
			return m.g.values[out].producer
		}
	}
	return none
}

// producer is the node that makes a value, of one of the given operators; nil
// otherwise, and for nodes that belong to a group already.
func (m *matcher) producer(v int32, ops ...string) *node {
	if v == none || m.g.values[v].producer == none {
		return nil
	}
	return m.free(m.g.values[v].producer, ops)
}

// free is a node if it is one of the given operators and belongs to no group
// yet, else nil.
func (m *matcher) free(i int32, ops []string) *node {
	if n := &m.g.nodes[i]; !m.found.skip[i] && m.found.at[i] == nil && slices.Contains(ops, n.op) {
		return n
	}
	return nil
}

// reader is the one node that reads a value, of one of the given operators;
// nil when there is another reader.
func (m *matcher) reader(v int32, ops ...string) *node {
	if v == none || len(m.g.values[v].users) != 1 || m.g.values[v].output {
		return nil
	}
	return m.free(m.g.values[v].users[0], ops)
}

func (n *node) out() int32 {
	if len(n.outs) == 0 {
		return none
	}
	return n.outs[0]
}

// other is the operand of a node of two operands that is not v.
func (n *node) other(v int32) int32 {
	switch {
	case len(n.ins) != 2:
		return none
	case n.ins[0] == v:
		return n.ins[1]
	case n.ins[1] == v:
		return n.ins[0]
	}
	return none
}

// number is the value of a constant of one element.
func (m *matcher) number(v int32) (float64, bool) {
	if v == none {
		return 0, false
	}
	x := &m.g.values[v]
	switch {
	case x.fact.Value != nil && len(x.fact.Value.Elems) == 1:
		return x.fact.Value.Elems[0].Float64()
	case x.stored != nil && product64(x.stored.Dims) == 1:
		if fs, err := x.stored.Float64s(1); err == nil && len(fs) == 1 {
			return fs[0], true
		}
	}
	return 0, false
}

func (m *matcher) isNumber(v int32, want float64) bool {
	x, ok := m.number(v)
	return ok && math.Abs(x-want) <= 1e-3*math.Abs(want)
}

// single reports whether a value is one number that is known before the model
// runs, whatever it is.
func (m *matcher) single(v int32) bool {
	return v != none && !m.active[v] && m.g.values[v].known && product64(m.g.values[v].dims) == 1 &&
		(m.g.values[v].constant || m.g.values[v].fact.Value != nil)
}
