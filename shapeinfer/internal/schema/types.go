package schema

import (
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/tensor"
)

// A typeSet is a set of value types: per kind the element types as bits, and
// the spelled-out names of maps.
type typeSet struct {
	tensor, sequence, optional, optionalSequence, sparse uint32
	maps                                                 []string
}

// parseTypes reads a comma-separated list in the schemas' own spelling:
// tensor(float), seq(tensor(int8)), map(int64, float) ... A comma inside
// parentheses does not separate.
func parseTypes(s string) typeSet {
	var set typeSet
	for _, t := range splitTypes(s) {
		switch {
		case strings.HasPrefix(t, "tensor("):
			set.tensor |= bit(t, "tensor(", ")")
		case strings.HasPrefix(t, "sparse_tensor("):
			set.sparse |= bit(t, "sparse_tensor(", ")")
		case strings.HasPrefix(t, "seq(tensor("):
			set.sequence |= bit(t, "seq(tensor(", "))")
		case strings.HasPrefix(t, "optional(tensor("):
			set.optional |= bit(t, "optional(tensor(", "))")
		case strings.HasPrefix(t, "optional(seq(tensor("):
			set.optionalSequence |= bit(t, "optional(seq(tensor(", ")))")
		default:
			set.maps = append(set.maps, strings.ReplaceAll(t, " ", ""))
		}
	}
	return set
}

func splitTypes(s string) []string {
	var list []string
	depth, start := 0, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && depth == 0:
			if t := strings.TrimSpace(s[start:i]); t != "" {
				list = append(list, t)
			}
			start = i + 1
		case s[i] == '(':
			depth++
		case s[i] == ')':
			depth--
		}
	}
	return list
}

func bit(s, prefix, suffix string) uint32 {
	name := strings.TrimSuffix(strings.TrimPrefix(s, prefix), suffix)
	d, ok := onnxgraph.ParseDType(strings.ToUpper(name))
	if !ok {
		return 0
	}
	return 1 << d
}

// has reports whether t may be in the set. What is not known of t counts in
// its favour.
func (set typeSet) has(t tensor.Type) bool {
	mask := uint32(1) << t.DType
	switch t.Kind {
	case onnxgraph.KindUnset, onnxgraph.KindOpaque:
		return true
	case onnxgraph.KindTensor:
		return t.DType == onnxgraph.Undefined || set.tensor&mask != 0
	case onnxgraph.KindSparseTensor:
		return t.DType == onnxgraph.Undefined || set.sparse&mask != 0
	case onnxgraph.KindMap:
		return len(set.maps) > 0
	}
	if t.Elem == nil || t.Elem.Kind == onnxgraph.KindUnset {
		return true
	}
	elem := uint32(1) << t.Elem.DType
	unknown := t.Elem.DType == onnxgraph.Undefined
	switch {
	case t.Kind == onnxgraph.KindSequence && t.Elem.Kind == onnxgraph.KindTensor:
		return set.sequence&elem != 0 || unknown && set.sequence != 0
	case t.Kind == onnxgraph.KindSequence:
		return len(set.maps) > 0 // of maps
	case t.Kind == onnxgraph.KindOptional && t.Elem.Kind == onnxgraph.KindTensor:
		return set.optional&elem != 0 || unknown && set.optional != 0
	case t.Kind == onnxgraph.KindOptional:
		return set.optionalSequence != 0
	}
	return true
}
