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
	// undeclared are what the caller binds names to that the file declares
	// nowhere: symbols that inference makes have such names.
	undeclared map[string]dim.Dim
	ties       map[string]dim.Dim // Options.Ties over names that are tied to nothing
}

func bindInputs(main *onnxgraph.Scope, opts *Options) (*binding, error) {
	b := &binding{opts: opts, main: main, symbols: newSymbolTable(main, opts), undeclared: map[string]dim.Dim{}}
	for name, s := range opts.settled {
		b.symbols.numbers[name] = s.size
		b.notes = append(b.notes, s.note)
	}
	for _, step := range []func() error{b.checkNames, b.bindDims, b.bindTies, b.bindShapes, b.checkShapes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.facts = make([]tensor.Fact, len(main.Inputs))
	for i, id := range main.Inputs {
		v := &main.Values[id]
		b.checkDeclaration(v)
		b.facts[i] = b.inputFact(v)
		if len(b.symbols.assumed) > 0 {
			b.facts[i].Type = roundFractions(b.facts[i].Type)
		}
		if err := refuseFractions(v.Name, b.facts[i].Type); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// refuseFractions refuses an input of a shape such as [27/2], which an expression
// over given sizes may come to.
func refuseFractions(name string, t tensor.Type) error {
	inner, _ := t.Tensor()
	for axis, d := range inner.Shape.Dims() {
		if _, den, constant := d.Rational(); constant && den > 1 {
			return &BindingError{Name: name, Message: fmt.Sprintf("axis %d comes to %s, which is no integer", axis, d)}
		}
	}
	return nil
}

// roundFractions rounds dims up that come to a fraction only since a default is
// assumed for what is in them.
func roundFractions(t tensor.Type) tensor.Type {
	if t.Elem != nil {
		elem := roundFractions(*t.Elem)
		t.Elem = &elem
	}
	t.Shape = t.Shape.Map(func(_ int, d dim.Dim) dim.Dim {
		if _, _, constant := d.Rational(); constant {
			return dim.Ceil(d)
		}
		return d
	})
	return t
}

// givenNumbers are the names that the caller bound to numbers.
func (b *binding) givenNumbers() map[string]int64 {
	numbers := maps.Clone(b.symbols.numbers)
	for name := range b.opts.settled {
		delete(numbers, name)
	}
	return numbers
}

// checkNames refuses bindings of inputs that the model does not have, and tells
// names of dims that the file declares from others.
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
	for name, n := range b.opts.Dims {
		if !dims[name] {
			b.undeclared[name] = dim.Int(n)
		}
	}
	for name, d := range b.opts.Ties {
		if !dims[name] {
			b.undeclared[name] = d
		}
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
	var expressions []string
	for _, name := range slices.Sorted(maps.Keys(b.opts.Dims)) {
		n := b.opts.Dims[name]
		_, undeclared := b.undeclared[name]
		switch {
		case n < 0:
			return impossible(name, n)
		case undeclared:
		case !b.symbols.plain && b.symbols.isExpression(name):
			expressions = append(expressions, name)
		default:
			b.symbols.numbers[name] = n
		}
	}
	for _, name := range expressions {
		if err := b.bindExpression(name, b.opts.Dims[name]); err != nil {
			return err
		}
	}
	return nil
}

// bindExpression binds the symbol that is left in a dim that the file declares
// as an expression, so that it comes to n.
func (b *binding) bindExpression(text string, n int64) error {
	d, err := dim.Parse(text)
	if err != nil {
		return nil //nolint:nilerr // a text that is no expression is a symbol of its own
	}
	d = d.EvalPartial(b.symbols.numbers)
	if have, ok := d.Int(); ok {
		if have != n {
			return &BindingError{Name: text, Message: fmt.Sprintf("bound to %d, and by the dims in it to %d", n, have)}
		}
		return nil
	}
	names := d.Symbols()
	if len(names) == 1 {
		if c, ok := d.Polynomial(names[0]); ok && len(c) == 2 {
			if x, ok := dim.Div(dim.Sub(dim.Int(n), c[0]), c[1]).Int(); ok && x >= 0 {
				b.symbols.numbers[names[0]] = x
				return nil
			}
		}
		return &BindingError{Name: text, Message: fmt.Sprintf("no size of %s makes it %d", names[0], n)}
	}
	return &BindingError{Name: text, Message: "it is made of several dims: set " + strings.Join(names, ", ")}
}

// bindTies binds the names that the caller ties to others: each to an
// expression over names that are tied to nothing.
func (b *binding) bindTies() error {
	resolved := map[string]dim.Dim{}
	for _, name := range slices.Sorted(maps.Keys(b.opts.Ties)) {
		d := b.opts.Ties[name]
		for range len(b.opts.Ties) + 1 {
			d = d.Subst(b.opts.Ties)
		}
		for _, used := range d.Symbols() {
			if _, tied := b.opts.Ties[used]; tied {
				return &BindingError{Name: name, Message: fmt.Sprintf("it is tied to %s, which is tied to it", used)}
			}
			if _, undeclared := b.undeclared[used]; !b.symbols.declared[used] && !undeclared {
				return &BindingError{used, "the model has no dimension of that name", near(used, b.symbols.declared)}
			}
		}
		resolved[name] = d.EvalPartial(b.symbols.numbers)
	}
	b.ties = resolved
	for _, name := range slices.Sorted(maps.Keys(resolved)) {
		if _, undeclared := b.undeclared[name]; undeclared {
			b.undeclared[name] = resolved[name]
		} else if err := b.symbols.bind(name, resolved[name], "a tie"); err != nil {
			return err
		}
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
			dims[i] = d.Subst(b.ties).EvalPartial(b.symbols.numbers)
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
