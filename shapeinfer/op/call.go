package op

import (
	"fmt"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// An Engine is what a Call needs of the inference that runs it. It belongs to
// the goroutine of the call.
type Engine interface {
	// Value returns the elements of input slot i, read on demand when it is a
	// stored tensor; nil when they are not known or too many.
	Value(i int) *tensor.Value
	// TensorValue reads the elements of a tensor in an attribute; nil when
	// they can't be had.
	TensorValue(t *onnxgraph.Tensor) *tensor.Value
	// NewSymbol makes a symbol for a dim that depends on run-time values, named
	// after output slot o and the axis, at least lo and at most upper, which
	// may be unknown. Slots behind the last output are for symbols inside a
	// subgraph.
	NewSymbol(o, axis int, lo int64, upper dim.Dim) dim.Dim
	// SettleDim says that the node takes no other size for a dim of input slot
	// than one. It reports whether that will be its size: where the dim is a
	// symbol of an input of the model that the caller has not set, the model is
	// inferred again with it.
	SettleDim(slot, axis int, size int64, why string) bool
	// InferSubgraph infers the graph in an attribute of the node with the given
	// facts for its inputs and returns those of its outputs. Calling it again
	// replaces what was recorded of the subgraph before.
	InferSubgraph(attr string, inputs []tensor.Fact) ([]tensor.Fact, error)
	// DefinedIn reports whether d holds a symbol that NewSymbol made inside the
	// graph in an attribute of the node: each run of the graph gives it another
	// number.
	DefinedIn(attr string, d dim.Dim) bool
	// SubgraphInputs returns the number of inputs that the graph in an attribute
	// takes from its node: those that no initializer fills.
	SubgraphInputs(attr string) int
	// SkipSubgraph records that the graph in an attribute never runs.
	SkipSubgraph(attr string)
	// Warn adds a diagnostic that does not stop inference.
	Warn(code, message string)
}

// A Call is one node under inference: its attributes, what is known of its
// inputs, and the place for what becomes known of its outputs. It belongs to the
// one goroutine that infers the node, and to that only until the rule returns.
type Call struct {
	Node   *onnxgraph.Node
	Op     *Op
	Since  int   // the version of the operator in force
	Opset  int64 // the imported version of its domain
	Engine Engine

	// Inputs holds one fact per input slot; nil where it is left out.
	Inputs []*tensor.Fact
	// Outputs holds one fact per output slot, for Infer to fill.
	Outputs []tensor.Fact
}

var nothing = tensor.Fact{}

// Has reports whether input slot i is given.
func (c *Call) Has(i int) bool { return i >= 0 && i < len(c.Inputs) && c.Inputs[i] != nil }

// In returns what is known of input slot i; an empty fact when it is not given.
func (c *Call) In(i int) *tensor.Fact {
	if c.Has(i) {
		return c.Inputs[i]
	}
	return &nothing
}

// Type returns the type of input slot i.
func (c *Call) Type(i int) tensor.Type { return c.In(i).Type }

// DType returns the element type of input slot i, Undefined when unknown.
func (c *Call) DType(i int) onnxgraph.DType { return c.In(i).Type.DType }

// Shape returns the shape of input slot i, unknown when it is no tensor.
func (c *Call) Shape(i int) tensor.Shape { return c.In(i).Type.Shape }

// Value returns the elements of input slot i, nil when they are not known.
func (c *Call) Value(i int) *tensor.Value {
	if !c.Has(i) {
		return nil
	}
	if v := c.Inputs[i].Value; v != nil {
		return v
	}
	return c.Engine.Value(i)
}

// Dims returns the elements of input slot i, a scalar or vector of integers,
// with unknown ones unknown. ok is false when not even their number is known.
func (c *Call) Dims(i int) (elems []dim.Dim, ok bool) {
	v := c.Value(i)
	if v == nil {
		return nil, false
	}
	return v.Numbers(), true
}

// Ints returns the elements of input slot i as integers; ok is false when one
// of them is not a known number.
func (c *Call) Ints(i int) (elems []int64, ok bool) {
	v := c.Value(i)
	if v == nil {
		return nil, false
	}
	return v.Int64s()
}

// Wants reports whether output slot o exists and has a name.
func (c *Call) Wants(o int) bool { return o < len(c.Node.Outputs) && c.Node.Outputs[o] != "" }

// SetType sets the type of output slot o, if there is such a slot.
func (c *Call) SetType(o int, t tensor.Type) {
	if o < len(c.Outputs) {
		c.Outputs[o].Type = t
	}
}

// Set sets output slot o to a dense tensor.
func (c *Call) Set(o int, d onnxgraph.DType, s tensor.Shape) { c.SetType(o, tensor.Of(d, s)) }

// SetValue sets output slot o to known elements, type included.
func (c *Call) SetValue(o int, v *tensor.Value) {
	if o < len(c.Outputs) {
		c.Outputs[o].Type, c.Outputs[o].Value = v.Type(), v
	}
}

// Unknown says why output slot o is not, or not fully, known.
func (c *Call) Unknown(o int, format string, args ...any) {
	if o < len(c.Outputs) {
		c.Outputs[o].Reason = fmt.Sprintf(format, args...)
	}
}

// NewSymbol makes a symbol for a dim of output slot o that depends on run-time
// values: at least lo, at most upper, which may be unknown.
func (c *Call) NewSymbol(o, axis int, lo int64, upper dim.Dim) dim.Dim {
	return c.Engine.NewSymbol(o, axis, lo, upper)
}

// An Error is a node whose inputs or attributes are invalid for its operator.
type Error struct {
	Code    string // append-only: see the constants Code...
	Message string
}

// Error says what is wrong; the engine adds the node and its types.
func (e *Error) Error() string { return e.Message }

// The codes of errors that operators report.
const (
	CodeArity     = "arity"     // too few or too many inputs or outputs
	CodeAttribute = "attribute" // an attribute is missing or out of range
	CodeType      = "type"      // element types do not fit
	CodeRank      = "rank"      // a rank does not fit
	CodeShape     = "shape"     // dims do not fit
	CodeValue     = "value"     // a value that decides a shape is out of range
	CodeSubgraph  = "subgraph"  // a subgraph does not fit its node
)

// Errorf makes an error of the given code. The engine adds the node, the
// operator and its inputs' types.
func (c *Call) Errorf(code, format string, args ...any) error {
	return &Error{code, fmt.Sprintf(format, args...)}
}
