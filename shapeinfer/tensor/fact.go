package tensor

import (
	"strconv"
	"strings"

	"onnxmem/onnxgraph"
)

// A Fact is all that is known of one value of a graph.
type Fact struct {
	Type  Type
	Value *Value // nil when the elements are not followed
	// Items holds the type of each element of a sequence whose length is
	// known; nil where it is not. An empty sequence has no elements, not nil.
	Items []Type
	// Declared says that the type was taken from the file's declaration since
	// inference could not tell.
	Declared bool
	// Reason says why something is unknown; empty when all is known.
	Reason string
}

// printedElements is how many elements [Fact.String] prints.
const printedElements = 16

// String prints the type, and behind it the elements where they are followed
// and few: FLOAT[8,1000], INT64[2] = [batch,4], BOOL[] = true. What is not known
// prints as "?".
func (f Fact) String() string {
	if f.Value == nil || len(f.Value.Elems) > printedElements {
		return f.Type.String()
	}
	elems := make([]string, len(f.Value.Elems))
	for i, x := range f.Value.Elems {
		elems[i] = f.Value.print(x)
	}
	list := strings.Join(elems, ",")
	if len(f.Value.Dims) > 0 {
		list = "[" + list + "]"
	}
	return f.Type.String() + " = " + list
}

// print writes an element of v as its type has it: true and false for bools,
// decimals for floats.
func (v *Value) print(x Scalar) string {
	if n, ok := x.Int64(); ok && v.DType == onnxgraph.Bool {
		return strconv.FormatBool(n != 0)
	}
	if f, ok := x.Float64(); ok && v.DType.IsFloat() {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return x.String()
}

// String prints the element: a number or an expression, a quoted text, and "?"
// where nothing is known.
func (x Scalar) String() string {
	switch {
	case x.IsText:
		return strconv.Quote(x.Text)
	case x.IsFloat:
		return strconv.FormatFloat(x.Float, 'g', -1, 64)
	}
	return x.Num.String()
}
