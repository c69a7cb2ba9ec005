package accuracy

import (
	"bytes"
	"fmt"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
	"onnxmem/testdata/corpus"
)

// program reads a model of the corpus and resolves its names.
func program(m corpus.Model) (*onnxgraph.Program, error) {
	data, err := m.ReadBytes()
	if err != nil {
		return nil, err
	}
	model, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return onnxgraph.Resolve(model), nil
}

// bindRun binds what a recorded run was fed: the shapes of its inputs and the
// values of those that steer shapes.
func bindRun(b corpus.Binding) (shapeinfer.Options, error) {
	opts := shapeinfer.Options{Dims: b.Dims, InputShapes: map[string][]dim.Dim{}, Feeds: map[string]*tensor.Value{}}
	for name, in := range b.Inputs {
		if dims, ok := in.Shape.Ints(); ok && !in.Absent {
			opts.InputShapes[name] = tensor.IntShape(dims...).Dims()
		}
	}
	for name, literal := range b.Feed {
		elems, err := literal.Elements()
		if err != nil {
			return opts, err
		}
		d, known := onnxgraph.ParseDType(b.Inputs[name].DType)
		dims, bound := b.Inputs[name].Shape.Ints()
		if !known || !bound {
			return opts, fmt.Errorf("the record feeds %s, of type %s", name, b.Inputs[name])
		}
		if opts.Feeds[name], err = tensor.Literal(d, dims, elems); err != nil {
			return opts, fmt.Errorf("feed of %s: %w", name, err)
		}
	}
	return opts, nil
}
