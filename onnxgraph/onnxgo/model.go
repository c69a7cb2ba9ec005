package onnxgo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/owulveryck/onnx-go"

	"onnxmem/onnxgraph"
)

// ErrNotDecoded says that [Backend.Decode] has not succeeded.
var ErrNotDecoded = errors.New("onnxgo: no model has been decoded into this backend")

// Options tell what onnx-go does not.
type Options struct {
	// Opsets are the versions of the operator domains in use, "" for ai.onnx.
	Opsets map[string]int64
	// Static vouches that every dim in the file is a number. onnx-go leaves out
	// the others, so that [batch,3,224,224] comes as [3,224,224]; without this
	// promise the model has the shapes of fed inputs only.
	Static bool
}

// Model makes a model of what was decoded through m and says what got lost on
// the way. Inputs that m.SetInput has fed have the fed tensor's shape.
func (b *Backend) Model(m *onnx.Model, o Options) (*onnxgraph.Model, []Diagnostic, error) {
	if !b.decoded {
		return nil, nil, ErrNotDecoded
	}
	t := taker{backend: b, options: o, roles: b.roles(m)}
	g := &onnxgraph.Graph{}
	for _, take := range []func(*onnxgraph.Graph) error{t.takeValues, t.takeNodes} {
		if err := take(g); err != nil {
			return nil, nil, fmt.Errorf("onnxgo: %w", err)
		}
	}
	model := &onnxgraph.Model{Graph: g}
	for _, domain := range slices.Sorted(maps.Keys(o.Opsets)) {
		model.OpsetImports = append(model.OpsetImports, onnxgraph.OpsetImport{Domain: domain, Version: o.Opsets[domain]})
	}
	return model, append(t.always(), t.lost...), nil
}

// A taker makes the graph and notes what is missing.
type taker struct {
	backend *Backend
	options Options
	roles   []role // by value
	lost    []Diagnostic
}

func (t *taker) lose(code Code, subject, format string, args ...any) {
	t.lost = append(t.lost, Diagnostic{code, subject, fmt.Sprintf(format, args...)})
}

// always lists what onnx-go never hands over.
func (t *taker) always() []Diagnostic {
	var d []Diagnostic
	if len(t.options.Opsets) == 0 {
		d = append(d, Diagnostic{LostOpset, "", "onnx-go tells no operator set versions, and the options give none"})
	}
	return append(d,
		Diagnostic{LostHeader, "", "onnx-go tells nothing of IR version, producer and model version"},
		Diagnostic{LostMetadata, "", "onnx-go tells no metadata and doc strings"},
		Diagnostic{LostFunction, "", "onnx-go tells no local functions"},
		Diagnostic{LostNodeName, "", "onnx-go tells no node names"},
		Diagnostic{LostDomain, "", "onnx-go tells no operator domains; every node is taken for one of ai.onnx"},
	)
}

// takeValues fills in inputs, outputs, value infos and initializers.
func (t *taker) takeValues(g *onnxgraph.Graph) error {
	for i, v := range t.backend.values {
		role := t.roles[i]
		switch role.listed {
		case asInput:
			g.Inputs = append(g.Inputs, t.declare(v))
		case asOutput:
			g.Outputs = append(g.Outputs, t.declare(v))
		case asValueInfo:
			g.ValueInfos = append(g.ValueInfos, t.declare(v))
		}
		if role.stored {
			made, err := storedTensor(v.name, v.tensors[len(v.tensors)-1])
			if err != nil {
				return err
			}
			g.Initializers = append(g.Initializers, made)
		}
	}
	return nil
}

// declare makes the declaration of an input, output or listed value.
func (t *taker) declare(v *value) *onnxgraph.ValueInfo {
	info := &onnxgraph.ValueInfo{Name: v.name}
	switch {
	case v.fed != nil:
		info.Type = declaredType(v.fed, true)
	case len(v.tensors) > 0:
		info.Type = declaredType(v.tensors[0], t.options.Static)
		if !t.options.Static {
			t.lose(UnprovenShape, v.name, "onnx-go gives %v, which lacks the dims that are no number, if there are any", v.tensors[0].Shape())
		}
	}
	return info
}

// takeNodes fills in the nodes.
func (t *taker) takeNodes(g *onnxgraph.Graph) error {
	produced := t.backend.produced()
	for i, op := range t.backend.operations {
		attributes, lost, err := attributes(op.attributes)
		if err != nil {
			return fmt.Errorf("node %d (%s): %w", i, op.name, err)
		}
		n := &onnxgraph.Node{OpType: op.name, Attributes: attributes, Outputs: names(op.outputs), Inputs: names(op.inputs)}
		if name, ok := op.madeUpInput(); ok && !produced[n.Inputs[0]] {
			n.Name, n.Inputs = name, nil
		}
		for _, name := range lost {
			t.lose(LostAttribute, fmt.Sprintf("node %d (%s)", i, op.name), "attribute %q has no value", name)
		}
		g.Nodes = append(g.Nodes, n)
	}
	return nil
}

// madeUpInput recognises the input that onnx-go makes up for a node without
// inputs: a new value, nothing but a name, which is the node's with "/input".
func (op operation) madeUpInput() (node string, ok bool) {
	if len(op.inputs) != 1 || !op.created || len(op.inputs[0].tensors) > 0 {
		return "", false
	}
	return strings.CutSuffix(op.inputs[0].name, "/input")
}

func names(values []*value) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v.name
	}
	return list
}
