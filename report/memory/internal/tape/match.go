package tape

import (
	"math"
	"slices"

	"onnxmem/report/memory/internal/ref"
)

// groups are the operators of the framework that exporters took apart: at the
// last node of each, what it is; skip marks the others.
type groups struct {
	at    ref.Table[node, rule]
	skip  ref.Table[node, bool]
	cache map[valueID]bool  // outputs that are a cache of keys and values
	norms map[*node]valueID // results of LayerNorms by the node that they start from
	// repeated marks nodes of attention whose keys are repeated for groups.
	repeated map[*node]bool
}

// A matcher finds groups of nodes.
type matcher struct {
	g      *graph
	r      *recorder
	found  *groups
	active ref.Table[value, bool] // its gradient may be asked for

	// masking marks nodes that make masks for attention, or lay them over scores.
	masking ref.Table[node, bool]

	attentions int
}

// recognise finds the groups of a graph. A node belongs to one group at most;
// a value inside a group has no other reader.
func recognise(r *recorder) *groups {
	m := &matcher{g: r.g, r: r, found: &groups{at: ref.TableOf[node, rule](&r.g.nodes), skip: ref.TableOf[node, bool](&r.g.nodes), cache: map[valueID]bool{}, norms: map[*node]valueID{}, repeated: map[*node]bool{}}}
	m.markActive()
	m.findCaches()
	if r.opts.NoFusion {
		return m.found
	}
	for i, n := range r.g.nodes.All() {
		if find := patterns[n.op]; find != nil && !m.found.skip.Get(i) {
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
	"Conv":                  (*matcher).foldedShift,
	"Reciprocal":            (*matcher).rsqrt,
	"InstanceNormalization": (*matcher).groupNorm,
	"Pow":                   (*matcher).rmsNorm,
	"Attention":             (*matcher).attentionNode,

	"com.microsoft::Attention": (*matcher).attentionNode, "com.microsoft::MultiHeadAttention": (*matcher).attentionNode,
}

// markActive finds the values that a trained parameter may reach.
func (m *matcher) markActive() {
	m.masking = ref.TableOf[node, bool](&m.g.nodes)
	m.active = ref.TableOf[value, bool](&m.g.values)
	for v := range m.g.values.All() {
		m.active.Set(v, m.r.needs(m.r.known(v)))
	}
	for _, n := range m.g.nodes.All() {
		reached := m.r.opts.LoRARank > 0 && m.adapted(n)
		for _, in := range n.ins {
			reached = reached || !in.None() && m.active.Get(in)
		}
		for _, out := range n.outs {
			if !out.None() {
				m.active.Set(out, reached && isReal(m.g.values.At(out).dtype))
			}
		}
	}
}

// adapted reports whether a node is a linear layer that low-rank factors are
// trained beside.
func (m *matcher) adapted(n *node) bool {
	if quantizedRules[n.op] != nil {
		return true
	}
	if n.op != "MatMul" && n.op != "Gemm" {
		return false
	}
	w := m.r.vars.Get(n.in(1))
	return !m.r.t.Vars.At(w).Param.None() && len(m.r.t.Vars.At(w).Dims) == 2
}

// findCaches marks outputs that only append to an input: caches of keys and
// values, which training does without.
func (m *matcher) findCaches() {
	for _, id := range m.g.outputs {
		if id.None() {
			continue
		}
		p := m.g.values.At(id).producer
		if p.None() || m.g.nodes.At(p).op != "Concat" {
			continue
		}
		for _, in := range m.g.nodes.At(p).ins {
			if !in.None() && m.g.values.At(in).input && isReal(m.g.values.At(in).dtype) {
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
			m.found.skip.Set(k, true)
		}
	}
	m.found.at.Set(i, what)
}

// indexOf is the number of a node of the graph.
func (m *matcher) indexOf(n *node) nodeID {
	for _, out := range n.outs {
		if !out.None() {
			return m.g.values.At(out).producer
		}
	}
	return nodeID{}
}

// producer is the node that makes a value, of one of the given operators; nil
// otherwise, and for nodes that belong to a group already.
func (m *matcher) producer(v valueID, ops ...string) *node {
	if v.None() || m.g.values.At(v).producer.None() {
		return nil
	}
	return m.free(m.g.values.At(v).producer, ops)
}

// free is a node if it is one of the given operators and belongs to no group
// yet, else nil.
func (m *matcher) free(i nodeID, ops []string) *node {
	if n := m.g.nodes.At(i); !m.found.skip.Get(i) && m.found.at.Get(i) == nil && slices.Contains(ops, n.op) {
		return n
	}
	return nil
}

// reader is the one node that reads a value, of one of the given operators;
// nil when there is another reader.
func (m *matcher) reader(v valueID, ops ...string) *node {
	if v.None() || len(m.g.values.At(v).users) != 1 || m.g.values.At(v).output {
		return nil
	}
	return m.free(m.g.values.At(v).users[0], ops)
}

func (n *node) out() valueID {
	if len(n.outs) == 0 {
		return valueID{}
	}
	return n.outs[0]
}

// other is the operand of a node of two operands that is not v.
func (n *node) other(v valueID) valueID {
	switch {
	case len(n.ins) != 2:
		return valueID{}
	case n.ins[0] == v:
		return n.ins[1]
	case n.ins[1] == v:
		return n.ins[0]
	}
	return valueID{}
}

// isNumber reports whether a constant is a number, up to half of the last place
// of bfloat16, in which a file may store it.
func (m *matcher) isNumber(v valueID, want float64) bool {
	x, ok := m.g.number(v)
	return ok && math.Abs(x-want) <= math.Abs(want)/512
}

// single reports whether a value is one number that is known before the model
// runs, whatever it is.
func (m *matcher) single(v valueID) bool {
	return !v.None() && !m.active.Get(v) && m.g.values.At(v).known && product64(m.g.values.At(v).dims) == 1 &&
		(m.g.values.At(v).constant || m.g.values.At(v).fact.Value != nil)
}
