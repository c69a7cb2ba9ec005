package onnxgo

import (
	"fmt"
	"slices"

	"onnxmem/onnxgraph"
)

// Compare lists what the original says and taken, made by [Backend.Model] from
// the same file, does not.
func Compare(taken, original *onnxgraph.Model) []Diagnostic {
	var c comparison
	c.header(taken, original)
	c.nodes(taken.Graph, original.Graph)
	c.declarations(taken.Graph, original.Graph)
	c.tensors(taken.Graph, original.Graph)
	return c.lost
}

// A comparison collects differences.
type comparison struct{ lost []Diagnostic }

func (c *comparison) lose(code Code, subject, format string, args ...any) {
	c.lost = append(c.lost, Diagnostic{code, subject, fmt.Sprintf(format, args...)})
}

// header compares what does not belong to the graph.
func (c *comparison) header(taken, original *onnxgraph.Model) {
	for _, field := range []struct {
		name        string
		have, want  string
		haveN, need int64
	}{
		{name: "ir_version", haveN: taken.IRVersion, need: original.IRVersion},
		{name: "model_version", haveN: taken.ModelVersion, need: original.ModelVersion},
		{name: "producer_name", have: taken.ProducerName, want: original.ProducerName},
		{name: "producer_version", have: taken.ProducerVersion, want: original.ProducerVersion},
		{name: "domain", have: taken.Domain, want: original.Domain},
		{name: "doc_string", have: taken.DocString, want: original.DocString},
		{name: "graph.name", have: taken.Graph.Name, want: original.Graph.Name},
		{name: "graph.doc_string", have: taken.Graph.DocString, want: original.Graph.DocString},
	} {
		switch {
		case field.haveN != field.need:
			c.lose(LostHeader, field.name, "%d in the file", field.need)
		case field.have != field.want:
			c.lose(LostHeader, field.name, "%q in the file", field.want)
		}
	}
	for _, i := range original.OpsetImports {
		if v, ok := taken.Opset(i.Domain); !ok || v != i.Version {
			c.lose(LostOpset, i.Domain, "version %d in the file", i.Version)
		}
	}
	c.metadata("model", original.Metadata)
	c.metadata("graph", original.Graph.Metadata)
	for _, f := range original.Functions {
		c.lose(LostFunction, f.Domain+"."+f.Name, "a function of %d nodes", len(f.Nodes))
	}
	for i := range original.TrainingInfo {
		c.lose(LostTraining, fmt.Sprintf("training_info[%d]", i), "not handed over")
	}
	for _, d := range original.Configurations {
		c.lose(LostDevices, d.Name, "a configuration of %d devices", d.NumDevices)
	}
	for _, q := range original.Graph.QuantizationEntries {
		c.lose(LostQuantization, q.TensorName, "scale and zero point are not tied to it")
	}
}

func (c *comparison) metadata(subject string, entries []onnxgraph.StringEntry) {
	if len(entries) > 0 {
		c.lose(LostMetadata, subject, "%d entries", len(entries))
	}
}

// nodes compares the nodes of the main graph, which keep their order.
func (c *comparison) nodes(taken, original *onnxgraph.Graph) {
	for i, want := range original.Nodes {
		subject := fmt.Sprintf("node %d (%s)", i, want.OpType)
		if i >= len(taken.Nodes) {
			c.lose(LostNode, subject, "not handed over")
			continue
		}
		have := taken.Nodes[i]
		if have.OpType != want.OpType || !slices.Equal(have.Inputs, want.Inputs) || !slices.Equal(have.Outputs, want.Outputs) {
			c.lose(LostNode, subject, "reads %q and makes %q, here %q and %q", want.Inputs, want.Outputs, have.Inputs, have.Outputs)
		}
		if have.Name != want.Name {
			c.lose(LostNodeName, subject, "named %q", want.Name)
		}
		if onnxgraph.CanonicalDomain(have.Domain) != onnxgraph.CanonicalDomain(want.Domain) {
			c.lose(LostDomain, subject, "of domain %q", want.Domain)
		}
		if have.Overload != want.Overload {
			c.lose(LostOverload, subject, "overload %q", want.Overload)
		}
		if want.DocString != "" {
			c.lose(LostDoc, subject, "%d bytes", len(want.DocString))
		}
		if len(want.DeviceConfigurations) > 0 {
			c.lose(LostDevices, subject, "%d configurations", len(want.DeviceConfigurations))
		}
		c.metadata(subject, want.Metadata)
		c.attributes(subject, have, want)
	}
}

func (c *comparison) attributes(subject string, have, want *onnxgraph.Node) {
	for _, a := range want.Attributes {
		got := have.Attribute(a.Name)
		switch {
		case got == nil:
			c.lose(LostAttribute, subject, "attribute %q has no value", a.Name)
		case a.RefAttrName != "":
			c.lose(LostAttribute, subject, "attribute %q refers to %q", a.Name, a.RefAttrName)
		case !sameAttribute(got, a):
			c.lose(LostAttribute, subject, "attribute %q is different", a.Name)
		}
	}
}

func sameAttribute(a, b *onnxgraph.Attribute) bool {
	if a.Type != b.Type {
		return false
	}
	if a.Type == onnxgraph.AttributeTensor {
		return sameTensor(a.Tensor, b.Tensor)
	}
	return a.Float == b.Float && a.Int == b.Int && a.String == b.String &&
		slices.Equal(a.Floats, b.Floats) && slices.Equal(a.Ints, b.Ints) && slices.Equal(a.Strings, b.Strings)
}

// declarations compares the declared types of values.
func (c *comparison) declarations(taken, original *onnxgraph.Graph) {
	for _, list := range []struct {
		have, want []*onnxgraph.ValueInfo
		code       Code // when the value is missing
	}{
		{taken.Inputs, original.Inputs, LostInput},
		{taken.Outputs, original.Outputs, LostType},
		{taken.ValueInfos, original.ValueInfos, LostType},
	} {
		have := map[string]*onnxgraph.ValueInfo{}
		for _, v := range list.have {
			have[v.Name] = v
		}
		for _, want := range list.want {
			c.declaration(have[want.Name], want, list.code)
		}
	}
}

func (c *comparison) declaration(have, want *onnxgraph.ValueInfo, missing Code) {
	c.metadata(want.Name, want.Metadata)
	if want.DocString != "" {
		c.lose(LostDoc, want.Name, "%d bytes", len(want.DocString))
	}
	switch {
	case have == nil:
		c.lose(missing, want.Name, "not declared here")
	case want.Type == nil:
	case have.Type == nil, have.Type.Kind != want.Type.Kind, have.Type.DType != want.Type.DType:
		c.lose(LostType, want.Name, "another type")
	case !sameShape(have.Type.Shape, want.Type.Shape):
		c.lose(LostDim, want.Name, "%s in the file, %s from onnx-go", shapeText(want.Type.Shape), shapeText(have.Type.Shape))
	}
}

func sameShape(have, want *onnxgraph.Shape) bool {
	if have == nil || want == nil {
		return have == want
	}
	return slices.EqualFunc(have.Dims, want.Dims, func(a, b onnxgraph.Dim) bool {
		return a.HasValue == b.HasValue && a.Value == b.Value && a.Param == b.Param
	})
}

func shapeText(s *onnxgraph.Shape) string {
	if s == nil {
		return "no shape"
	}
	text := "["
	for i, d := range s.Dims {
		if i > 0 {
			text += ","
		}
		switch {
		case d.HasValue:
			text += fmt.Sprint(d.Value)
		case d.Param != "":
			text += d.Param
		default:
			text += "?"
		}
	}
	return text + "]"
}

// tensors compares the stored tensors.
func (c *comparison) tensors(taken, original *onnxgraph.Graph) {
	have := map[string]*onnxgraph.Tensor{}
	for _, t := range taken.Initializers {
		have[t.Name] = t
	}
	for _, want := range original.Initializers {
		got := have[want.Name]
		switch {
		case got == nil:
			c.lose(LostTensor, want.Name, "not handed over")
		case !sameTensor(got, want):
			c.lose(LostTensor, want.Name, "%v%v in the file, %v%v or other values from onnx-go", want.DType, want.Dims, got.DType, got.Dims)
		}
		c.metadata(want.Name, want.Metadata)
	}
	for _, s := range original.SparseInitializers {
		name := ""
		if s.Values != nil {
			name = s.Values.Name
		}
		c.lose(LostTensor, name, "sparse tensors are not handed over")
	}
}

// compareLimit bounds the bytes of a tensor whose values are compared; larger
// ones are compared by type and shape.
const compareLimit = 1 << 20

func sameTensor(a, b *onnxgraph.Tensor) bool {
	if a == nil || b == nil || a.DType != b.DType || !slices.Equal(a.Dims, b.Dims) {
		return false
	}
	if n, ok := a.Bytes(); !ok || n > compareLimit {
		return ok
	}
	x, errA := a.ReadBytes(compareLimit)
	y, errB := b.ReadBytes(compareLimit)
	return errA == nil && errB == nil && string(x) == string(y)
}
