package onnxgraph

import "strconv"

// A DType is the element type of a tensor (TensorProto.DataType).
type DType int32

// The element types, numbered as in onnx.proto.
const (
	Undefined      DType = 0
	Float          DType = 1
	Uint8          DType = 2
	Int8           DType = 3
	Uint16         DType = 4
	Int16          DType = 5
	Int32          DType = 6
	Int64          DType = 7
	String         DType = 8
	Bool           DType = 9
	Float16        DType = 10
	Double         DType = 11
	Uint32         DType = 12
	Uint64         DType = 13
	Complex64      DType = 14
	Complex128     DType = 15
	Bfloat16       DType = 16
	Float8E4M3FN   DType = 17
	Float8E4M3FNUZ DType = 18
	Float8E5M2     DType = 19
	Float8E5M2FNUZ DType = 20
	Uint4          DType = 21
	Int4           DType = 22
	Float4E2M1     DType = 23
	Float8E8M0     DType = 24
	Uint2          DType = 25
	Int2           DType = 26
	Float6E2M3     DType = 27
	Float6E3M2     DType = 28
)

// dtypes holds, per DType, its name in onnx.proto and its width in bits; a
// width of 0 means that elements have no fixed size.
var dtypes = [...]struct {
	name string
	bits int
}{
	Undefined:      {"UNDEFINED", 0},
	Float:          {"FLOAT", 32},
	Uint8:          {"UINT8", 8},
	Int8:           {"INT8", 8},
	Uint16:         {"UINT16", 16},
	Int16:          {"INT16", 16},
	Int32:          {"INT32", 32},
	Int64:          {"INT64", 64},
	String:         {"STRING", 0},
	Bool:           {"BOOL", 8},
	Float16:        {"FLOAT16", 16},
	Double:         {"DOUBLE", 64},
	Uint32:         {"UINT32", 32},
	Uint64:         {"UINT64", 64},
	Complex64:      {"COMPLEX64", 64},
	Complex128:     {"COMPLEX128", 128},
	Bfloat16:       {"BFLOAT16", 16},
	Float8E4M3FN:   {"FLOAT8E4M3FN", 8},
	Float8E4M3FNUZ: {"FLOAT8E4M3FNUZ", 8},
	Float8E5M2:     {"FLOAT8E5M2", 8},
	Float8E5M2FNUZ: {"FLOAT8E5M2FNUZ", 8},
	Uint4:          {"UINT4", 4},
	Int4:           {"INT4", 4},
	Float4E2M1:     {"FLOAT4E2M1", 4},
	Float8E8M0:     {"FLOAT8E8M0", 8},
	Uint2:          {"UINT2", 2},
	Int2:           {"INT2", 2},
	Float6E2M3:     {"FLOAT6E2M3", 6},
	Float6E3M2:     {"FLOAT6E3M2", 6},
}

// String is the name in onnx.proto, such as FLOAT or INT4.
func (d DType) String() string {
	if d.Valid() || d == Undefined {
		return dtypes[d].name
	}
	return "DType(" + strconv.Itoa(int(d)) + ")"
}

// Valid reports whether d is one of the types that the format defines.
func (d DType) Valid() bool {
	return d > Undefined && int(d) < len(dtypes)
}

// Bits is the width of one element in bits; 0 for strings and unknown types.
func (d DType) Bits() int {
	if !d.Valid() {
		return 0
	}
	return dtypes[d].bits
}

// ParseDType is the inverse of [DType.String].
func ParseDType(name string) (DType, bool) {
	for i, t := range dtypes {
		if i > 0 && t.name == name {
			return DType(i), true
		}
	}
	return Undefined, false
}

// IsFloat reports whether d is a real floating point type of any width.
func (d DType) IsFloat() bool {
	switch d {
	case Float, Float16, Double, Bfloat16, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ,
		Float4E2M1, Float8E8M0, Float6E2M3, Float6E3M2:
		return true
	}
	return false
}

// IsInteger reports whether d is a signed or unsigned integer type; BOOL is not.
func (d DType) IsInteger() bool {
	switch d {
	case Uint8, Int8, Uint16, Int16, Int32, Int64, Uint32, Uint64, Uint4, Int4, Uint2, Int2:
		return true
	}
	return false
}
