package onnxgo

import "github.com/owulveryck/onnx-go"

// A role says where a value stands in the graph.
type role struct {
	listed list
	stored bool // an initializer gives it
}

// A list is one of the graph's lists of declarations.
type list uint8

const (
	unlisted list = iota
	asInput
	asOutput
	asValueInfo
)

// roles tells the values apart by the order in which onnx-go makes them:
// inputs, value_info, outputs, initializers, what operations make. It sets the
// placeholder of a declared value first and its stored tensor second, and
// takes inputs that have one off the list of inputs.
//
// One name may be several values, such as an output in value_info; the tensors
// and operations then belong to the one made last.
func (b *Backend) roles(m *onnx.Model) []role {
	firstOutput, lastOutput, lastInput := int64(len(b.values)), int64(-1), int64(-1)
	for _, id := range m.Output {
		firstOutput, lastOutput = min(firstOutput, id), max(lastOutput, id)
	}
	inputs := map[int64]bool{}
	defined := b.produced()
	for _, id := range m.Input {
		inputs[id] = true
		defined[b.values[id].name] = true
		lastInput = max(lastInput, id)
	}
	roles := make([]role, len(b.values))
	for i, v := range b.values {
		id, set := int64(i), len(v.tensors)
		switch {
		case inputs[id]:
			roles[i].listed = asInput
		case id < lastInput: // taken off the list
			roles[i].stored = set > 0
		case id < firstOutput:
			roles[i] = role{asValueInfo, set > 1}
			if set > 1 { // perhaps an input taken off: the types are the same
				roles[i].listed = unlisted
			}
		case id <= lastOutput:
			// An untyped output has no placeholder.
			roles[i] = role{asOutput, set > 1 || set == 1 && !defined[v.name]}
		default:
			roles[i].stored = set > 0
		}
	}
	return roles
}

// produced are the names that operations make.
func (b *Backend) produced() map[string]bool {
	names := map[string]bool{}
	for _, op := range b.operations {
		for _, v := range op.outputs {
			names[v.name] = true
		}
	}
	return names
}
