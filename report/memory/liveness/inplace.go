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
		if len(s.Writes) == 0 || len(s.Bodies) > 0 || !elementwise(s) {
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

func elementwise(s *Step) bool {
	o := s.Info().Op
	return o != nil && o.Elementwise
}
