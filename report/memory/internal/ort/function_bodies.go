package ort

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/op/catalogue"
)

// A functionBody is a standard operator that is a function, which the runtime
// puts in place of a node when it has no kernel for the version and the types.
// The bodies are those of the operators' definitions
// (https://onnx.ai/onnx/operators/, Apache-2.0), written again in the text form
// of body_text.go. What hangs on the call, such as an attribute, text fills in.
type functionBody struct {
	name, domain string
	// opsets are the versions of the default domain for which the definition has
	// a body, ascending. The newest that is not above the model's counts, and only
	// if none of its operators has a newer version in the model's. Without
	// opsets, text makes the body for any version from since on.
	opsets  []int64
	since   int
	inputs  string
	outputs string
	text    func(c *bodyCall) string              // empty where the call does not say enough
	build   func(c *bodyCall) *onnxgraph.Function // in place of text
}

func (b *functionBody) key() string {
	if b.domain == "" {
		return b.name
	}
	return b.domain + "::" + b.name
}

// A bodyCall is a node that may be inlined.
type bodyCall struct {
	node    *onnxgraph.Node
	index   int32
	types   *shapeinfer.Scope
	opset   int64 // version of the default domain that the model imports
	float16 bool  // kernels take float16
}

func (c *bodyCall) since() int { return c.types.Nodes[c.index].Since }

func (c *bodyCall) dtype(slot int) onnxgraph.DType {
	return c.dtypeOf(c.types.Graph.NodeInputs(c.index), slot)
}

func (c *bodyCall) outputDType(slot int) onnxgraph.DType {
	return c.dtypeOf(c.types.Graph.NodeOutputs(c.index), slot)
}

func (c *bodyCall) dtypeOf(ids []onnxgraph.ValueID, slot int) onnxgraph.DType {
	if slot >= len(ids) || ids[slot] == onnxgraph.NoValue {
		return onnxgraph.Undefined
	}
	return c.types.Facts[ids[slot]].Type.DType
}

// kind is the kind of an input's type.
func (c *bodyCall) kind(slot int) onnxgraph.TypeKind {
	ids := c.types.Graph.NodeInputs(c.index)
	if slot >= len(ids) || ids[slot] == onnxgraph.NoValue {
		return 0
	}
	return c.types.Facts[ids[slot]].Type.Kind
}

// dim is a dim of an input, where the runtime knows it.
func (c *bodyCall) dim(slot, axis int) (int64, bool) {
	ids := c.types.Graph.NodeInputs(c.index)
	if slot >= len(ids) || ids[slot] == onnxgraph.NoValue {
		return 0, false
	}
	return c.types.Facts[ids[slot]].Type.Shape.At(axis).Int()
}

func (c *bodyCall) hasInput(slot int) bool {
	return slot < len(c.node.Inputs) && c.node.Inputs[slot] != ""
}

func (c *bodyCall) hasOutput(slot int) bool {
	return slot < len(c.node.Outputs) && c.node.Outputs[slot] != ""
}

func (c *bodyCall) has(attribute string) bool { return c.node.Attribute(attribute) != nil }

func (c *bodyCall) integer(name string, def int64) int64 {
	if a := c.node.Attribute(name); a != nil {
		return a.Int
	}
	return def
}

func (c *bodyCall) float(name string, def float32) float32 {
	if a := c.node.Attribute(name); a != nil {
		return a.Float
	}
	return def
}

func (c *bodyCall) text(name, def string) string {
	if a := c.node.Attribute(name); a != nil {
		return a.String
	}
	return def
}

// applies reports whether the runtime puts the body in place of the node.
func (b *functionBody) applies(c *bodyCall) bool {
	return c.since() >= b.since && b.version(c.opset) != 0 && !b.hasKernel(c)
}

// version is the newest version of the body that is not above an opset; 0 for
// none.
func (b *functionBody) version(opset int64) int64 {
	if b.opsets == nil {
		return opset
	}
	version := int64(0)
	for _, v := range b.opsets {
		if v <= opset {
			version = v
		}
	}
	return version
}

// holdsAt reports whether the operators of a body of one version still are the
// same at the model's. Source: OpSchema::ValidateReferencedOpsInFunction.
func holdsAt(f *onnxgraph.Function, version, opset int64) bool {
	return !slices.ContainsFunc(f.Nodes, func(n *onnxgraph.Node) bool {
		_, then := catalogue.Default().Find(n.Domain, n.OpType, version)
		_, now := catalogue.Default().Find(n.Domain, n.OpType, opset)
		return then != now
	})
}

// body is the function that the runtime puts in place of a call, nil where it
// leaves the node.
func (b *functionBody) body(c *bodyCall) *onnxgraph.Function {
	if !b.applies(c) {
		return nil
	}
	f := b.function(c)
	if f == nil || b.opsets != nil && !holdsAt(f, b.version(c.opset), c.opset) {
		return nil
	}
	return f
}

func constantText(text string) func(*bodyCall) string {
	return func(*bodyCall) string { return text }
}

var bodies = sync.OnceValue(func() map[string]*functionBody {
	m := map[string]*functionBody{}
	for _, list := range [][]functionBody{
		activationBodies(), attentionBodies(), comparisonBodies(), generatorBodies(), lossBodies(),
		normalizationBodies(), reductionBodies(), sequenceBodies(), softmaxBodies(), tensorBodies(),
	} {
		for i := range list {
			m[list[i].key()] = &list[i]
		}
	}
	return m
})

// findBody finds the function of a node's operator.
func findBody(n *onnxgraph.Node) (*functionBody, bool) {
	switch d := onnxgraph.CanonicalDomain(n.Domain); d {
	case "":
		b, ok := bodies()[n.OpType]
		return b, ok
	case "com.microsoft":
		b, ok := bodies()[d+"::"+n.OpType]
		return b, ok
	}
	return nil, false
}

// lines joins the parts of a body.
func lines(parts ...string) string { return strings.Join(parts, "\n") }

// when is a text that is part of a body only sometimes.
func when(wanted bool, text string) string {
	if wanted {
		return text
	}
	return ""
}

// joined writes integers as a list of a text.
func joined(list []int64) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(words, ", ")
}
