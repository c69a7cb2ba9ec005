package schema

import (
	"fmt"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/tensor"
)

// This file holds a node against the declaration of its operator.

// A Violation is a way in which a node does not fit its operator's
// declaration.
type Violation struct {
	Code    string // arity, attribute or type
	Message string
}

// Error says what does not fit.
func (v *Violation) Error() string { return v.Message }

func violation(code, format string, args ...any) *Violation {
	return &Violation{code, fmt.Sprintf(format, args...)}
}

// Check holds a node against the declaration: how many inputs and outputs it
// has, its attributes, and the types of its inputs, one fact per slot and nil
// where a slot is left empty. It returns the first violation, or nil.
func (s *Schema) Check(n *onnxgraph.Node, inputs []*tensor.Fact) *Violation {
	if v := s.checkArity(n); v != nil {
		return v
	}
	if v := s.checkAttributes(n); v != nil {
		return v
	}
	return s.checkTypes(inputs)
}

func (s *Schema) checkArity(n *onnxgraph.Node) *Violation {
	inputs := len(n.Inputs)
	for inputs > 0 && n.Inputs[inputs-1] == "" {
		inputs-- // trailing empty names are left-out optional inputs
	}
	switch {
	case inputs < s.MinInputs && inputs < s.required():
		return violation("arity", "%d inputs, at least %d are needed", inputs, s.MinInputs)
	case inputs > s.MaxInputs:
		return violation("arity", "%d inputs, at most %d are allowed", inputs, s.MaxInputs)
	case len(n.Outputs) < s.MinOutputs:
		return violation("arity", "%d outputs, at least %d are needed", len(n.Outputs), s.MinOutputs)
	case len(n.Outputs) > s.MaxOutputs:
		return violation("arity", "%d outputs, at most %d are allowed", len(n.Outputs), s.MaxOutputs)
	}
	for i, f := range s.Inputs {
		if i < inputs && n.Inputs[i] == "" && !f.Optional && !f.Variadic {
			return violation("arity", "input %s is not optional and left out", f.Name)
		}
	}
	for i, name := range n.Inputs[:inputs] {
		if f := s.formal(i); name == "" && f != nil && f.Variadic && !f.Heterogeneous {
			return violation("arity", "input %d, one of %s, is left out", i, f.Name)
		}
	}
	return nil
}

// required is the number of leading slots up to the last one that must be
// given.
func (s *Schema) required() int {
	last := 0
	for i, f := range s.Inputs {
		if !f.Optional && !f.Variadic {
			last = i + 1
		}
	}
	if last < s.MinInputs && len(s.Inputs) > 0 && s.Inputs[len(s.Inputs)-1].Variadic {
		return s.MinInputs
	}
	return last
}

func (s *Schema) checkAttributes(n *onnxgraph.Node) *Violation {
	for _, a := range n.Attributes {
		want, ok := s.Attributes[a.Name]
		switch {
		case !ok:
			return violation("attribute", "the operator has no attribute %q", a.Name)
		case a.Type != want.Type && a.Type != onnxgraph.AttributeUndefined && a.RefAttrName == "":
			return violation("attribute", "attribute %q has type %d, not %d", a.Name, a.Type, want.Type)
		}
	}
	missing := "" // the first of them by name, whatever the order of the map
	for name, a := range s.Attributes {
		if a.Required && n.Attribute(name) == nil && (missing == "" || name < missing) {
			missing = name
		}
	}
	if missing != "" {
		return violation("attribute", "attribute %q is required", missing)
	}
	return nil
}

// checkTypes holds each input against its declared types, and inputs of one
// type variable against each other.
func (s *Schema) checkTypes(inputs []*tensor.Fact) *Violation {
	var few [16]*tensor.Fact
	first := few[:0] // by formal input, the first that is given
	for i, fact := range inputs {
		f := s.formal(i)
		if fact == nil || f == nil {
			continue
		}
		slot := min(i, len(s.Inputs)-1)
		for len(first) <= slot {
			first = append(first, nil)
		}
		if first[slot] == nil {
			first[slot] = fact
		}
		if !s.sets[f.Type].has(fact.Type) {
			return violation("type", "input %s may not be %s", f.Name, fact.Type.Name())
		}
		if f.Heterogeneous {
			continue
		}
		if strings.HasSuffix(f.Type, ")") {
			continue // a type, and no variable
		}
		for k, earlier := range first[:slot+1] {
			g := &s.Inputs[k]
			if earlier == nil || g.Type != f.Type {
				continue
			}
			if differ(earlier.Type, fact.Type) {
				return violation("type", "inputs %s and %s must have one type, not %s and %s", g.Name, f.Name, earlier.Type.Name(), fact.Type.Name())
			}
			break // all earlier ones agree with that one
		}
	}
	return nil
}

// formal is the declaration of input slot i, nil where there is none.
func (s *Schema) formal(i int) *Formal {
	switch {
	case i < len(s.Inputs):
		return &s.Inputs[i]
	case len(s.Inputs) > 0 && s.Inputs[len(s.Inputs)-1].Variadic:
		return &s.Inputs[len(s.Inputs)-1]
	}
	return nil
}

// differ reports whether two types are known to be different.
func differ(a, b tensor.Type) bool {
	if a.Kind == onnxgraph.KindUnset || b.Kind == onnxgraph.KindUnset {
		return false
	}
	if a.Kind != b.Kind {
		return true
	}
	if a.DType != b.DType && a.DType != onnxgraph.Undefined && b.DType != onnxgraph.Undefined {
		return true
	}
	return a.Elem != nil && b.Elem != nil && differ(*a.Elem, *b.Elem)
}
