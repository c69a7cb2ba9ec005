package annotate

import (
	"fmt"
	"io"
	"math"
	"slices"

	"onnxmem/onnxgraph"
)

// A Scope lists what to write into one graph or one local function of a model.
type Scope struct {
	Graph    *onnxgraph.Graph    // nil for functions
	Function *onnxgraph.Function // nil for graphs
	// Set gives entries of the scope's inputs, outputs or value_info another
	// type. What an entry holds besides stays, denotations of dims included
	// where the rank does.
	Set map[*onnxgraph.ValueInfo]*onnxgraph.Type
	// Add appends entries to value_info. Their names and types, which must not
	// be nil, are written. Those of a graph in graphs, so many deep that readers
	// would refuse the file (protobuf's limit is 100 messages), are left out.
	Add []*onnxgraph.ValueInfo
}

// MaxReadable is the size in bytes that a file must stay below for protobuf's
// own readers, and so for ONNX Runtime, to take it
// (https://protobuf.dev/programming-guides/encoding/#size-limit).
const MaxReadable = math.MaxInt32

// A Plan is a new version of a model file, as changes to the present one.
type Plan struct {
	src     io.ReaderAt
	size    int64
	changes []change
	grown   int64
}

// A change replaces a range of the file.
type change struct {
	at     int64 // offset in the file
	drop   int64 // bytes left out
	insert []byte
}

// NewPlan plans to write the scopes into the file src, from which m was read.
// It reads the entries that change and the lengths around them, nothing else.
func NewPlan(src io.ReaderAt, m *onnxgraph.Model, scopes []Scope) (*Plan, error) {
	w := walker{
		Plan:      Plan{src: src, size: m.Size},
		graphs:    map[*onnxgraph.Graph]*Scope{},
		functions: map[*onnxgraph.Function]*Scope{},
	}
	for i := range scopes {
		s := &scopes[i]
		switch {
		case len(s.Set) == 0 && len(s.Add) == 0:
		case s.Graph != nil:
			w.graphs[s.Graph] = s
		case s.Function != nil:
			w.functions[s.Function] = s
		}
	}
	w.model(m)
	if w.err != nil {
		return nil, w.err
	}
	return &w.Plan, nil
}

// Size is the size of the new file in bytes.
func (p *Plan) Size() int64 { return p.size + p.grown }

// Changed reports whether the new file differs from the present one.
func (p *Plan) Changed() bool { return len(p.changes) > 0 }

// WriteTo writes the new file to w. It returns the number of bytes written.
func (p *Plan) WriteTo(w io.Writer) (written int64, err error) {
	buf := make([]byte, copyBuffer)
	at := int64(0)
	for _, c := range append(slices.Clip(p.changes), change{at: p.size}) {
		n, err := copyRange(w, p.src, at, c.at-at, buf)
		if written += n; err != nil {
			return written, err
		}
		k, err := w.Write(c.insert)
		if written += int64(k); err != nil {
			return written, err
		}
		at = c.at + c.drop
	}
	return written, nil
}

// copyBuffer is the size in bytes of the pieces in which the file is copied.
const copyBuffer = 256 << 10

// copyRange copies length bytes from offset at of src.
func copyRange(w io.Writer, src io.ReaderAt, at, length int64, buf []byte) (int64, error) {
	n, err := io.CopyBuffer(onlyWriter{w}, io.NewSectionReader(src, at, length), buf)
	if err == nil && n < length {
		err = fmt.Errorf("at byte %d: the file has become shorter since it was read: %w", at+n, io.ErrUnexpectedEOF)
	}
	return n, err
}

// onlyWriter hides a ReadFrom method, which would bring a buffer of its own.
type onlyWriter struct{ io.Writer }
