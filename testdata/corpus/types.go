package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A Type is the recorded type of a tensor, sequence, optional or map.
type Type struct {
	// DType is a name of TensorProto.DataType, SEQUENCE(FLOAT),
	// OPTIONAL(FLOAT), MAP(INT64,FLOAT) ... Empty when it is not known.
	DType string `json:"dtype"`
	// Shape is nil when the rank is not known, empty for a scalar. For
	// sequences and optionals it is the element's.
	Shape Shape `json:"shape"`
	// Length is the number of elements of a sequence that was run.
	Length *int `json:"length,omitempty"`
	// Absent marks an optional input without a value.
	Absent bool `json:"absent,omitempty"`
}

// String is FLOAT[1,batch,?], or FLOAT[...] when the rank is not known.
func (t Type) String() string {
	dtype := t.DType
	if dtype == "" {
		dtype = "?"
	}
	return dtype + t.Shape.String()
}

// A Shape is a list of dims; nil stands for an unknown rank.
type Shape []Dim

// Known reports whether the rank and all dims are numbers.
func (s Shape) Known() bool {
	for _, d := range s {
		if !d.IsNumber() {
			return false
		}
	}
	return s != nil
}

// Ints are the dims as numbers; ok is false when one of them is not.
func (s Shape) Ints() (dims []int64, ok bool) {
	if !s.Known() {
		return nil, false
	}
	dims = make([]int64, len(s))
	for i, d := range s {
		dims[i] = d.number
	}
	return dims, true
}

// String is [1,batch,?], or [...] when the rank is not known.
func (s Shape) String() string {
	if s == nil {
		return "[...]"
	}
	parts := make([]string, len(s))
	for i, d := range s {
		parts[i] = d.String()
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// A Dim is a number, a symbolic expression, or not known. The zero Dim is not
// known.
type Dim struct {
	kind   dimKind
	number int64
	expr   string
}

type dimKind uint8

const (
	dimUnknown dimKind = iota
	dimNumber
	dimSymbolic
)

// NumberDim is the dim of that value.
func NumberDim(n int64) Dim { return Dim{kind: dimNumber, number: n} }

// IsNumber reports whether d is a number.
func (d Dim) IsNumber() bool { return d.kind == dimNumber }

// IsSymbolic reports whether d is an expression over names.
func (d Dim) IsSymbolic() bool { return d.kind == dimSymbolic }

// IsUnknown reports whether nothing is recorded of d.
func (d Dim) IsUnknown() bool { return d.kind == dimUnknown }

// Number is the value of a dim that is a number.
func (d Dim) Number() int64 { return d.number }

// Expr is the text of a symbolic dim.
func (d Dim) Expr() string { return d.expr }

// String is the number, the expression, or a question mark.
func (d Dim) String() string {
	switch d.kind {
	case dimNumber:
		return strconv.FormatInt(d.number, 10)
	case dimSymbolic:
		return d.expr
	}
	return "?"
}

// UnmarshalJSON reads a number, a string or null.
func (d *Dim) UnmarshalJSON(data []byte) error {
	*d = Dim{}
	switch {
	case string(data) == "null":
		return nil
	case data[0] == '"':
		d.kind = dimSymbolic
		return json.Unmarshal(data, &d.expr)
	}
	d.kind = dimNumber
	return json.Unmarshal(data, &d.number)
}

// A Literal is the value of a tensor as recorded: a JSON list of numbers,
// booleans or strings, flat and row-major.
type Literal json.RawMessage

// UnmarshalJSON keeps the text.
func (l *Literal) UnmarshalJSON(data []byte) error {
	*l = bytes.Clone(data)
	return nil
}

// MarshalJSON is the text again.
func (l Literal) MarshalJSON() ([]byte, error) { return l, nil }

// String is the JSON text.
func (l Literal) String() string { return string(l) }

// Elements are the values as json.Number, bool or string. Numbers keep all
// their digits: some integers pass 2^53.
func (l Literal) Elements() ([]any, error) {
	d := json.NewDecoder(bytes.NewReader(l))
	d.UseNumber()
	var elements []any
	if err := d.Decode(&elements); err != nil {
		return nil, fmt.Errorf("corpus: literal %.40q: %w", string(l), err)
	}
	return elements, nil
}
