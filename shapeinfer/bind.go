package shapeinfer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file goes from the caller's options to the facts of the main graph's
// inputs, in one direction: the names that the inputs give their dims, what
// these stand for, whether what the caller gives fits what is declared, and at
// last the facts.

// A BindingError is a binding of the caller that does not fit the model.
type BindingError struct {
	Name    string   // the input or symbol
	Message string   // what is wrong
	Near    []string // names that may have been meant
}

// Error names what was bound, what is wrong with it, and near names.
func (e *BindingError) Error() string {
	s := fmt.Sprintf("cannot set %q: %s", e.Name, e.Message)
	if len(e.Near) > 0 {
		s += "; similar names: " + strings.Join(e.Near, ", ")
	}
	return s
}

func impossible(name string, n int64) error {
	return &BindingError{Name: name, Message: fmt.Sprintf("a dimension cannot be %d", n)}
}

// A binding is what the options make of the main graph's inputs.
type binding struct {
	opts    *Options
	main    *onnxgraph.Scope
	symbols *symbolTable
	facts   []tensor.Fact // of the main graph's inputs
	// overridden says that the caller overrode a declared size.
	overridden bool
	notes      []Diagnostic
}

func bindInputs(main *onnxgraph.Scope, opts *Options) (*binding, error) {
	b := &binding{opts: opts, main: main, symbols: newSymbolTable(main, opts)}
	for _, step := range []func() error{b.checkNames, b.bindDims, b.bindShapes, b.checkShapes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.facts = make([]tensor.Fact, len(main.Inputs))
	for i, id := range main.Inputs {
		v := &main.Values[id]
		b.checkDeclaration(v)
		b.facts[i] = b.inputFact(v)
	}
	return b, nil
}

// checkNames refuses bindings that name nothing in the model.
func (b *binding) checkNames() error {
	dims := maps.Clone(b.symbols.declared)
	for i := range b.main.Values {
		eachDeclaredDim(b.main.Values[i].Declared, func(d onnxgraph.Dim) {
			if d.Param != "" && !isPlaceholder(d.Param) {
				dims[d.Param] = true
			}
		})
	}
	inputs := map[string]bool{}
	for _, id := range b.main.Inputs {
		inputs[b.main.Values[id].Name] = true
	}
	if err := allKnown(b.opts.Dims, dims, "dimension"); err != nil {
		return err
	}
	if err := allKnown(b.opts.InputShapes, inputs, "input"); err != nil {
		return err
	}
	return allKnown(b.opts.Feeds, inputs, "input")
}

// allKnown refuses the first binding whose name is not known.
func allKnown[T any](bindings map[string]T, known map[string]bool, what string) error {
	for _, name := range slices.Sorted(maps.Keys(bindings)) {
		if !known[name] {
			return &BindingError{name, "the model has no " + what + " of that name", near(name, known)}
		}
	}
	return nil
}

// bindDims binds the names that the caller gives numbers.
func (b *binding) bindDims() error {
	for _, name := range slices.Sorted(maps.Keys(b.opts.Dims)) {
		if n := b.opts.Dims[name]; n < 0 {
			return impossible(name, n)
		}
		b.symbols.numbers[name] = b.opts.Dims[name]
	}
	return nil
}

// bindShapes binds the names that the inputs declare to the shapes that the
// caller gives. A number that one shape binds may stand in another one, so
// that all are gone through again until no name becomes a number.
func (b *binding) bindShapes() error {
	for numbers := -1; numbers < len(b.symbols.numbers); {
		numbers = len(b.symbols.numbers)
		for _, id := range b.main.Inputs {
			if err := b.bindShape(&b.main.Values[id]); err != nil {
				return err
			}
		}
	}
	return nil
}

// bindShape binds the names that one input declares.
func (b *binding) bindShape(v *onnxgraph.Value) error {
	given, ok := b.givenShape(v.Name)
	if !ok {
		return nil
	}
	declared := declaredDims(v.Declared)
	for i, d := range given {
		if n, isInt := d.Int(); isInt && n < 0 {
			return impossible(v.Name, n)
		}
		if len(declared) != len(given) {
			continue // checkShape says so where a rank is declared
		}
		if name := declared[i].Param; name != "" && !isPlaceholder(name) && !b.symbols.isExpression(name) {
			if err := b.symbols.bind(name, d, fmt.Sprintf("axis %d of input %q", i, v.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// givenShape is the shape that the caller gives an input, as such or through
// the value fed, with the names in it that are numbers.
func (b *binding) givenShape(name string) (dims []dim.Dim, ok bool) {
	if given, ok := b.opts.InputShapes[name]; ok {
		dims = make([]dim.Dim, len(given))
		for i, d := range given {
			dims[i] = d.EvalPartial(b.symbols.numbers)
		}
		return dims, true
	}
	if v := b.opts.Feeds[name]; v != nil {
		return v.Shape().Dims(), true
	}
	return nil, false
}

// checkShapes holds what the caller gives the inputs, once all names are bound,
// against what they declare.
func (b *binding) checkShapes() error {
	for _, id := range b.main.Inputs {
		if err := b.checkShape(&b.main.Values[id]); err != nil {
			return err
		}
	}
	return nil
}
