package report

import (
	"maps"
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
)

// batch is the symbol that the first dim of the model's first input with dims
// is declared as, and the size that it has; ok is false where that is no
// symbol with a size.
func (a *Analysis) batch() (name string, n int64, ok bool) {
	for _, in := range realInputs(a.Program) {
		if in.Type == nil || in.Type.Shape == nil || len(in.Type.Shape.Dims) == 0 {
			continue
		}
		name = in.Type.Shape.Dims[0].Param
		if n, ok = a.Numbers.Bindings[name]; !ok {
			n, ok = a.Numbers.Assumed[name]
		}
		return name, n, ok && name != ""
	}
	return "", 0, false
}

// realInputs are the inputs that the caller gives: those without a stored
// default.
func realInputs(p *onnxgraph.Program) []*onnxgraph.ValueInfo {
	if p.Main == nil || p.Main.Graph == nil {
		return nil
	}
	stored := map[string]bool{}
	for _, t := range p.Main.Graph.Initializers {
		stored[t.Name] = true
	}
	var list []*onnxgraph.ValueInfo
	for _, in := range p.Main.Graph.Inputs {
		if !stored[in.Name] {
			list = append(list, in)
		}
	}
	return list
}

// rebound infers the model again with another size for a declared symbol. The
// file is not read again.
func (a *Analysis) rebound(name string, was, n int64) (*Analysis, error) {
	opts := a.numbersOptions
	opts.Dims = maps.Clone(opts.Dims)
	if opts.Dims == nil {
		opts.Dims = map[string]int64{}
	}
	opts.Dims[name] = n
	opts.InputShapes = maps.Clone(opts.InputShapes)
	for _, in := range realInputs(a.Program) {
		given := opts.InputShapes[in.Name]
		if len(given) == 0 || in.Type == nil || in.Type.Shape == nil || len(given) != len(in.Type.Shape.Dims) {
			continue
		}
		given = slices.Clone(given)
		for i, d := range in.Type.Shape.Dims {
			if size, ok := given[i].Int(); ok && d.Param == name && size == was {
				given[i] = dim.Int(n)
			}
		}
		opts.InputShapes[in.Name] = given
	}
	r, err := shapeinfer.InferProgram(a.Program, opts)
	if err != nil {
		return nil, err
	}
	return a.with(r, opts), nil
}
