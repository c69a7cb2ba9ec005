package shapeinfer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/tensor"
)

// This file finds calls of a function that give the same types.

// followedElements is how many elements of an argument a signature spells out;
// larger values, tensors and graphs count by identity.
const followedElements = 64

// callSignature is equal for calls of a function that give the same types. It
// holds the function, what is known of the arguments, and the attributes. A
// function without imports of its own has those of the caller.
func (f *scopeInference) callSignature(body *onnxgraph.Scope, arguments []tensor.Fact, attrs map[string]*onnxgraph.Attribute) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%p", body)
	if len(body.Function.OpsetImports) == 0 {
		fmt.Fprintf(&b, "%v", f.imports)
	}
	for _, a := range arguments {
		b.WriteByte('\n')
		writeType(&b, a.Type)
		if a.Value != nil {
			writeElements(&b, a.Value)
		}
		if a.Items != nil {
			fmt.Fprintf(&b, " of %d", len(a.Items))
			for _, t := range a.Items {
				writeType(&b, t)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		a := attrs[name]
		fmt.Fprintf(&b, "\n%q %d %v %d %q %v %v %q", name, a.Type, a.Float, a.Int, a.String, a.Floats, a.Ints, a.Strings)
		fmt.Fprintf(&b, " %p %p %p %p", a.Tensor, a.Graph, a.SparseTensor, a.TypeProto)
		fmt.Fprintf(&b, " %p %p %p %p", a.Tensors, a.Graphs, a.SparseTensors, a.TypeProtos)
	}
	return b.String()
}

// writeType writes a type with the kind of each level, which the printed form
// leaves out where the element type is unknown.
func writeType(b *strings.Builder, t tensor.Type) {
	for ; ; t = *t.Elem {
		fmt.Fprintf(b, " %d %d %d %s", t.Kind, t.Key, t.DType, t.Shape)
		if t.Elem == nil {
			return
		}
	}
}

func writeElements(b *strings.Builder, v *tensor.Value) {
	if len(v.Elems) > followedElements {
		fmt.Fprintf(b, " %p", v)
		return
	}
	for _, x := range v.Elems {
		switch {
		case x.IsText:
			fmt.Fprintf(b, " %q", x.Text)
		case x.IsFloat:
			fmt.Fprintf(b, " float %v", x.Float)
		default:
			b.WriteString(" " + x.Num.String())
		}
	}
}
