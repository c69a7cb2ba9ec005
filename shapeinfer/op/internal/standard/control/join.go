package control

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file joins what is known of a value on two ways to it: the branches of
// a condition, or the iterations of a loop.

// joinTypes is the type that covers both a and b. differ decides what stands
// for two dims that are not provably equal. A type and an optional of it make
// an optional. ok is false when the kinds or element types contradict each
// other.
func joinTypes(a, b tensor.Type, differ func(axis int, a, b dim.Dim) dim.Dim) (t tensor.Type, ok bool) {
	switch {
	case a.Kind == onnxgraph.KindUnset:
		return withoutShape(b), true
	case b.Kind == onnxgraph.KindUnset:
		return withoutShape(a), true
	case a.Kind == onnxgraph.KindOptional && b.Kind != a.Kind && a.Elem != nil:
		elem, ok := joinTypes(*a.Elem, b, differ)
		return tensor.OptionalOf(elem), ok
	case b.Kind == onnxgraph.KindOptional && b.Kind != a.Kind && b.Elem != nil:
		elem, ok := joinTypes(a, *b.Elem, differ)
		return tensor.OptionalOf(elem), ok
	case a.Kind != b.Kind:
		return a, false
	}
	t = a
	if t.DType == onnxgraph.Undefined {
		t.DType = b.DType
	}
	if t.Key == onnxgraph.Undefined {
		t.Key = b.Key
	}
	ok = agree(a.DType, b.DType) && agree(a.Key, b.Key)
	t.Shape = joinShapes(a.Shape, b.Shape, differ)
	switch {
	case a.Elem != nil && b.Elem != nil:
		elem, same := joinTypes(*a.Elem, *b.Elem, differ)
		t.Elem, ok = &elem, ok && same
	case b.Elem != nil:
		t.Elem = b.Elem
	}
	return t, ok
}

func agree(a, b onnxgraph.DType) bool {
	return a == b || a == onnxgraph.Undefined || b == onnxgraph.Undefined
}

// joinShapes covers both shapes. Its rank is unknown where the ranks differ.
func joinShapes(a, b tensor.Shape, differ func(axis int, a, b dim.Dim) dim.Dim) tensor.Shape {
	if !a.Ranked() || a.Rank() != b.Rank() {
		return tensor.Shape{}
	}
	if a.Equal(b) {
		return a
	}
	out := a.Clone()
	for i, d := range out {
		if !dim.Equal(d, b.At(i)) {
			out[i] = differ(i, d, b.At(i))
		}
	}
	return tensor.MakeShape(out...)
}

// unknownDim stands for dims that differ within a sequence, where no symbol
// can: it would be a different number for each element.
func unknownDim(int, dim.Dim, dim.Dim) dim.Dim { return dim.Unknown() }

// withoutShape keeps of a type what does not depend on the shape.
func withoutShape(t tensor.Type) tensor.Type {
	return t.MapInner(func(inner tensor.Type) tensor.Type {
		inner.Shape = tensor.Shape{}
		return inner
	})
}

// joinValues keeps the elements that are the same in both; nil when none are.
func joinValues(a, b *tensor.Value) *tensor.Value {
	if a == b {
		return a
	}
	if a == nil || b == nil || len(a.Elems) != len(b.Elems) || !a.Shape().Equal(b.Shape()) {
		return nil
	}
	v := &tensor.Value{DType: a.DType, Dims: a.Dims, Elems: make([]tensor.Scalar, len(a.Elems))}
	known := len(v.Elems) == 0
	for i, x := range a.Elems {
		if x.IsKnown() && sameElement(x, b.Elems[i]) {
			v.Elems[i], known = x, true
		}
	}
	if !known {
		return nil
	}
	return v
}

// sameElement reports whether two elements are provably one and the same.
func sameElement(a, b tensor.Scalar) bool {
	switch {
	case a.IsText || b.IsText:
		return a.IsText && b.IsText && a.Text == b.Text
	case a.IsFloat || b.IsFloat:
		return a.IsFloat && b.IsFloat && a.Float == b.Float
	}
	return dim.Equal(a.Num, b.Num)
}

// joinItems keeps the element types of two sequences of one length whose
// elements are the same; nil otherwise.
func joinItems(a, b []tensor.Type) []tensor.Type {
	if a == nil || b == nil || len(a) != len(b) {
		return nil
	}
	for i := range a {
		if !sameType(a[i], b[i]) {
			return nil
		}
	}
	return a
}

// sameType reports whether two types are provably the same and fully known.
func sameType(a, b tensor.Type) bool {
	switch {
	case a.Kind != b.Kind || a.DType != b.DType || a.Key != b.Key:
		return false
	case a.Elem != nil && b.Elem != nil:
		return sameType(*a.Elem, *b.Elem)
	case a.Elem != nil || b.Elem != nil:
		return false
	}
	return a.Shape.Equal(b.Shape)
}

// joinFacts joins all that is known of a value on two ways. An empty sequence
// says nothing of the elements that it does not have.
func joinFacts(a, b tensor.Fact, differ func(axis int, a, b dim.Dim) dim.Dim) (tensor.Fact, bool) {
	inside := differ
	if a.Type.Elem != nil || b.Type.Elem != nil {
		inside = unknownDim
	}
	left, right := a.Type, b.Type
	if left.Kind == onnxgraph.KindSequence && right.Kind == onnxgraph.KindSequence {
		if a.Items != nil && len(a.Items) == 0 {
			left = fullerElem(left, right)
		}
		if b.Items != nil && len(b.Items) == 0 {
			right = fullerElem(right, left)
		}
	}
	t, ok := joinTypes(left, right, inside)
	return tensor.Fact{Type: t, Value: joinValues(a.Value, b.Value), Items: joinItems(a.Items, b.Items), Declared: a.Declared || b.Declared}, ok
}

// fullerElem gives an empty sequence the elements' shape of another one.
func fullerElem(empty, other tensor.Type) tensor.Type {
	if empty.Elem == nil || other.Elem == nil || !agree(empty.Elem.DType, other.Elem.DType) || empty.Elem.Kind != other.Elem.Kind {
		return empty
	}
	return other
}
