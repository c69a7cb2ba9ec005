package modeltest

import "onnxmem/onnxgraph"

// Name sets the graph's name; the last call counts.
func (b *Builder) Name(name string) *Builder {
	b.graph.text(2, name)
	return b
}

// Input adds an input of a tensor type; see [TensorType] for dims.
func (b *Builder) Input(name string, dtype onnxgraph.DType, dims ...any) *Builder {
	return b.InputOf(name, TensorType(dtype, dims...))
}

// InputOf adds an input of any type; nil for none.
func (b *Builder) InputOf(name string, typ *onnxgraph.Type) *Builder {
	b.graph.message(11, valueInfo(name, typ))
	b.function.text(4, name)
	return b
}

// Inputs adds inputs without a type, as functions and subgraphs have them.
func (b *Builder) Inputs(names ...string) *Builder {
	for _, name := range names {
		b.InputOf(name, nil)
	}
	return b
}

// Output adds outputs without a type.
func (b *Builder) Output(names ...string) *Builder {
	for _, name := range names {
		b.OutputOf(name, nil)
	}
	return b
}

// TypedOutput adds an output of a tensor type; see [TensorType] for dims.
func (b *Builder) TypedOutput(name string, dtype onnxgraph.DType, dims ...any) *Builder {
	return b.OutputOf(name, TensorType(dtype, dims...))
}

// OutputOf adds an output of any type; nil for none.
func (b *Builder) OutputOf(name string, typ *onnxgraph.Type) *Builder {
	b.graph.message(12, valueInfo(name, typ))
	b.function.text(5, name)
	return b
}

// Value adds a value_info of a tensor type; see [TensorType] for dims.
func (b *Builder) Value(name string, dtype onnxgraph.DType, dims ...any) *Builder {
	return b.ValueOf(name, TensorType(dtype, dims...))
}

// ValueOf adds a value_info of any type.
func (b *Builder) ValueOf(name string, typ *onnxgraph.Type) *Builder {
	b.graph.message(13, valueInfo(name, typ))
	b.function.message(12, valueInfo(name, typ))
	return b
}

// Init adds an initializer; see [NewTensor] for values.
func (b *Builder) Init(name string, dims []int64, values any) *Builder {
	return b.InitTensor(NewTensor(name, dims, values))
}

// InitZeros adds an initializer of zeros, in raw_data.
func (b *Builder) InitZeros(name string, dtype onnxgraph.DType, dims ...int64) *Builder {
	return b.InitTensor(Zeros(name, dtype, dims...))
}

// InitRaw adds an initializer with the given raw_data.
func (b *Builder) InitRaw(name string, dtype onnxgraph.DType, dims []int64, raw []byte) *Builder {
	return b.InitTensor(RawTensor(name, dtype, dims, raw))
}

// InitExternal adds an initializer that lies in another file. A negative offset
// or length is left out.
func (b *Builder) InitExternal(name string, dtype onnxgraph.DType, dims []int64, location string, offset, length int64) *Builder {
	return b.InitTensor(ExternalTensor(name, dtype, dims, location, offset, length))
}

// InitTensor adds an initializer.
func (b *Builder) InitTensor(t Tensor) *Builder {
	b.graph.message(5, t.fields)
	return b
}

// SparseInit adds a sparse initializer.
func (b *Builder) SparseInit(dims []int64, values, indices Tensor) *Builder {
	b.graph.message(15, sparse(dims, values, indices))
	return b
}

// GraphMeta adds an entry to the graph's metadata_props.
func (b *Builder) GraphMeta(key, value string) *Builder {
	b.graph.entry(16, key, value)
	b.function.entry(14, key, value)
	return b
}

// Quantize annotates a tensor with the names of its quantization parameters.
func (b *Builder) Quantize(tensor string, parameters ...[2]string) *Builder {
	var q message
	q.text(1, tensor)
	for _, kv := range parameters {
		q.entry(2, kv[0], kv[1])
	}
	b.graph.message(14, q)
	return b
}
