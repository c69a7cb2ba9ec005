package onnxgraph

import "math/bits"

// This file reads attributes.

// attribute reads an AttributeProto.
func (d *decoder) attribute(index int) *Attribute {
	a := d.attributes.new()
	a.Extent = d.extent()
	ints := d.ints.mark()
	d.Enter(index)
	for d.Next() {
		at, set := d.Offset(), a.Set
		switch d.Number() {
		case 1:
			a.Name = d.Text()
		case 13:
			a.DocString = d.Text()
		case 20:
			a.DeclaredType = AttributeType(d.Int32())
		case 21:
			a.RefAttrName = d.Text()
		case 2:
			a.Float = d.Float32()
			a.has(AttributeFloat)
		case 3:
			a.Int = d.Int64()
			a.has(AttributeInt)
		case 4:
			a.String = d.Text()
			a.has(AttributeString)
		case 5:
			a.Tensor = d.tensor(a.Tensor, -1)
			a.has(AttributeTensor)
		case 6:
			a.Graph = d.graph(a.Graph, -1)
			a.has(AttributeGraph)
		case 14:
			a.TypeProto = d.typ(a.TypeProto, -1)
			a.has(AttributeTypeProto)
		case 22:
			a.SparseTensor = d.sparseTensor(a.SparseTensor, -1)
			a.has(AttributeSparseTensor)
		default:
			d.attributeList(a, ints)
		}
		if set != 0 && set != a.Set {
			d.odd(SeveralValues, d.FieldName(), at)
		}
	}
	d.Leave()
	a.Ints = d.ints.take(ints)
	a.Type = a.DeclaredType
	if a.Type == AttributeUndefined && a.RefAttrName == "" {
		a.Type = a.firstSet()
	}
	return a
}

// attributeList reads the current value of one of AttributeProto's lists. Ints,
// by far the most frequent one, collect in d.ints from the given mark on.
func (d *decoder) attributeList(a *Attribute, ints int) {
	switch d.Number() {
	case 7:
		if a.Floats = d.AppendFloat32s(a.Floats); len(a.Floats) > 0 {
			a.has(AttributeFloats)
		}
	case 8:
		if d.ints.items = d.AppendInt64s(d.ints.items); d.ints.mark() > ints {
			a.has(AttributeInts)
		}
	case 9:
		a.Strings = append(a.Strings, d.Text())
		a.has(AttributeStrings)
	case 10:
		a.Tensors = append(a.Tensors, d.tensor(nil, len(a.Tensors)))
		a.has(AttributeTensors)
	case 11:
		a.Graphs = append(a.Graphs, d.graph(nil, len(a.Graphs)))
		a.has(AttributeGraphs)
	case 15:
		a.TypeProtos = append(a.TypeProtos, d.typ(nil, len(a.TypeProtos)))
		a.has(AttributeTypeProtos)
	case 23:
		a.SparseTensors = append(a.SparseTensors, d.sparseTensor(nil, len(a.SparseTensors)))
		a.has(AttributeSparseTensors)
	}
}

// has notes that the file holds the value field of type t.
func (a *Attribute) has(t AttributeType) { a.Set |= 1 << t }

// Has reports whether the file holds the value field of type t.
func (a *Attribute) Has(t AttributeType) bool { return t >= 0 && t < 32 && a.Set>>t&1 != 0 }

// firstSet is the lowest type whose field is set, AttributeUndefined when none
// is: the rule of IR version 1, whose attributes have no type.
func (a *Attribute) firstSet() AttributeType {
	if a.Set == 0 {
		return AttributeUndefined
	}
	return AttributeType(bits.TrailingZeros32(a.Set))
}
