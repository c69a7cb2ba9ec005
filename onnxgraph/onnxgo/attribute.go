package onnxgo

import (
	"maps"
	"slices"

	"gorgonia.org/tensor"

	"onnxmem/onnxgraph"
)

// attributes turns the attributes of an operation into ours, sorted by name.
// The names in lost had a value that onnx-go did not hand over.
func attributes(from map[string]any) (made []*onnxgraph.Attribute, lost []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(from)) {
		a, err := attribute(name, from[name])
		if err != nil {
			return nil, nil, err
		}
		if a == nil {
			lost = append(lost, name)
			continue
		}
		a.Set = 1 << a.Type
		made = append(made, a)
	}
	return made, lost, nil
}

// attribute is nil where onnx-go gives no value: it knows the type of an
// attribute by the field type, which files of IR version 1 do not have.
func attribute(name string, value any) (*onnxgraph.Attribute, error) {
	a := &onnxgraph.Attribute{Name: name}
	switch v := value.(type) {
	case float32:
		a.Type, a.Float = onnxgraph.AttributeFloat, v
	case int64:
		a.Type, a.Int = onnxgraph.AttributeInt, v
	case string:
		a.Type, a.String = onnxgraph.AttributeString, v
	case []float32:
		a.Type, a.Floats = onnxgraph.AttributeFloats, v
	case []int64:
		a.Type, a.Ints = onnxgraph.AttributeInts, v
	case []string:
		a.Type, a.Strings = onnxgraph.AttributeStrings, v
	case tensor.Tensor:
		t, err := storedTensor("", v)
		if err != nil {
			return nil, err
		}
		a.Type, a.Tensor = onnxgraph.AttributeTensor, t
	default:
		return nil, nil
	}
	return a, nil
}
