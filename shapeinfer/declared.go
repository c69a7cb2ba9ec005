package shapeinfer

import (
	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file turns the types that a file declares into inferred ones.

// declaredDims are the dims of a declared tensor, or of the tensors that a
// sequence, optional or map is declared to hold.
func declaredDims(t *onnxgraph.Type) []onnxgraph.Dim {
	for t != nil && t.Shape == nil {
		t = t.Elem
	}
	if t == nil {
		return nil
	}
	return t.Shape.Dims
}

// declaresRank reports whether the shape of that tensor is declared at all.
func declaresRank(t *onnxgraph.Type) bool {
	for t != nil && t.Shape == nil {
		t = t.Elem
	}
	return t != nil
}

// eachDeclaredDim visits the dims at every level of a declared type.
func eachDeclaredDim(t *onnxgraph.Type, f func(onnxgraph.Dim)) {
	for ; t != nil; t = t.Elem {
		if t.Shape != nil {
			for _, d := range t.Shape.Dims {
				f(d)
			}
		}
	}
}

// declaredType is a declared type of anything but an input of the main graph.
func (b *binder) declaredType(t *onnxgraph.Type) tensor.Type { return b.convert(t, "") }

// convert turns a declared type into an inferred one. input names the graph
// input that declares it, empty elsewhere: only there does an
// unnamed or negative dim get a symbol. A dim of 0 is taken at its word, as
// ONNX Runtime does.
func (b *binder) convert(t *onnxgraph.Type, input string) tensor.Type {
	if t == nil {
		return tensor.Type{}
	}
	out := tensor.Type{Kind: t.Kind, DType: t.DType, Key: t.Key}
	if !t.DType.Valid() {
		out.DType = onnxgraph.Undefined
	}
	if t.Elem != nil {
		elem := b.convert(t.Elem, input)
		out.Elem = &elem
	}
	if t.Shape == nil {
		return out
	}
	dims := make([]dim.Dim, len(t.Shape.Dims))
	for i, d := range t.Shape.Dims {
		dims[i] = b.convertDim(d, input, i)
	}
	out.Shape = tensor.MakeShape(dims...)
	return out
}

func (b *binder) convertDim(d onnxgraph.Dim, input string, axis int) dim.Dim {
	switch {
	case d.Param != "":
		return b.param(d.Param)
	case d.HasValue && d.Value >= 0:
		if input == "" && b.overridden {
			return dim.Unknown()
		}
		return dim.Int(d.Value)
	case input == "" || b.opts.namedDimsOnly() && b.opts.DefaultDims == 0:
		return dim.Unknown()
	}
	return b.symbol(unnamedSymbol(input, axis))
}

// param is the meaning of a dim_param: a symbol, or an expression over some.
func (b *binder) param(name string) dim.Dim {
	if !b.isExpression(name) || b.opts.namedDimsOnly() {
		return b.symbol(name)
	}
	d, err := dim.Parse(name)
	if err != nil {
		return b.symbol(name)
	}
	means := map[string]dim.Dim{}
	for _, name := range d.Symbols() {
		means[name] = b.symbol(name)
	}
	return d.Subst(means)
}

// symbol is what a name of the model stands for.
func (b *binder) symbol(name string) dim.Dim {
	if d, ok := b.means[name]; ok {
		return b.assume(d)
	}
	return b.assume(dim.Symbol(name))
}

// assume puts numbers in place of the names that are bound to some, and the
// default in place of others, where there is one.
func (b *binder) assume(d dim.Dim) dim.Dim {
	numbers := map[string]int64{}
	for _, name := range d.Symbols() {
		if n, ok := b.bound[name]; ok {
			numbers[name] = n
		} else if b.opts.DefaultDims > 0 && b.symbols[name] {
			b.assumed[name] = b.opts.DefaultDims
			numbers[name] = b.opts.DefaultDims
		} else {
			b.used[name] = true
		}
	}
	return d.EvalPartial(numbers)
}

// declares reports whether the model or the caller uses the name for a dim.
func (b *binder) declares(name string) bool {
	_, bound := b.bound[name]
	_, means := b.means[name]
	return bound || means || b.symbols[name] || b.used[name]
}

// free lists the symbols of the graph's inputs that stay open, in order of
// first use.
func (b *binder) free() []string {
	var names []string
	seen := map[string]bool{}
	for _, f := range b.facts {
		inner, _ := f.Type.Tensor()
		for _, d := range inner.Shape.Dims() {
			for _, name := range d.Symbols() {
				if !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// isExpression reports whether a dim_param is an expression over the names of
// other dims, as PyTorch's exporter writes them. Anything else is a name, also
// when it holds a hyphen.
func (b *binder) isExpression(param string) bool {
	if isPlainName(param) {
		return false
	}
	d, err := dim.Parse(param)
	if err != nil {
		return false
	}
	for _, name := range d.Symbols() {
		if !b.symbols[name] || name == param {
			return false
		}
	}
	return true
}

func isPlainName(s string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_') {
			return false
		}
	}
	return true
}
