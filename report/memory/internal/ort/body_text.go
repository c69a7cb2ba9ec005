package ort

import (
	"strconv"
	"strings"

	"onnxmem/onnxgraph"
)

// This file reads the text of function bodies, in the manner of ONNX's textual
// form: outputs = Op <attribute = value, ...> (inputs). A value is a number, a
// "string", a [list] of integers, or a graph, written (inputs) => (outputs)
// { nodes }. Constants are written float(x), int(n), bool(): scalars; floats(x),
// ints(n, ...): vectors; float16(), double(): scalars whose value does not matter
// here.

// function is the body for one call; nil where the call does not say enough to
// build it.
func (b *functionBody) function(c *bodyCall) *onnxgraph.Function {
	if b.build != nil {
		return b.build(c)
	}
	text := b.text(c)
	if text == "" {
		return nil
	}
	p := bodyParser{text: text}
	return &onnxgraph.Function{
		Name: b.name, Domain: b.domain,
		Inputs: strings.Fields(b.inputs), Outputs: strings.Fields(b.outputs),
		Nodes: p.nodes(),
	}
}

// A bodyParser reads texts that are part of this program, so it takes them to be
// well formed; the tests read every one.
type bodyParser struct {
	text string
	at   int
}

// peek is the next byte that is no space; 0 at the end.
func (p *bodyParser) peek() byte {
	for p.at < len(p.text) {
		if c := p.text[p.at]; c != ' ' && c != '\t' && c != '\n' {
			return c
		}
		p.at++
	}
	return 0
}

// skip skips the token if it is next.
func (p *bodyParser) skip(token string) bool {
	p.peek()
	if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

// until is the text before any of the stops, without the spaces around it.
func (p *bodyParser) until(stops string) string {
	n := strings.IndexAny(p.text[p.at:], stops)
	if n < 0 {
		n = len(p.text) - p.at
	}
	word := strings.TrimSpace(p.text[p.at : p.at+n])
	p.at += n
	return word
}

// list reads names between parentheses; a name may be empty.
func (p *bodyParser) list() []string {
	p.skip("(")
	text := p.until(")")
	p.skip(")")
	if text == "" {
		return nil
	}
	names := strings.Split(text, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	return names
}

// nodes reads nodes up to the end of the text or of a graph.
func (p *bodyParser) nodes() []*onnxgraph.Node {
	var nodes []*onnxgraph.Node
	for c := p.peek(); c != 0 && c != '}'; c = p.peek() {
		nodes = append(nodes, p.node())
	}
	return nodes
}

func (p *bodyParser) node() *onnxgraph.Node {
	n := &onnxgraph.Node{}
	for _, name := range strings.Split(p.until("="), ",") {
		n.Outputs = append(n.Outputs, strings.TrimSpace(name))
	}
	p.skip("=")
	n.OpType = p.until("<(")
	n.Attributes = p.attributes()
	n.Inputs = p.list()
	if a := constantValue(n.OpType, n.Inputs); a != nil {
		return &onnxgraph.Node{OpType: "Constant", Outputs: n.Outputs, Attributes: []*onnxgraph.Attribute{a}}
	}
	return n
}

func (p *bodyParser) attributes() []*onnxgraph.Attribute {
	if !p.skip("<") {
		return nil
	}
	var list []*onnxgraph.Attribute
	for !p.skip(">") {
		list = append(list, p.attribute())
		p.skip(",")
	}
	return list
}

func (p *bodyParser) attribute() *onnxgraph.Attribute {
	a := &onnxgraph.Attribute{Name: p.until("="), Type: onnxgraph.AttributeInt}
	p.skip("=")
	switch p.peek() {
	case '(':
		a.Type, a.Graph = onnxgraph.AttributeGraph, p.graph(a.Name)
	case '[':
		p.skip("[")
		a.Type, a.Ints = onnxgraph.AttributeInts, integers(strings.Split(p.until("]"), ","))
		p.skip("]")
	case '"':
		p.skip(`"`)
		a.Type, a.String = onnxgraph.AttributeString, p.until(`"`)
		p.skip(`"`)
	default:
		word := p.until(",>")
		if strings.Contains(word, ".") {
			f, _ := strconv.ParseFloat(word, 32)
			a.Type, a.Float = onnxgraph.AttributeFloat, float32(f)
		} else {
			a.Int, _ = strconv.ParseInt(word, 10, 64)
		}
	}
	return a
}

func (p *bodyParser) graph(name string) *onnxgraph.Graph {
	g := &onnxgraph.Graph{Name: name}
	for _, in := range p.list() {
		g.Inputs = append(g.Inputs, &onnxgraph.ValueInfo{Name: in})
	}
	p.skip("=>")
	for _, out := range p.list() {
		g.Outputs = append(g.Outputs, &onnxgraph.ValueInfo{Name: out})
	}
	p.skip("{")
	g.Nodes = p.nodes()
	p.skip("}")
	return g
}

// constantValue is the attribute of a constant, nil for other operators.
func constantValue(kind string, args []string) *onnxgraph.Attribute {
	switch kind {
	case "float":
		f, _ := strconv.ParseFloat(args[0], 32)
		return &onnxgraph.Attribute{Name: "value_float", Type: onnxgraph.AttributeFloat, Float: float32(f)}
	case "floats":
		f, _ := strconv.ParseFloat(args[0], 32)
		return &onnxgraph.Attribute{Name: "value_floats", Type: onnxgraph.AttributeFloats, Floats: []float32{float32(f)}}
	case "int":
		return &onnxgraph.Attribute{Name: "value_int", Type: onnxgraph.AttributeInt, Int: integers(args)[0]}
	case "ints":
		return &onnxgraph.Attribute{Name: "value_ints", Type: onnxgraph.AttributeInts, Ints: integers(args)}
	case "float16":
		return tensorValue(onnxgraph.Float16, make([]byte, 2))
	case "double":
		return tensorValue(onnxgraph.Double, make([]byte, 8))
	case "bool":
		return tensorValue(onnxgraph.Bool, []byte{1})
	}
	return nil
}

func tensorValue(d onnxgraph.DType, raw []byte) *onnxgraph.Attribute {
	return &onnxgraph.Attribute{Name: "value", Type: onnxgraph.AttributeTensor, Tensor: onnxgraph.NewTensor("", d, nil, raw)}
}

func integers(words []string) []int64 {
	var list []int64
	for _, w := range words {
		n, _ := strconv.ParseInt(strings.TrimSpace(w), 10, 64)
		list = append(list, n)
	}
	return list
}
