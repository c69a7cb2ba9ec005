package modeltest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"onnxmem/onnxgraph"
)

// A Builder collects the parts of a model, of a subgraph ([Body]) or of a local
// function. Its methods return it, so that calls chain.
type Builder struct {
	ir       int64
	model    message // ModelProto's fields but ir_version and graph
	graph    message // GraphProto's fields
	function message // FunctionProto's fields but name and domain
}

// New returns a builder of a model that imports that version of the default
// operator set and has IR version 10.
func New(opset int64) *Builder {
	b := &Builder{ir: 10}
	b.graph.text(2, "g")
	return b.Opset("", opset)
}

// Body returns a builder of a subgraph or of the body of a local function.
func Body() *Builder { return new(Builder) }

// IR sets the model's IR version.
func (b *Builder) IR(version int64) *Builder {
	b.ir = version
	return b
}

// Opset imports a version of an operator domain, into the model and, if b is
// the body of a function, into the function.
func (b *Builder) Opset(domain string, version int64) *Builder {
	var imp message
	imp.optional(1, domain)
	imp.number(2, version)
	b.model.message(8, imp)
	b.function.message(9, imp)
	return b
}

// Producer names the program and its version that wrote the model.
func (b *Builder) Producer(name, version string) *Builder {
	b.model.text(2, name)
	b.model.optional(3, version)
	return b
}

// Doc sets the model's doc_string.
func (b *Builder) Doc(text string) *Builder {
	b.model.text(6, text)
	return b
}

// Meta adds an entry to the model's metadata_props.
func (b *Builder) Meta(key, value string) *Builder {
	b.model.entry(14, key, value)
	return b
}

// Function adds a local function. Its inputs, outputs, nodes, attributes
// ([Builder.Param], [Builder.Default]) and imports are those of body.
func (b *Builder) Function(domain, name string, body *Builder) *Builder {
	return b.OverloadedFunction(domain, name, "", body)
}

// OverloadedFunction is Function with an overload name.
func (b *Builder) OverloadedFunction(domain, name, overload string, body *Builder) *Builder {
	var f message
	f.text(1, name)
	f = append(f, body.function...)
	f.text(10, domain)
	f.optional(13, overload)
	b.model.message(25, f)
	return b
}

// Param adds an attribute without a default to the function whose body b is.
func (b *Builder) Param(name string) *Builder {
	b.function.text(6, name)
	return b
}

// Default adds an attribute with a default to the function whose body b is.
func (b *Builder) Default(a Attr) *Builder {
	b.function.message(11, a.fields)
	return b
}

// Training adds a TrainingInfoProto; either graph may be nil.
func (b *Builder) Training(initialization, algorithm *Builder, bindings ...[2]string) *Builder {
	var t message
	if initialization != nil {
		t.message(1, initialization.graph)
	}
	if algorithm != nil {
		t.message(2, algorithm.graph)
	}
	for _, kv := range bindings {
		t.entry(4, kv[0], kv[1])
	}
	b.model.message(20, t)
	return b
}

// ModelField adds a raw field of bytes to the ModelProto, for tests of odd
// files.
func (b *Builder) ModelField(number int32, value []byte) *Builder {
	b.model.message(protowire.Number(number), value)
	return b
}

// GraphField adds a raw field of bytes to the GraphProto, for tests of odd
// files.
func (b *Builder) GraphField(number int32, value []byte) *Builder {
	b.graph.message(protowire.Number(number), value)
	return b
}

// Bytes is the model as a file.
func (b *Builder) Bytes() []byte {
	var m message
	m.number(1, b.ir)
	m = append(m, b.model...)
	m.message(7, b.graph)
	return m
}

// Model is the model as [onnxgraph.Read] reads it.
func (b *Builder) Model(t testing.TB) *onnxgraph.Model {
	t.Helper()
	file := b.Bytes()
	m, err := onnxgraph.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatalf("modeltest: %v", err)
	}
	return m
}

// File writes the model to a file of that name in a folder of the test's own
// and returns the path.
func (b *Builder) File(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatalf("modeltest: %v", err)
	}
	return path
}
