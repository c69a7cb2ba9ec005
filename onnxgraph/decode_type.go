package onnxgraph

// This file reads declared types and shapes.

// typ reads a TypeProto into t, which is nil unless the file repeats it. Its
// value is a oneof: the last kind counts, and repeats of that kind merge.
func (d *decoder) typ(t *Type, index int) *Type {
	if t == nil {
		t = d.types.new()
	}
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			d.kind(t, KindTensor)
			d.tensorType(t)
		case 4:
			d.kind(t, KindSequence)
			d.elemType(t)
		case 5:
			d.kind(t, KindMap)
			d.mapType(t)
		case 6:
			t.Denotation = d.Text()
		case 7:
			d.kind(t, KindOpaque)
			d.opaqueType(t)
		case 8:
			d.kind(t, KindSparseTensor)
			d.tensorType(t)
		case 9:
			d.kind(t, KindOptional)
			d.elemType(t)
		}
	}
	d.Leave()
	return t
}

// kind makes t a type of kind k, dropping what an earlier member of the oneof
// said.
func (d *decoder) kind(t *Type, k TypeKind) {
	if t.Kind != KindUnset && t.Kind != k {
		d.odd(SeveralValues, d.FieldName(), d.Offset())
		*t = Type{Denotation: t.Denotation}
	}
	t.Kind = k
}

// tensorType reads a TypeProto.Tensor or TypeProto.SparseTensor.
func (d *decoder) tensorType(t *Type) {
	d.Enter(-1)
	for d.Next() {
		switch d.Number() {
		case 1:
			t.DType = DType(d.Int32())
		case 2:
			d.shape(t)
		}
	}
	d.Leave()
}

// elemType reads a TypeProto.Sequence or TypeProto.Optional.
func (d *decoder) elemType(t *Type) {
	d.Enter(-1)
	for d.Next() {
		t.Elem = d.typ(t.Elem, -1)
	}
	d.Leave()
}

// mapType reads a TypeProto.Map.
func (d *decoder) mapType(t *Type) {
	d.Enter(-1)
	for d.Next() {
		switch d.Number() {
		case 1:
			t.Key = DType(d.Int32())
		case 2:
			t.Elem = d.typ(t.Elem, -1)
		}
	}
	d.Leave()
}

// opaqueType reads a TypeProto.Opaque.
func (d *decoder) opaqueType(t *Type) {
	d.Enter(-1)
	for d.Next() {
		switch d.Number() {
		case 1:
			t.OpaqueDomain = d.Text()
		case 2:
			t.OpaqueName = d.Text()
		}
	}
	d.Leave()
}

// shape reads a TensorShapeProto. Dims of a repeated shape append, as repeated
// fields do.
func (d *decoder) shape(t *Type) {
	if t.Shape == nil {
		t.Shape = d.shapes.new()
	}
	mark := d.dims.mark()
	d.Enter(-1)
	for d.Next() {
		d.dims.push(d.dim(len(t.Shape.Dims) + d.dims.mark() - mark))
	}
	d.Leave()
	dims := d.dims.take(mark)
	if t.Shape.Dims != nil {
		dims = append(t.Shape.Dims, dims...)
	}
	t.Shape.Dims = dims
}

// dim reads a TensorShapeProto.Dimension.
func (d *decoder) dim(index int) (dim Dim) {
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			d.dimValue(&dim)
		case 2:
			d.dimParam(&dim)
		case 3:
			dim.Denotation = d.Text()
		}
	}
	d.Leave()
	return dim
}

// dimValue and dimParam read the two members of a dimension's oneof: the last
// one in the file counts.

func (d *decoder) dimValue(dim *Dim) {
	d.bothDimMembers(dim.Param != "")
	dim.Value, dim.HasValue, dim.Param = d.Int64(), true, ""
}

func (d *decoder) dimParam(dim *Dim) {
	d.bothDimMembers(dim.HasValue)
	dim.Value, dim.HasValue, dim.Param = 0, false, d.Text()
}

func (d *decoder) bothDimMembers(both bool) {
	if both {
		d.odd(SeveralValues, d.FieldName(), d.Offset())
	}
}
