package onnxgraph

// This file reads what a file says of stored tensors, and leaves their values
// where they are.

// tensor reads a TensorProto into t, which is nil unless the file repeats it.
// Payloads are noted, not read.
func (d *decoder) tensor(t *Tensor, index int) *Tensor {
	if t == nil {
		t = d.tensors.new()
		t.Extent = d.extent()
		t.data = d.data
	}
	d.Enter(index)
	d.tensorFields(t)
	d.Leave()
	return t
}

// tensorFields reads the fields of a TensorProto.
func (d *decoder) tensorFields(t *Tensor) {
	for d.Next() {
		switch d.Number() {
		case 1:
			t.Dims = d.AppendInt64s(t.Dims)
		case 2:
			t.DType = DType(d.Int32())
		case 3:
			d.segment(t)
		case 8:
			t.Name = d.Text()
		case 12:
			t.DocString = d.Text()
		case 13:
			t.ExternalData = d.stringEntries(t.ExternalData)
		case 14:
			t.External = d.Int32() == dataLocationExternal
		case 16:
			t.Metadata = d.stringEntries(t.Metadata)
		default:
			d.payload(t)
		}
	}
	if t.External && len(t.Payloads) > 0 {
		d.odd(SeveralValues, "external_data", t.Payloads[0].Extent.Offset)
	}
}

// dataLocationExternal is TensorProto.DataLocation.EXTERNAL.
const dataLocationExternal = 1

// payloadFields maps the field numbers of TensorProto that hold values.
var payloadFields = [...]PayloadField{
	4: FloatData, 5: Int32Data, 6: StringData, 7: Int64Data, 9: RawData, 10: DoubleData, 11: Uint64Data,
}

// payload notes the place of the current value, a value field of t, and moves
// past it. A packed run of length zero holds nothing and is not noted.
func (d *decoder) payload(t *Tensor) {
	p := Payload{Field: payloadFields[d.Number()], Extent: d.extent()}
	p.Packed = d.Packed() && p.Field != RawData && p.Field != StringData
	if p.Packed && p.Extent.Length == 0 {
		return
	}
	if n := len(t.Payloads); n > 0 && t.Payloads[n-1].Field != p.Field {
		d.odd(SeveralValues, d.FieldName(), p.Extent.Offset)
	}
	t.Payloads = append(t.Payloads, p)
	d.Skip()
}

// segment reads a TensorProto.Segment.
func (d *decoder) segment(t *Tensor) {
	if t.Segment == nil {
		t.Segment = new(Segment)
	}
	d.Enter(-1)
	for d.Next() {
		switch d.Number() {
		case 1:
			t.Segment.Begin = d.Int64()
		case 2:
			t.Segment.End = d.Int64()
		}
	}
	d.Leave()
}

// sparseTensor reads a SparseTensorProto into s, which is nil unless the file
// repeats it.
func (d *decoder) sparseTensor(s *SparseTensor, index int) *SparseTensor {
	if s == nil {
		s = new(SparseTensor)
	}
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			s.Values = d.tensor(s.Values, -1)
		case 2:
			s.Indices = d.tensor(s.Indices, -1)
		case 3:
			s.Dims = d.AppendInt64s(s.Dims)
		}
	}
	d.Leave()
	return s
}
