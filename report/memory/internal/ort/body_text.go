package ort

import (
	"strconv"
	"strings"

	"onnxmem/onnxgraph"
)

// This file reads the text of function bodies.

// function is the body for one call.
func (b *functionBody) function(c *bodyCall) *onnxgraph.Function {
	f := &onnxgraph.Function{Name: b.name, Domain: b.domain, Inputs: strings.Fields(b.inputs), Outputs: strings.Fields(b.outputs)}
	for _, line := range strings.Split(b.text(c), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			f.Nodes = append(f.Nodes, parseNode(line))
		}
	}
	return f
}

// parseNode reads one line of a body. Lines are written above, so they are
// well formed.
func parseNode(line string) *onnxgraph.Node {
	out, call, _ := strings.Cut(line, " = ")
	op, args, _ := strings.Cut(strings.TrimSuffix(call, ")"), "(")
	ins, attrs, _ := strings.Cut(args, ";")
	n := &onnxgraph.Node{OpType: op, Outputs: []string{out}}
	switch op {
	case "float", "floats", "float16", "ints":
		return constantNode(out, op, ins)
	}
	for _, name := range strings.Split(ins, ",") {
		if name = strings.TrimSpace(name); name != "" {
			n.Inputs = append(n.Inputs, name)
		}
	}
	for _, pair := range strings.Split(attrs, ", ") {
		if name, value, ok := strings.Cut(strings.TrimSpace(pair), "="); ok {
			n.Attributes = append(n.Attributes, parseAttribute(name, value))
		}
	}
	return n
}

// constantNode is a constant of a body: float(x) is a scalar, floats(n) a
// vector, float16() a scalar whose value does not matter here.
func constantNode(out, kind, args string) *onnxgraph.Node {
	a := &onnxgraph.Attribute{}
	switch kind {
	case "float":
		f, _ := strconv.ParseFloat(strings.TrimSpace(args), 32)
		a.Name, a.Type, a.Float = "value_float", onnxgraph.AttributeFloat, float32(f)
	case "ints":
		a.Name, a.Type = "value_ints", onnxgraph.AttributeInts
		for _, x := range strings.Split(args, ",") {
			k, _ := strconv.ParseInt(strings.TrimSpace(x), 10, 64)
			a.Ints = append(a.Ints, k)
		}
	case "floats":
		a.Name, a.Type, a.Floats = "value_floats", onnxgraph.AttributeFloats, []float32{0}
	case "float16":
		a.Name, a.Type, a.Tensor = "value", onnxgraph.AttributeTensor, onnxgraph.NewTensor(out, onnxgraph.Float16, nil, make([]byte, 2))
	}
	return &onnxgraph.Node{OpType: "Constant", Outputs: []string{out}, Attributes: []*onnxgraph.Attribute{a}}
}

func parseAttribute(name, value string) *onnxgraph.Attribute {
	a := &onnxgraph.Attribute{Name: name, Type: onnxgraph.AttributeInt}
	if list, ok := strings.CutPrefix(value, "["); ok {
		a.Type = onnxgraph.AttributeInts
		for _, x := range strings.Split(strings.TrimSuffix(list, "]"), ",") {
			k, _ := strconv.ParseInt(strings.TrimSpace(x), 10, 64)
			a.Ints = append(a.Ints, k)
		}
		return a
	}
	if strings.Contains(value, ".") {
		f, _ := strconv.ParseFloat(value, 32)
		a.Type, a.Float = onnxgraph.AttributeFloat, float32(f)
		return a
	}
	a.Int, _ = strconv.ParseInt(value, 10, 64)
	return a
}
