package report

import (
	"onnxmem/report/memory/liveness"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// storageFormula is the size of a storage over the open symbols, empty where it
// is not known.
func (a *Analysis) storageFormula(p *liveness.Program, id liveness.StorageID, memo map[liveness.StorageID]dim.Dim) string {
	if len(a.Symbolic.FreeSymbols) == 0 {
		return ""
	}
	size := dim.Mul(a.symbolicSize(p.Storage(id).Value), a.appears(p, id, memo))
	if !size.IsKnown() {
		return ""
	}
	return size.String()
}

// symbolicSize is the size of a value over the open symbols. Values of
// functions and bodies have none: their scopes differ between a model with open
// symbols and one with numbers.
func (a *Analysis) symbolicSize(v liveness.Value) dim.Dim {
	if v.Scope != a.Numbers.Main {
		return dim.Unknown()
	}
	return a.Symbolic.Main.Facts[v.ID].Type.Bytes()
}

// appears is 1 at those sizes of the dynamic dimensions at which a storage takes
// memory, and 0 at others. What is known before the model runs takes none, and
// of values that grow with a dim inference follows the small ones only: such a
// storage is there from min(1, elements // (limit + 1)) on, and wherever a
// storage is that it is computed from.
func (a *Analysis) appears(p *liveness.Program, id liveness.StorageID, memo map[liveness.StorageID]dim.Dim) dim.Dim {
	s := p.Storage(id)
	switch s.Kind {
	case liveness.Folded:
	case liveness.Weight:
		return dim.Int(0)
	default:
		return dim.Int(1)
	}
	if d, ok := memo[id]; ok {
		return d
	}
	memo[id] = dim.Unknown() // of a storage that is computed from itself
	if s.Value.Scope != a.Numbers.Main {
		return dim.Unknown()
	}
	there := a.outgrows(s)
	if step, ok := p.Maker(id); ok {
		if def := step.Info().Op; def != nil && def.ShapeOnly {
			memo[id] = there
			return there
		}
		for _, in := range step.Reads {
			if in != liveness.NoStorage && in != id {
				there = dim.Max(there, a.appears(p, in, memo))
			}
		}
	}
	memo[id] = there
	return there
}

// outgrows is 1 where a value has more elements than inference follows, else 0.
func (a *Analysis) outgrows(s *liveness.Storage) dim.Dim {
	limit := int64(tensor.MaxInts)
	t := a.Symbolic.Main.Facts[s.Value.ID].Type
	if t.DType.IsFloat() {
		limit = tensor.MaxFloats
	}
	return dim.Min(dim.Int(1), dim.FloorDiv(t.Shape.Elements(), dim.Int(limit+1)))
}
