package shapeinfer

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/tensor"
)

// This file brings what inference finds of an output together with what the file
// declares.

// recordOutput records what is known of one output: what inference found, completed
// by what the file declares. Where the two contradict each other inference
// wins, and the difference is reported.
func (f *scopeInference) recordOutput(n *onnxgraph.Node, node *Node, slot int, id onnxgraph.ValueID, fact *tensor.Fact) {
	f.refuseNegative(n, node, fact)
	if policy := f.e.opts.Policy; policy != nil {
		policy.LimitOutput(InferredNode{&f.call, f.scope.Graph, f.node}, slot, fact)
	}
	v := &f.scope.Graph.Values[id]
	if v.Declared != nil && !f.e.opts.IgnoreDeclared {
		f.merge(v, fact)
	}
	if fact.Reason == "" && !fullyKnown(fact.Type) {
		fact.Reason = f.whyUnknown(n)
	}
	f.keep(fact)
	f.scope.Facts[id] = *fact
}

// refuseNegative makes sure that no negative dim and no fraction leaves a node.
func (f *scopeInference) refuseNegative(n *onnxgraph.Node, node *Node, fact *tensor.Fact) {
	for _, d := range fact.Type.Shape.Dims() {
		if impossibleSize(d) {
			f.fail(n, node, &op.Error{Code: op.CodeShape, Message: "a dimension of the output would be negative or no integer: " + fact.Type.String()})
			dims := fact.Type.Shape.Clone()
			for i, d := range dims {
				if impossibleSize(d) {
					dims[i] = dim.Unknown()
				}
			}
			fact.Type.Shape, fact.Value = tensor.MakeShape(dims...), nil
			return
		}
	}
}

// impossibleSize reports whether a number is no size.
func impossibleSize(d dim.Dim) bool {
	num, den, constant := d.Rational()
	return constant && (num < 0 || den > 1)
}

func (f *scopeInference) whyUnknown(n *onnxgraph.Node) string {
	for i, fact := range f.call.Inputs {
		if fact != nil && !fullyKnown(fact.Type) {
			return "input " + n.Inputs[i] + " of " + n.OpType + " is not fully known"
		}
	}
	return "it depends on tensor values, which are known only at run time"
}

// merge completes fact by the declared type of the value.
func (f *scopeInference) merge(v *onnxgraph.Value, fact *tensor.Fact) {
	declared := f.e.declared.read(v.Declared)
	f.noteEquations(v, fact.Type, declared)
	used, conflict := false, false
	fact.Type = f.mergeType(fact.Type, declared, &used, &conflict)
	if used {
		fact.Declared = true
		if fullyKnown(fact.Type) {
			fact.Reason = ""
		}
	}
	if conflict {
		// Subgraphs are often declared for one iteration of a loop, or for another
		// caller, so only the main graph's declarations are held to be wrong. ONNX Runtime makes
		// an initializer of a Constant and does not look at what is declared for it.
		severity := Error
		constant := f.call.Node.OpType == "Constant" && fact.Type.Name() == declared.Name()
		if f.scope.Graph != f.e.program.Main || constant || onlyNamesDiffer(v.Declared, declared, fact.Type) {
			severity = Warning
		}
		f.e.diagnose(severity, "declared-type", f.scope.Graph.Path, f.label(),
			"%q is declared as %s but inferred as %s; the inferred type is used", v.Name, declared, fact.Type)
	}
}

// onlyNamesDiffer reports whether two tensor types differ in dims alone that the
// file declares by a name. Exporters name a dim after what it is in most runs,
// and ONNX Runtime only warns of an output of another size.
func onlyNamesDiffer(written *onnxgraph.Type, declared, found tensor.Type) bool {
	if !declared.IsTensor() || found.Name() != declared.Name() || found.Shape.Rank() != declared.Shape.Rank() {
		return false
	}
	for i, d := range found.Shape.Dims() {
		e := declared.Shape.At(i)
		n, isInt := e.Int()
		m, found := d.Int()
		if written.Shape.Dims[i].Param == "" && isInt && (found && m != n || !found && outside(n, d)) {
			return false
		}
	}
	return true
}

// mergeType prefers what was inferred and takes the rest from the declaration.
func (f *scopeInference) mergeType(found, declared tensor.Type, used, conflict *bool) tensor.Type {
	switch {
	case declared.Kind == onnxgraph.KindUnset:
		return found
	case found.Kind == onnxgraph.KindUnset:
		*used = true
		return declared
	case found.Kind != declared.Kind:
		*conflict = true
		return found
	}
	if found.DType == onnxgraph.Undefined && declared.DType != onnxgraph.Undefined {
		found.DType, *used = declared.DType, true
	} else if declared.DType != onnxgraph.Undefined && declared.DType != found.DType {
		*conflict = true
		return found
	}
	if found.Key == onnxgraph.Undefined {
		found.Key = declared.Key
	}
	switch {
	case found.Elem == nil && declared.Elem != nil:
		found.Elem, *used = declared.Elem, true
	case found.Elem != nil && declared.Elem != nil:
		elem := f.mergeType(*found.Elem, *declared.Elem, used, conflict)
		found.Elem = &elem
	}
	found.Shape = f.mergeShape(found.Shape, declared.Shape, used, conflict)
	return found
}

// outside reports whether a size is provably none that d can take.
func outside(n int64, d dim.Dim) bool {
	low, hasLow := d.Lower()
	high, hasHigh := d.Upper()
	return hasLow && n < low || hasHigh && n > high
}

// mergeShape takes from the declaration the dims that inference does not know,
// and numbers for those that it knows to depend on the run.
func (f *scopeInference) mergeShape(found, declared tensor.Shape, used, conflict *bool) tensor.Shape {
	switch {
	case !declared.Ranked():
		return found
	case !found.Ranked():
		*used = true
		return declared
	case found.Rank() != declared.Rank():
		*conflict = true
		return found
	}
	var dims []dim.Dim
	for i, d := range found.Dims() {
		e := declared.At(i)
		if !e.IsKnown() {
			continue
		}
		dn, dInt := d.Int()
		en, eInt := e.Int()
		take := !d.IsKnown() || d.HasDataDependent() && eInt
		if !dInt && f.e.opts.namedDimsOnly() {
			take = true
		}
		if dInt && eInt && dn != en || eInt && d.HasDataDependent() && outside(en, d) {
			*conflict, take = true, false
		}
		if take {
			if dims == nil {
				dims = found.Clone()
			}
			dims[i], *used = e, true
		}
	}
	if dims == nil {
		return found
	}
	return tensor.MakeShape(dims...)
}
