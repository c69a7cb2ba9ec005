package liveness

// A Lifetime is the span of steps during which a storage is alive, both ends
// included. A storage that no step of the program makes or reads has
// Last < First.
type Lifetime struct{ First, Last int32 }

// Lifetimes returns when each storage is alive if the steps run in the given
// order, which must be a dependency order and may be nil for the program's
// own. Positions in it, not indices of steps, are returned. A storage lives
// from the step that makes it to its last reader; those of the program's
// outputs to the end; inputs, weights and what lies outside from before the
// first step.
func (p *Program) Lifetimes(order []int32) []Lifetime {
	lives := make([]Lifetime, len(p.Storages))
	for i := range lives {
		lives[i] = Lifetime{0, -1}
	}
	end := int32(len(p.Steps) - 1)
	for at := range p.Steps {
		i := int32(at)
		if order != nil {
			i = order[at]
		}
		s := &p.Steps[i]
		for _, id := range s.Reads {
			if id != NoStorage {
				lives[id].Last = int32(at)
			}
		}
		for _, id := range s.Writes {
			if id == NoStorage {
				continue
			}
			if p.Storage(id).Step == i {
				lives[id].First = int32(at)
			}
			lives[id].Last = int32(at)
		}
	}
	for id := range lives {
		if p.Storages[id].Output {
			lives[id].Last = end
		}
	}
	return lives
}
