package shapeinfer

import (
	"fmt"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file makes the facts of the main graph's inputs of what they declare and
// what the caller gives them, and reports what is wrong about both.

// checkShape holds what the caller gives an input against what the input
// declares. Other sizes than the declared ones are noted: files are exported for
// one batch and run with another.
func (b *binding) checkShape(v *onnxgraph.Value) error {
	given, ok := b.givenShape(v.Name)
	if !ok {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return &BindingError{Name: v.Name, Message: fmt.Sprintf(format, args...)}
	}
	shape := tensor.MakeShape(given...)
	fed := b.opts.Feeds[v.Name]
	if v.Tensor != nil && fed == nil && !shape.Equal(tensor.IntShape(v.Tensor.Dims...)) {
		return refuse("its default has shape %v; replace it with --feed", v.Tensor.Dims)
	}
	if fed != nil && !shape.Equal(fed.Shape()) {
		return refuse("its shape is given as %s, but its value has shape %s", shape, fed.Shape())
	}
	if d := v.Declared; fed != nil && d != nil {
		switch {
		case d.Kind != onnxgraph.KindTensor && d.Kind != onnxgraph.KindUnset:
			return refuse("only a tensor can be given a value")
		case d.DType.Valid() && d.DType != fed.DType:
			return refuse("the value is of type %s, the model declares %s", fed.DType, d.DType)
		}
	}
	declared := declaredDims(v.Declared)
	if !declaresRank(v.Declared) {
		return nil
	}
	if len(declared) != len(given) {
		return refuse("the shape has %d dims, the model declares %d", len(given), len(declared))
	}
	for i, d := range declared {
		n, isInt := given[i].Int()
		switch {
		case d.Param != "" && !isPlaceholder(d.Param) && b.symbols.isExpression(d.Param):
			if want, known := b.symbols.param(d.Param).Int(); known && isInt && want != n {
				return refuse("axis %d is given as %d, and %s is %d", i, n, d.Param, want)
			}
		case d.HasValue && d.Value >= 0 && (!isInt || n != d.Value):
			b.overridden = true
			b.notes = append(b.notes, Diagnostic{Code: "override", Severity: Note,
				Message: fmt.Sprintf("axis %d of input %q: %s overrides the declared %d", i, v.Name, given[i], d.Value)})
		}
	}
	return nil
}

// fed reports whether the caller gives an input a value, which takes the place
// of a stored default.
func (b *binding) fed(name string) bool { return b.opts.Feeds[name] != nil }

// inputFact is what is known of an input of the main graph.
func (b *binding) inputFact(v *onnxgraph.Value) tensor.Fact {
	fact := tensor.Fact{Type: b.symbols.inputTypes(v.Name).read(v.Declared)}
	if given, ok := b.givenShape(v.Name); ok {
		dims := make([]dim.Dim, len(given))
		for i, d := range given {
			dims[i] = b.symbols.eval(d)
		}
		fact.Type = fact.Type.MapInner(func(t tensor.Type) tensor.Type {
			t.Shape = tensor.MakeShape(dims...)
			if t.Kind == onnxgraph.KindUnset {
				t.Kind = onnxgraph.KindTensor
			}
			return t
		})
	}
	if fed := b.opts.Feeds[v.Name]; fed != nil {
		fact.Value = fed
		if fact.Type.DType == onnxgraph.Undefined {
			fact.Type = fed.Type()
		}
	}
	if !fullyKnown(fact.Type) {
		fact.Reason = "the file does not declare the full type of this input"
	}
	return fact
}

// checkDeclaration reports what is wrong about the declaration of an input.
func (b *binding) checkDeclaration(v *onnxgraph.Value) {
	if v.Origin == onnxgraph.Initializer {
		b.checkDefault(v)
	}
	b.notePlaceholders(v)
	if _, given := b.givenShape(v.Name); !given {
		for i, d := range declaredDims(v.Declared) {
			if d.HasValue && d.Value == 0 {
				b.notes = append(b.notes, Diagnostic{Code: "zero-dim", Severity: Warning,
					Message: fmt.Sprintf("axis %d of input %q is declared as 0, so every tensor computed from it is empty; if the exporter meant a dynamic dimension, set the shape with --input-shapes %s:...", i, v.Name, v.Name)})
			}
		}
	}
	if d := v.Declared; v.Origin == onnxgraph.GraphInput && (d == nil || d.Kind == onnxgraph.KindTensor && !d.DType.Valid()) {
		b.notes = append(b.notes, Diagnostic{Code: "input-type", Severity: Error,
			Message: fmt.Sprintf("graph input %q declares no element type, which ONNX requires", v.Name)})
	}
}

// checkDefault holds a stored tensor that is an input's default against the
// input's declaration.
func (b *binding) checkDefault(v *onnxgraph.Value) {
	dims := declaredDims(v.Declared)
	if v.Tensor == nil || v.Declared == nil || v.Declared.Shape == nil {
		return
	}
	fits := len(dims) == len(v.Tensor.Dims) && (v.Declared.DType == v.Tensor.DType || !v.Declared.DType.Valid())
	for i := 0; fits && i < len(dims); i++ {
		fits = !dims[i].HasValue || dims[i].Value < 0 || dims[i].Value == v.Tensor.Dims[i]
	}
	if !fits {
		b.notes = append(b.notes, Diagnostic{Code: "declared-type", Severity: Error,
			Message: fmt.Sprintf("input %q is declared as %s, its default is %s%v", v.Name, b.symbols.inputTypes(v.Name).read(v.Declared), v.Tensor.DType, v.Tensor.Dims)})
	}
}

// freeSymbols lists the symbols of the graph's inputs that no binding replaced, in order
// of first use.
func (b *binding) freeSymbols() []string {
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
