package liveness

import (
	"onnxmem/report/memory"
)

// reuseInPlace lets elementwise steps write over an input of exactly equal size
// that no later step needs, as runtimes with that optimisation do. The output
// and the input become one storage.
func reuseInPlace(p *Program) {
	lives := p.Lifetimes(nil)
	root := make([]StorageID, len(p.Storages))
	for i := range root {
		root[i] = StorageID(i)
	}
	for at := range p.Steps {
		s := &p.Steps[at]
		for k, id := range s.Reads {
			if id != NoStorage {
				s.Reads[k] = root[id]
			}
		}
		for k, id := range s.Writes {
			if id != NoStorage {
				s.Writes[k] = root[id]
			}
		}
		if len(s.Writes) == 0 || len(s.Bodies) > 0 || !writesOverInput[s.NodeOf().OpType] {
			continue
		}
		out := s.Writes[0]
		if out == NoStorage || p.Storage(out).Step != int32(at) || p.Storage(out).Output || p.Storage(out).Kind != Activation {
			continue
		}
		for _, in := range s.Reads {
			if in == NoStorage || in == out {
				continue
			}
			from := p.Storage(in)
			if from.Kind != Activation || from.Output || lives[in].Last != int32(at) || !sameExactSize(from.Size, p.Storage(out).Size) {
				continue
			}
			root[out] = in
			s.Writes[0] = in
			lives[in].Last = max(lives[in].Last, lives[out].Last)
			break
		}
	}
	for i, id := range p.Outputs {
		if id != NoStorage {
			p.Outputs[i] = root[id]
		}
	}
	p.dropMerged(root)
}

func sameExactSize(a, b memory.Size) bool {
	n, ok := a.Exact()
	m, also := b.Exact()
	return ok && also && n == m
}

// dropMerged leaves merged storages without a size, since their bytes are those
// of the storage that they went into.
func (p *Program) dropMerged(root []StorageID) {
	for i := range root {
		if root[i] != StorageID(i) {
			p.Storages[i].Size, p.Storages[i].Step = memory.Size{}, -1
		}
	}
}

// writesOverInput lists operators that compute each element of the output from
// the same element of the input.
var writesOverInput = map[string]bool{
	"Abs": true, "Acos": true, "Acosh": true, "Add": true, "And": true, "Asin": true, "Asinh": true, "Atan": true, "Atanh": true,
	"BatchNormalization": true, "BitShift": true, "BitwiseAnd": true, "BitwiseNot": true, "BitwiseOr": true, "BitwiseXor": true,
	"Cast": true, "Ceil": true, "Celu": true, "Clip": true, "Cos": true, "Cosh": true, "Div": true, "Dropout": true, "Elu": true,
	"Erf": true, "Exp": true, "Floor": true, "Gelu": true, "HardSigmoid": true, "HardSwish": true, "LeakyRelu": true, "Log": true,
	"Max": true, "Mean": true, "Min": true, "Mish": true, "Mod": true, "Mul": true, "Neg": true, "Not": true, "Or": true, "PRelu": true,
	"Pow": true, "Reciprocal": true, "Relu": true, "Round": true, "Selu": true, "Shrink": true, "Sigmoid": true, "Sign": true,
	"Sin": true, "Sinh": true, "Softplus": true, "Softsign": true, "Sqrt": true, "Sub": true, "Sum": true, "Swish": true, "Tan": true,
	"Tanh": true, "ThresholdedRelu": true, "Where": true, "Xor": true,
}
