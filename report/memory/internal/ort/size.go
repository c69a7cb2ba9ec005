package ort

import (
	"onnxmem/onnxgraph"
	"onnxmem/report/memory"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// stringBytes is what the runtime requests for one element of a string tensor:
// a std::string of the usual 64-bit libraries, without its characters.
const stringBytes = 32

// sizeOf is what the runtime's arena gives for a value. Maps, and sequences of
// them, are containers of the language's own outside of it.
func sizeOf(t tensor.Type) memory.Size {
	if t.Kind == onnxgraph.KindMap || t.Kind == onnxgraph.KindSequence && t.Elem != nil && t.Elem.Kind == onnxgraph.KindMap {
		return memory.Size{}
	}
	if t.IsTensor() && t.DType == onnxgraph.String {
		t.DType = onnxgraph.Uint8
		return memory.SizeOf(t).Times(stringBytes)
	}
	return memory.SizeOf(t)
}

// width is the size of an element for the planner's comparison; types below a
// byte count as one.
func width(d onnxgraph.DType) int { return max(d.Bits(), 8) }

// nameOf returns the name of a dim that is nothing but a name. The planner
// knows no expressions.
func nameOf(d dim.Dim) (string, bool) {
	if !d.IsKnown() {
		return "", false
	}
	names := d.Symbols()
	if len(names) != 1 || !dim.Equal(d, dim.Symbol(names[0])) {
		return "", false
	}
	return names[0], true
}
