package onnxgraph

// A Tensor is a stored constant (TensorProto). Its payload stays in the file,
// or in a file beside it, until one of the reading methods asks for it.
type Tensor struct {
	Name      string
	Dims      []int64
	DType     DType
	DocString string
	Metadata  []StringEntry
	Segment   *Segment

	// External says that data_location is EXTERNAL: the payload lies in
	// another file, at ExternalData["location"].
	External     bool
	ExternalData []StringEntry

	// Payloads are the value fields that the file holds for this tensor, in
	// file order. A correct tensor has at most one kind of them.
	Payloads []Payload

	Extent Extent // of the TensorProto in the model file; of its first part when the file repeats it
	data   *source
}

// A Segment marks a tensor that holds a part of a larger one. No exporter is
// known to write it.
type Segment struct {
	Begin, End int64
}

// A PayloadField names the TensorProto field in which values are stored.
type PayloadField uint8

// The value fields of TensorProto.
const (
	FloatData PayloadField = iota + 1
	Int32Data
	StringData
	Int64Data
	RawData
	DoubleData
	Uint64Data
)

// A Payload is one run of values in the model file: a bytes field, a packed
// repeated field, or one element of an unpacked one.
type Payload struct {
	Field  PayloadField
	Packed bool // FloatData, Int32Data ... as one packed run; else one element
	Extent Extent
}

// A SparseTensor is a stored constant in coordinate form (SparseTensorProto).
type SparseTensor struct {
	Values  *Tensor // may be nil in a wrong file; its Name names the whole
	Indices *Tensor // may be nil in a wrong file
	Dims    []int64
}

// Elements is the number of elements of t: the product of its dims. ok is
// false when a dim is negative or the product passes 2^63 - 1.
func (t *Tensor) Elements() (n int64, ok bool) {
	return ElementCount(t.Dims)
}

// ElementCount is the product of dims; ok is false when a dim is negative or
// the product passes 2^63 - 1. No dims make a scalar, which has one element.
func ElementCount(dims []int64) (n int64, ok bool) {
	n = 1
	overflow := false // a later zero still makes the product zero
	for _, d := range dims {
		if d < 0 {
			return 0, false
		}
		if d != 0 && n > (1<<63-1)/d {
			overflow = true
			continue
		}
		n *= d
	}
	if overflow && n != 0 {
		return 0, false
	}
	return n, true
}

// Bytes is the size of t in memory, in bytes: elements times bits, divided by
// eight and rounded up, so that 4-bit and 2-bit elements count as packed. ok
// is false for strings, unknown types and sizes that do not fit.
func (t *Tensor) Bytes() (n int64, ok bool) {
	elements, ok := t.Elements()
	if !ok {
		return 0, false
	}
	return ByteSize(t.DType, elements)
}

// ByteSize is the size of that many elements of type d, in bytes, packed.
func ByteSize(d DType, elements int64) (n int64, ok bool) {
	bits := int64(d.Bits())
	if bits == 0 || elements < 0 {
		return 0, false
	}
	if bits >= 8 {
		size := bits / 8
		if elements > (1<<63-1)/size {
			return 0, false
		}
		return elements * size, true
	}
	if elements > (1<<63-8)/bits {
		return 0, false
	}
	return (elements*bits + 7) / 8, true
}
