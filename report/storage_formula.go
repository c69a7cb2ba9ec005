package report

import (
	"onnxmem/report/memory/liveness"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// storageFormula is the size of a storage over the open symbols, empty where it
// is not known.
func (a *Analysis) storageFormula(s *liveness.Storage) string {
	if len(a.Symbolic.FreeSymbols) == 0 {
		return ""
	}
	size := dim.Mul(a.symbolicSize(s.Value), a.appears(s))
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

// appears is 1 at those sizes of the open dims at which a storage takes memory,
// and 0 at others. What is known before the model runs takes none, and of
// values that grow with a dim inference follows the small ones only: such a
// storage is there from min(1, elements // (limit + 1)) on.
func (a *Analysis) appears(s *liveness.Storage) dim.Dim {
	if s.Kind != liveness.Folded {
		return dim.Int(1)
	}
	if s.Value.Scope != a.Numbers.Main {
		return dim.Unknown()
	}
	limit := int64(tensor.MaxInts)
	t := a.Symbolic.Main.Facts[s.Value.ID].Type
	if t.DType.IsFloat() {
		limit = tensor.MaxFloats
	}
	return dim.Min(dim.Int(1), dim.FloorDiv(t.Shape.Elements(), dim.Int(limit+1)))
}
