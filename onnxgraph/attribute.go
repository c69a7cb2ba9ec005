package onnxgraph

// An AttributeType says which field of an Attribute holds its value
// (AttributeProto.AttributeType).
type AttributeType int32

// The attribute types, numbered as in onnx.proto.
const (
	AttributeUndefined     AttributeType = 0
	AttributeFloat         AttributeType = 1
	AttributeInt           AttributeType = 2
	AttributeString        AttributeType = 3
	AttributeTensor        AttributeType = 4
	AttributeGraph         AttributeType = 5
	AttributeFloats        AttributeType = 6
	AttributeInts          AttributeType = 7
	AttributeStrings       AttributeType = 8
	AttributeTensors       AttributeType = 9
	AttributeGraphs        AttributeType = 10
	AttributeSparseTensor  AttributeType = 11
	AttributeSparseTensors AttributeType = 12
	AttributeTypeProto     AttributeType = 13
	AttributeTypeProtos    AttributeType = 14
)

// An Attribute is a constant argument of a node (AttributeProto). Type is the
// declared type or, in files that declare none (IR version 1 has no such
// field), the type of the value field that is set.
type Attribute struct {
	Name          string
	RefAttrName   string // inside functions: the name of the function's attribute that gives the value
	DocString     string
	Type          AttributeType
	DeclaredType  AttributeType // as written; AttributeUndefined when it is not
	Float         float32
	Int           int64
	String        string // bytes; the format asks for UTF-8 but does not enforce it
	Tensor        *Tensor
	Graph         *Graph
	SparseTensor  *SparseTensor
	TypeProto     *Type
	Floats        []float32
	Ints          []int64
	Strings       []string
	Tensors       []*Tensor
	Graphs        []*Graph
	SparseTensors []*SparseTensor
	TypeProtos    []*Type
	// Set says which value fields occur in the file, as a bit set over
	// AttributeType: a correct attribute has one, an empty list none.
	Set    uint32
	Extent Extent
}
