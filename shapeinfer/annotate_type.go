package shapeinfer

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// encodeType is t as a file declares it, nil when the file format cannot say
// what is known. Sizes that depend on tensor values are left dynamic
// unless data is set.
func encodeType(t tensor.Type, data bool) *onnxgraph.Type {
	out := &onnxgraph.Type{Kind: t.Kind}
	switch t.Kind {
	case onnxgraph.KindTensor, onnxgraph.KindSparseTensor:
		if !t.DType.Valid() {
			return nil
		}
		out.DType, out.Shape = t.DType, encodeShape(t.Shape, data)
		return out
	case onnxgraph.KindMap:
		if out.Key = t.Key; !t.Key.Valid() {
			return nil
		}
	case onnxgraph.KindSequence, onnxgraph.KindOptional:
	default:
		return nil
	}
	if t.Elem == nil {
		return nil
	}
	out.Elem = encodeType(*t.Elem, data)
	if out.Elem == nil {
		return nil
	}
	return out
}

func encodeShape(s tensor.Shape, data bool) *onnxgraph.Shape {
	if !s.Ranked() {
		return nil
	}
	dims := make([]onnxgraph.Dim, s.Rank())
	for i, d := range s.Dims() {
		if data || !d.HasDataDependent() {
			dims[i] = encodeDim(d)
		}
	}
	return &onnxgraph.Shape{Dims: dims}
}

func encodeDim(d dim.Dim) onnxgraph.Dim {
	switch n, number := d.Int(); {
	case number && n >= 0:
		return onnxgraph.Dim{Value: n, HasValue: true}
	case d.IsSymbolic():
		return onnxgraph.Dim{Param: d.String()}
	}
	return onnxgraph.Dim{}
}

// commonType is what two encoded types agree in, nil when that says nothing.
func commonType(a, b *onnxgraph.Type) *onnxgraph.Type {
	if a == nil || b == nil || a.Kind != b.Kind || a.DType != b.DType || a.Key != b.Key {
		return nil
	}
	out := *a
	if a.Elem != nil {
		if out.Elem = commonType(a.Elem, b.Elem); out.Elem == nil {
			return nil
		}
	}
	if a.Shape == nil || b.Shape == nil || len(a.Shape.Dims) != len(b.Shape.Dims) {
		out.Shape = nil
		return &out
	}
	out.Shape = &onnxgraph.Shape{Dims: make([]onnxgraph.Dim, len(a.Shape.Dims))}
	for i, d := range a.Shape.Dims {
		if d == b.Shape.Dims[i] {
			out.Shape.Dims[i] = d
		}
	}
	return &out
}

// A completion adds what was found to a declared type.
type completion struct {
	correct bool // what was found wins where the two differ
	bound   bool // declared sizes may not hold under the caller's bindings
	changed bool
}

// typ returns the completed type. Denotations stay where the dims do.
func (c *completion) typ(declared, found *onnxgraph.Type) *onnxgraph.Type {
	switch {
	case found == nil:
		return declared
	case declared == nil || declared.Kind == onnxgraph.KindUnset:
		c.changed = true
		return found
	case declared.Kind != found.Kind:
		return c.either(declared, found)
	}
	out := *declared
	if out.DType == onnxgraph.Undefined && found.DType != onnxgraph.Undefined {
		out.DType, c.changed = found.DType, true
	} else if out.DType != found.DType || out.Key != found.Key {
		return c.either(declared, found)
	}
	if found.Elem != nil {
		out.Elem = c.typ(declared.Elem, found.Elem)
	}
	out.Shape = c.shape(declared.Shape, found.Shape)
	return &out
}

// either is the type that counts of two that contradict each other.
func (c *completion) either(declared, found *onnxgraph.Type) *onnxgraph.Type {
	if !c.correct {
		return declared
	}
	c.changed = true
	return found
}

func (c *completion) shape(declared, found *onnxgraph.Shape) *onnxgraph.Shape {
	switch {
	case found == nil:
		return declared
	case declared == nil || len(declared.Dims) != len(found.Dims) && c.correct:
		c.changed = true
		return found
	case len(declared.Dims) != len(found.Dims):
		return declared
	}
	out := &onnxgraph.Shape{Dims: make([]onnxgraph.Dim, len(found.Dims))}
	for i, d := range declared.Dims {
		out.Dims[i] = d
		if f := found.Dims[i]; c.takes(d, f) {
			f.Denotation = d.Denotation
			out.Dims[i], c.changed = f, true
		}
	}
	return out
}

// takes reports whether a found dim takes the place of a declared one.
func (c *completion) takes(declared, found onnxgraph.Dim) bool {
	dynamic := isDynamic(declared)
	switch {
	case !found.HasValue && found.Param == "":
		return !dynamic && c.bound && c.correct
	case dynamic:
		return true
	}
	return c.correct && !agrees(declared, found)
}

// agrees reports whether two dims that say something say the same.
func agrees(a, b onnxgraph.Dim) bool {
	if a.HasValue != b.HasValue || a.Value != b.Value {
		return false
	}
	if a.Param == b.Param {
		return true
	}
	x, err := dim.Parse(a.Param)
	y, err2 := dim.Parse(b.Param)
	return err == nil && err2 == nil && dim.Equal(x, y)
}
