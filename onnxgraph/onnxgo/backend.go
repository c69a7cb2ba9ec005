package onnxgo

import (
	"fmt"

	"github.com/owulveryck/onnx-go"
	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gorgonia.org/tensor"
)

// A Backend receives a model that onnx-go decodes. It implements
// [onnx.Backend] and cannot compute anything. One Backend takes one model.
type Backend struct {
	// The graph that onnx-go's interface asks for. It has at most one edge
	// between two values, so that it cannot tell Mul(x, x) from Mul(x): the
	// operations below are the record, and the graph is for queries.
	*simple.WeightedDirectedGraph
	values     []*value
	pending    []edge // of the operation that is being announced
	operations []operation
	known      int // values before the operation that is being announced
	decoded    bool
}

// An edge says that a node reads a value.
type edge struct {
	output, input *value
}

// An operation is one node: onnx-go tells neither its name nor its domain.
type operation struct {
	name            string
	attributes      map[string]any
	inputs, outputs []*value
	// created says that the first input came to be with this operation.
	created bool
}

// A value is a node of onnx-go's graph: a named tensor of the model.
type value struct {
	id      int64
	name    string
	tensors []tensor.Tensor // set by onnx-go: placeholder, stored tensor
	fed     tensor.Tensor   // set by the program after decoding; nil for none
	backend *Backend
}

var (
	_ onnx.Backend     = (*Backend)(nil)
	_ onnx.Namer       = (*value)(nil)
	_ onnx.DataCarrier = (*value)(nil)
)

// NewBackend returns an empty Backend.
func NewBackend() *Backend {
	return &Backend{WeightedDirectedGraph: simple.NewWeightedDirectedGraph(0, 0)}
}

// Decode lets onnx-go decode data into m, which must have been made with b. A
// file that onnx-go refuses, or on which it panics, is a [*DecodeError].
func (b *Backend) Decode(m *onnx.Model, data []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &DecodeError{Panic: p}
		}
	}()
	if err := m.UnmarshalBinary(data); err != nil {
		return &DecodeError{Err: err}
	}
	b.decoded = true
	return nil
}

// A DecodeError says that onnx-go could not decode a model: it returned Err,
// or panicked with Panic.
type DecodeError struct {
	Err   error
	Panic any
}

// Error quotes what onnx-go said.
func (e *DecodeError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("onnx-go panicked: %v", e.Panic)
	}
	return fmt.Sprintf("onnx-go refused the model: %v", e.Err)
}

// Unwrap returns onnx-go's error; nil when it panicked.
func (e *DecodeError) Unwrap() error { return e.Err }

// NewNode makes a value. The ids count from zero in the order of the calls:
// onnx-go's Model.SetInput takes the position of an input for its id.
func (b *Backend) NewNode() graph.Node {
	return &value{id: int64(len(b.values)), backend: b}
}

// AddNode adds a value that NewNode made.
func (b *Backend) AddNode(n graph.Node) {
	b.values = append(b.values, n.(*value))
	b.WeightedDirectedGraph.AddNode(n)
}

// SetWeightedEdge notes that a node with the output From reads To.
func (b *Backend) SetWeightedEdge(e graph.WeightedEdge) {
	from, to := e.From().(*value), e.To().(*value)
	b.pending = append(b.pending, edge{from, to})
	if from != to { // gonum panics on an edge from a node to itself
		b.WeightedDirectedGraph.SetWeightedEdge(e)
	}
}

// ApplyOperation notes a node with its outputs. onnx-go has announced its
// inputs once for each output, in order.
func (b *Backend) ApplyOperation(o onnx.Operation, outputs ...graph.Node) error {
	op := operation{name: o.Name, attributes: o.Attributes}
	for _, n := range outputs {
		op.outputs = append(op.outputs, n.(*value))
	}
	if len(outputs) > 0 {
		for _, e := range b.pending[:len(b.pending)/len(outputs)] {
			op.inputs = append(op.inputs, e.input)
		}
	}
	op.created = len(op.inputs) > 0 && op.inputs[0].id >= int64(b.known)
	b.pending, b.known = b.pending[:0], len(b.values)
	b.operations = append(b.operations, op)
	return nil
}

// ID is the number of the value in the graph.
func (v *value) ID() int64 { return v.id }

// SetName sets the name of the value.
func (v *value) SetName(name string) { v.name = name }

// GetName is the name of the value.
func (v *value) GetName() string { return v.name }

// SetTensor gives the value a placeholder, a stored tensor, or data to run on.
func (v *value) SetTensor(t tensor.Tensor) error {
	if v.backend.decoded {
		v.fed = t
	} else {
		v.tensors = append(v.tensors, t)
	}
	return nil
}

// GetTensor is the tensor that was set last, or nil.
func (v *value) GetTensor() tensor.Tensor {
	switch {
	case v.fed != nil:
		return v.fed
	case len(v.tensors) > 0:
		return v.tensors[len(v.tensors)-1]
	}
	return nil
}
