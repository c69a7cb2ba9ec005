// Package runs turns the recorded runs of package corpus into models and
// options of this module. It is apart from corpus, which holds truth from
// outside and so imports nothing that is tested with it.
package runs

import (
	"bytes"
	"fmt"
	"maps"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
	"onnxmem/testdata/corpus"
)

// Read reads a model of the corpus.
func Read(m corpus.Model) (*onnxgraph.Model, error) {
	data, err := m.ReadBytes()
	if err != nil {
		return nil, err
	}
	model, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return model, nil
}

// Options sets what a recorded run was fed: the dims of its inputs, and the
// values of those that decide shapes.
func Options(b corpus.Binding) (shapeinfer.Options, error) {
	opts := shapeinfer.Options{Dims: b.Dims, InputShapes: map[string][]dim.Dim{}, Feeds: map[string]*tensor.Value{}}
	for name, in := range b.Inputs {
		if dims, ok := in.Shape.Ints(); ok && !in.Absent {
			opts.InputShapes[name] = tensor.IntShape(dims...).Dims()
		}
	}
	for name, literal := range b.Feed {
		var err error
		if opts.Feeds[name], err = fed(b.Inputs[name], literal); err != nil {
			return opts, fmt.Errorf("feed of %s: %w", name, err)
		}
	}
	return opts, nil
}

// fed is the value of an input of a known type.
func fed(in corpus.Type, literal corpus.Literal) (*tensor.Value, error) {
	elems, err := literal.Elements()
	if err != nil {
		return nil, err
	}
	dtype, known := onnxgraph.ParseDType(in.DType)
	dims, sized := in.Shape.Ints()
	if !known || !sized {
		return nil, fmt.Errorf("the record has the type %s", in)
	}
	return tensor.Literal(dtype, dims, elems)
}

// TrainingOptions sets the inputs of an export to the sizes of a training run,
// whose symbolic dims are batch and seq.
func TrainingOptions(record *corpus.TrainingRecord, batch, seq int64) (shapeinfer.Options, error) {
	opts := shapeinfer.Options{Dims: maps.Clone(record.ONNXDims), InputShapes: map[string][]dim.Dim{}}
	for name, in := range record.Input {
		dims := make([]int64, len(in.Shape))
		for i, d := range in.Shape {
			switch d.Expr() {
			case "batch":
				dims[i] = batch
			case "seq":
				dims[i] = seq
			case "":
				dims[i] = d.Number()
			default:
				return opts, fmt.Errorf("the record has a dim %s of %s, which no run sets", d, name)
			}
		}
		opts.InputShapes[name] = tensor.IntShape(dims...).Dims()
	}
	return opts, nil
}
