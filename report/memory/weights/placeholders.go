package weights

import (
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/op"
)

// This file tells parameters from what exporters put in their place: vectors
// that an operator asks for and the module never had, and what they compute
// from buffers.

// withoutPlaceholders takes the scales and shifts of normalisations that the
// exporter made up out of the trainable tensors: GroupNorm becomes
// InstanceNormalization with ones and zeros, and a normalisation without affine
// parameters gets them as well. They are Constant nodes where all that layers
// learn is stored otherwise; files that keep every weight in a Constant node
// keep theirs.
func (w *Set) withoutPlaceholders(known *op.Catalogue) {
	for i := range w.Tensors {
		if t := &w.Tensors[i]; t.node && t.Role == Trainable && !onlyNormalizes(known, t.Readers) {
			return
		}
	}
	for i := range w.Tensors {
		if t := &w.Tensors[i]; t.node && t.Role == Trainable {
			t.Role = Constant
		}
	}
}

func onlyNormalizes(known *op.Catalogue, readers []op.ID) bool {
	for _, id := range readers {
		if o := known.Newest(id); o == nil || !o.Normalizes {
			return false
		}
	}
	return true
}

// withoutFrozenNorms makes buffers of the scales and shifts that the exporter
// computed from a BatchNormalization whose vectors are all buffers, as those of
// detectors' backbones are: after a convolution without a bias a Mul and an
// Add, each by one vector 1 x C x 1 x 1. Vectors with the names of a module's
// parameters keep their role.
func (w *Set) withoutFrozenNorms(p *onnxgraph.Program) {
	frozen, named := map[*onnxgraph.Tensor]bool{}, map[*onnxgraph.Tensor]bool{}
	for i := range p.Main.Nodes {
		scale, shift := frozenNorm(p.Main, int32(i))
		if scale.tensor == nil {
			continue
		}
		group := frozen
		if moduleName(scale.name) || moduleName(shift.name) {
			group = named
		}
		group[scale.tensor], group[shift.tensor] = true, true
	}
	if len(frozen)+len(named) == 0 {
		return
	}
	for i := range w.Tensors {
		switch t := &w.Tensors[i]; {
		case t.Role != Trainable || t.origin == originParameter:
		case frozen[t.Tensor]:
			t.Role, t.open = Buffer, true
		case named[t.Tensor]:
			t.byName = true
		}
	}
}

// frozenNorm returns the scale and the shift that follow a convolution without
// a bias, none where others do.
func frozenNorm(s *onnxgraph.Scope, conv int32) (scale, shift initializer) {
	if n := s.Nodes[conv]; op.IDOf(n) != (op.ID{Name: "Conv"}) || len(n.Inputs) != 2 {
		return initializer{}, initializer{}
	}
	mul, scale := affineStep(s, conv, op.ID{Name: "Mul"})
	if scale.tensor == nil {
		return initializer{}, initializer{}
	}
	_, shift = affineStep(s, mul, op.ID{Name: "Add"})
	if shift.tensor == nil || !slices.Equal(scale.tensor.Dims, shift.tensor.Dims) {
		return initializer{}, initializer{}
	}
	return scale, shift
}

// affineStep returns the only reader of a node's output if it is that operator
// by a stored vector of one element a channel, and that vector.
func affineStep(s *onnxgraph.Scope, node int32, want op.ID) (int32, initializer) {
	outs := s.NodeOutputs(node)
	if len(outs) == 0 || outs[0] == onnxgraph.NoValue {
		return -1, initializer{}
	}
	uses := s.Uses(outs[0])
	if len(uses) != 1 || uses[0].Slot < 0 || op.IDOf(s.Nodes[uses[0].Node]) != want {
		return -1, initializer{}
	}
	reader := uses[0].Node
	ins := s.NodeInputs(reader)
	if len(ins) != 2 {
		return -1, initializer{}
	}
	v := source(s, ins[1-uses[0].Slot], nil)
	if v.tensor == nil || !channelVector(v.tensor.Dims) {
		return -1, initializer{}
	}
	return reader, v
}

// channelVector reports whether dims are 1 x C x 1 x 1 of any number of
// spatial axes.
func channelVector(dims []int64) bool {
	for i, d := range dims {
		if i != 1 && d != 1 {
			return false
		}
	}
	return len(dims) > 2 && dims[1] > 1
}
