package ort

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
)

// insertedCast begins the names of Casts that the runtime puts around nodes.
// They lose no precision that the model has.
const insertedCast = "InsertedPrecisionFreeCast_"

// castFloat16 lets nodes whose operator has no float16 kernel compute in float:
// each float16 input gets a Cast, which nodes share, and each float16 output
// one back. A node with a kernel whose neighbours all lack one goes along with
// them. Source: insert_cast_transformer.cc.
func (l *loader) castFloat16() error {
	if l.float16 || !hasFloat16(l.model.Graph) {
		return nil
	}
	types, err := l.types()
	if err != nil {
		return err
	}
	l.replace(l.castGraph(l.model.Graph, types.Main))
	return nil
}

// hasFloat16 is a cheap test whether a graph has anything in float16.
func hasFloat16(g *onnxgraph.Graph) bool {
	for _, t := range g.Initializers {
		if t.DType == onnxgraph.Float16 {
			return true
		}
	}
	for _, v := range g.Inputs {
		if v.Type != nil && v.Type.DType == onnxgraph.Float16 {
			return true
		}
	}
	for _, n := range g.Nodes {
		for _, a := range n.Attributes {
			if a.Name == "to" && a.Int == int64(onnxgraph.Float16) || a.Name == "dtype" && a.Int == int64(onnxgraph.Float16) ||
				a.Tensor != nil && a.Tensor.DType == onnxgraph.Float16 || a.Graph != nil && hasFloat16(a.Graph) {
				return true
			}
		}
	}
	return false
}

func (l *loader) castGraph(g *onnxgraph.Graph, types *shapeinfer.Scope) *onnxgraph.Graph {
	c := &caster{l: l, types: types, g: types.Graph, nodes: append([]*onnxgraph.Node(nil), g.Nodes...), casts: map[string]string{}}
	c.choose()
	for _, i := range executionOrder(c.g) {
		n := c.nodes[i]
		next := mapBodies(n, func(k int, body *onnxgraph.Graph) *onnxgraph.Graph {
			inner := bodyOf(types, i, k)
			if inner == nil {
				return body
			}
			return l.castGraph(body, inner)
		})
		c.changed = c.changed || next != n
		c.nodes[i] = next
		if c.needs[i] {
			c.surround(i)
		}
	}
	if !c.changed {
		return g
	}
	return withNodes(g, append(c.nodes, c.added...))
}

type caster struct {
	l       *loader
	types   *shapeinfer.Scope
	g       *onnxgraph.Scope
	nodes   []*onnxgraph.Node
	added   []*onnxgraph.Node
	needs   []bool            // by node: it has float16 inputs and no kernel for them
	casts   map[string]string // value -> its float copy
	changed bool
}

func (c *caster) isFloat16(id onnxgraph.ValueID) bool {
	return id != onnxgraph.NoValue && c.types.Facts[id].Type.IsTensor() && c.types.Facts[id].Type.DType == onnxgraph.Float16
}

func (c *caster) anyFloat16(ids []onnxgraph.ValueID) bool {
	for _, id := range ids {
		if c.isFloat16(id) {
			return true
		}
	}
	return false
}

// choose finds the nodes that need Casts.
func (c *caster) choose() {
	c.needs = make([]bool, len(c.nodes))
	for i, n := range c.nodes {
		at := int32(i)
		c.needs[i] = !isConstant(n) && len(c.g.Subgraphs(at)) == 0 && c.anyFloat16(c.g.NodeInputs(at)) && !runsFloat16(n, c.types.Nodes[i].Since)
	}
	for i := range c.nodes {
		if !c.needs[i] && c.isolated(int32(i)) {
			c.needs[i] = true
		}
	}
}

// isolated reports whether a node with a float16 kernel stands between nodes
// without one only.
func (c *caster) isolated(i int32) bool {
	n := c.nodes[i]
	if isConstant(n) || len(c.g.Subgraphs(i)) > 0 || !c.anyFloat16(c.g.NodeInputs(i)) || !c.anyFloat16(c.g.NodeOutputs(i)) || n.OpType == "Cast" {
		return false
	}
	fed := false
	for _, id := range c.g.NodeInputs(i) {
		if id == onnxgraph.NoValue {
			continue
		}
		p := c.g.Values[id].Producer
		if p < 0 || isConstant(c.nodes[p]) {
			continue
		}
		fed = true
		if c.isFloat16(id) && !c.needs[p] && !c.castsFloat(p) {
			return false
		}
	}
	if !fed {
		return false
	}
	for _, id := range c.g.NodeOutputs(i) {
		if id == onnxgraph.NoValue {
			continue
		}
		if c.g.Values[id].IsOutput {
			return false
		}
		for _, u := range c.g.Uses(id) {
			if c.isFloat16(id) && !c.needs[u.Node] {
				return false
			}
		}
	}
	return true
}

// castsFloat reports whether a node is a Cast of float, which goes again when the
// one around its reader follows it.
func (c *caster) castsFloat(i int32) bool {
	ins := c.g.NodeInputs(i)
	return c.nodes[i].OpType == "Cast" && len(ins) == 1 && ins[0] != onnxgraph.NoValue && c.types.Facts[ins[0]].Type.DType == onnxgraph.Float
}

// surround puts Casts around node i.
func (c *caster) surround(i int32) {
	n := *c.nodes[i]
	n.Inputs = append([]string(nil), n.Inputs...)
	n.Outputs = append([]string(nil), n.Outputs...)
	for slot, id := range c.g.NodeInputs(i) {
		if !c.isFloat16(id) {
			continue
		}
		name := n.Inputs[slot]
		if c.casts[name] == "" {
			c.casts[name] = c.add(name, "", onnxgraph.Float)
		}
		n.Inputs[slot] = c.casts[name]
	}
	n.Attributes = floatDType(n.Attributes)
	for slot, id := range c.g.NodeOutputs(i) {
		if c.isFloat16(id) {
			n.Outputs[slot] = c.add("", n.Outputs[slot], onnxgraph.Float16)
		}
	}
	c.nodes[i] = &n
	c.changed = true
}

// floatDType lets an operator that names its output's type name float.
func floatDType(attrs []*onnxgraph.Attribute) []*onnxgraph.Attribute {
	for k, a := range attrs {
		if a.Name == "dtype" && a.Int == int64(onnxgraph.Float16) {
			changed := *a
			changed.Int = int64(onnxgraph.Float)
			attrs = append(append([]*onnxgraph.Attribute(nil), attrs[:k]...), append([]*onnxgraph.Attribute{&changed}, attrs[k+1:]...)...)
		}
	}
	return attrs
}

// add appends a Cast from or to a value and returns the name of the other side.
func (c *caster) add(from, to string, d onnxgraph.DType) string {
	other := c.l.names.fresh(insertedCast + from + to)
	n := &onnxgraph.Node{Name: other, OpType: "Cast", Attributes: []*onnxgraph.Attribute{{Name: "to", Type: onnxgraph.AttributeInt, Int: int64(d)}}}
	if from != "" {
		n.Inputs, n.Outputs = []string{from}, []string{other}
	} else {
		n.Inputs, n.Outputs = []string{other}, []string{to}
	}
	c.added = append(c.added, n)
	return other
}
