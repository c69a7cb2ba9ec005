package modeltest

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"onnxmem/onnxgraph"
)

// A NodeOption is an attribute of a node or one of its other fields.
type NodeOption interface{ addTo(node *message) }

// Node adds a node of the default domain. An empty name among inputs or outputs
// is one left out.
func (b *Builder) Node(op string, inputs, outputs []string, options ...NodeOption) *Builder {
	var n message
	for _, name := range inputs {
		n.text(1, name)
	}
	for _, name := range outputs {
		n.text(2, name)
	}
	n.text(4, op)
	for _, o := range options {
		o.addTo(&n)
	}
	b.graph.message(1, n)
	b.function.message(7, n)
	return b
}

// Constant adds a Constant node; see [NewTensor] for values.
func (b *Builder) Constant(output string, dims []int64, values any) *Builder {
	return b.Node("Constant", nil, []string{output}, TensorAttr("value", NewTensor("", dims, values)))
}

// An Attr is an attribute of a node, or the default of a function's attribute.
type Attr struct{ fields message }

func (a Attr) addTo(n *message) { n.message(5, a.fields) }

// A nodeField is a field of a node that holds text.
type nodeField struct {
	number protowire.Number
	value  string
}

func (f nodeField) addTo(n *message) {
	n.text(f.number, f.value)
}

// NodeName names the node.
func NodeName(name string) NodeOption { return nodeField{3, name} }

// NodeDoc sets the node's doc_string.
func NodeDoc(text string) NodeOption { return nodeField{6, text} }

// Domain sets the operator's domain.
func Domain(domain string) NodeOption { return nodeField{7, domain} }

// Overload sets the overload of the function that the node calls.
func Overload(name string) NodeOption { return nodeField{8, name} }

type nodeMeta [2]string

func (m nodeMeta) addTo(n *message) { n.entry(9, m[0], m[1]) }

// NodeMeta adds an entry to the node's metadata_props.
func NodeMeta(key, value string) NodeOption { return nodeMeta{key, value} }

// attr begins an attribute.
func attr(name string, typ onnxgraph.AttributeType) Attr {
	var a Attr
	a.fields.text(1, name)
	a.fields.number(20, int64(typ))
	return a
}

// Int is an attribute of type INT.
func Int(name string, v int64) Attr {
	a := attr(name, onnxgraph.AttributeInt)
	a.fields.number(3, v)
	return a
}

// Ints is an attribute of type INTS.
func Ints(name string, list ...int64) Attr {
	a := attr(name, onnxgraph.AttributeInts)
	for _, v := range list { // onnx-ml.proto does not ask for packing here
		a.fields.number(8, v)
	}
	return a
}

// Float is an attribute of type FLOAT.
func Float(name string, v float32) Attr {
	a := attr(name, onnxgraph.AttributeFloat)
	a.fields.fixed32(2, math.Float32bits(v))
	return a
}

// Floats is an attribute of type FLOATS.
func Floats(name string, list ...float32) Attr {
	a := attr(name, onnxgraph.AttributeFloats)
	for _, v := range list {
		a.fields.fixed32(7, math.Float32bits(v))
	}
	return a
}

// String is an attribute of type STRING.
func String(name, v string) Attr {
	a := attr(name, onnxgraph.AttributeString)
	a.fields.text(4, v)
	return a
}

// Strings is an attribute of type STRINGS.
func Strings(name string, list ...string) Attr {
	a := attr(name, onnxgraph.AttributeStrings)
	for _, v := range list {
		a.fields.text(9, v)
	}
	return a
}

// TensorAttr is an attribute of type TENSOR.
func TensorAttr(name string, t Tensor) Attr {
	a := attr(name, onnxgraph.AttributeTensor)
	a.fields.message(5, t.fields)
	return a
}

// TensorsAttr is an attribute of type TENSORS.
func TensorsAttr(name string, list ...Tensor) Attr {
	a := attr(name, onnxgraph.AttributeTensors)
	for _, t := range list {
		a.fields.message(10, t.fields)
	}
	return a
}

// Subgraph is an attribute of type GRAPH.
func Subgraph(name string, body *Builder) Attr {
	a := attr(name, onnxgraph.AttributeGraph)
	a.fields.message(6, body.graph)
	return a
}

// Subgraphs is an attribute of type GRAPHS.
func Subgraphs(name string, bodies ...*Builder) Attr {
	a := attr(name, onnxgraph.AttributeGraphs)
	for _, b := range bodies {
		a.fields.message(11, b.graph)
	}
	return a
}

// SparseAttr is an attribute of type SPARSE_TENSOR.
func SparseAttr(name string, dims []int64, values, indices Tensor) Attr {
	a := attr(name, onnxgraph.AttributeSparseTensor)
	a.fields.message(22, sparse(dims, values, indices))
	return a
}

// SparsesAttr is an attribute of type SPARSE_TENSORS with one element.
func SparsesAttr(name string, dims []int64, values, indices Tensor) Attr {
	a := attr(name, onnxgraph.AttributeSparseTensors)
	a.fields.message(23, sparse(dims, values, indices))
	return a
}

// TypeAttr is an attribute of type TYPE_PROTO.
func TypeAttr(name string, t *onnxgraph.Type) Attr {
	a := attr(name, onnxgraph.AttributeTypeProto)
	a.fields.message(14, encodeType(t))
	return a
}

// TypesAttr is an attribute of type TYPE_PROTOS.
func TypesAttr(name string, list ...*onnxgraph.Type) Attr {
	a := attr(name, onnxgraph.AttributeTypeProtos)
	for _, t := range list {
		a.fields.message(15, encodeType(t))
	}
	return a
}

// Ref is an attribute inside a function that takes the value of the function's
// attribute named from.
func Ref(name, from string, typ onnxgraph.AttributeType) Attr {
	a := attr(name, typ)
	a.fields.text(21, from)
	return a
}
