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

// A BindingError is a binding of the caller that does not fit the model.
type BindingError struct {
	Name    string   // the input or symbol
	Message string   // what is wrong
	Near    []string // names that may have been meant
}

// Error names what was bound, what is wrong with it, and near names.
func (e *BindingError) Error() string {
	s := fmt.Sprintf("binding of %q: %s", e.Name, e.Message)
	if len(e.Near) > 0 {
		s += "; near names: " + strings.Join(e.Near, ", ")
	}
	return s
}

// A binder says what the names of dims mean under the caller's bindings.
//
// Names of dims are the model's: what the caller writes in a shape may speak of
// names that other bindings make numbers, but not of what the shape itself
// binds. x: [2*n] of a declared [n] doubles n everywhere else.
type binder struct {
	opts    Options
	main    *onnxgraph.Scope
	symbols map[string]bool    // names declared as dims of the main graph's inputs
	means   map[string]dim.Dim // what a name stands for that an input shape binds to no number
	bound   map[string]int64   // names that are numbers
	assumed map[string]int64
	facts   []tensor.Fact   // of the main graph's inputs
	used    map[string]bool // names of free symbols
	// overridden says that a declared number was overridden: numbers in
	// value_info were computed from it and are no longer to be trusted.
	overridden bool
	notes      []Diagnostic
}

func newBinder(p *onnxgraph.Program, opts Options) (*binder, error) {
	b := &binder{
		opts: opts, main: p.Main, symbols: map[string]bool{}, means: map[string]dim.Dim{},
		bound: map[string]int64{}, assumed: map[string]int64{}, used: map[string]bool{},
	}
	b.collectSymbols()
	if err := b.checkNames(); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(opts.Dims)) {
		if opts.Dims[name] < 0 {
			return nil, impossible(name, opts.Dims[name])
		}
		b.bound[name] = opts.Dims[name]
	}
	if err := b.bindInputs(); err != nil {
		return nil, err
	}
	b.facts = make([]tensor.Fact, len(b.main.Inputs))
	for i, id := range b.main.Inputs {
		b.facts[i] = b.makeInput(&b.main.Values[id])
	}
	return b, nil
}

func impossible(name string, n int64) error {
	return &BindingError{Name: name, Message: fmt.Sprintf("a dim of %d is impossible", n)}
}

// collectSymbols lists the names of the inputs' dims, those made up for unnamed
// dynamic ones and those that the caller brings in included.
func (b *binder) collectSymbols() {
	for _, id := range b.main.Inputs {
		v := &b.main.Values[id]
		for i, d := range declaredDims(v.Declared) {
			if d.Param != "" {
				b.symbols[d.Param] = true
			} else if !d.HasValue || d.Value < 0 {
				b.symbols[unnamedSymbol(v.Name, i)] = true
			}
		}
	}
	for _, dims := range b.opts.InputShapes {
		for _, d := range dims {
			for _, name := range d.Symbols() {
				b.symbols[name] = true
			}
		}
	}
}

// checkNames refuses bindings that name nothing in the model.
func (b *binder) checkNames() error {
	declared := maps.Clone(b.symbols)
	for i := range b.main.Values {
		eachDeclaredDim(b.main.Values[i].Declared, func(d onnxgraph.Dim) {
			if d.Param != "" {
				declared[d.Param] = true
			}
		})
	}
	inputs := map[string]bool{}
	for _, id := range b.main.Inputs {
		inputs[b.main.Values[id].Name] = true
	}
	if err := allKnown(b.opts.Dims, declared, "dim"); err != nil {
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

// shapeFor is the shape that the caller gives an input, by --input-shapes or
// through the value fed, with the names in it that are numbers.
func (b *binder) shapeFor(name string) (dims []dim.Dim, ok bool) {
	if given, ok := b.opts.InputShapes[name]; ok {
		dims = make([]dim.Dim, len(given))
		for i, d := range given {
			dims[i] = d.EvalPartial(b.bound)
		}
		return dims, true
	}
	if v := b.opts.Feeds[name]; v != nil {
		return v.Shape().Dims(), true
	}
	return nil, false
}

// bindInputs binds the names that the inputs declare to the shapes that the
// caller gives. A number that one shape binds may stand in another one, so
// that all are gone through again until no name becomes a number.
func (b *binder) bindInputs() error {
	for numbers := -1; numbers < len(b.bound); {
		numbers = len(b.bound)
		for _, id := range b.main.Inputs {
			if err := b.bindInput(&b.main.Values[id]); err != nil {
				return err
			}
		}
	}
	for _, id := range b.main.Inputs {
		if err := b.checkGiven(&b.main.Values[id]); err != nil {
			return err
		}
	}
	return nil
}

// bindInput binds the names that one input declares.
func (b *binder) bindInput(v *onnxgraph.Value) error {
	given, ok := b.shapeFor(v.Name)
	if !ok {
		return nil
	}
	for i, d := range given {
		if n, isInt := d.Int(); isInt && n < 0 {
			return impossible(v.Name, n)
		}
		declared := declaredDims(v.Declared)
		if len(declared) != len(given) {
			continue // checkGiven says so where a rank is declared
		}
		if name := declared[i].Param; name != "" && !b.isExpression(name) {
			if err := b.bindName(name, d, fmt.Sprintf("axis %d of input %q", i, v.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// bindName binds a name to what an axis of an input is given.
func (b *binder) bindName(name string, given dim.Dim, where string) error {
	old, again := b.means[name]
	if n, isNumber := b.bound[name]; isNumber {
		old, again = dim.Int(n), true
	}
	if again && !dim.Equal(old.EvalPartial(b.bound), given) {
		return &BindingError{Name: name, Message: fmt.Sprintf("bound to %s and, by %s, to %s", old, where, given)}
	}
	if n, isInt := given.Int(); isInt {
		b.bound[name] = n
		delete(b.means, name)
	} else if !dim.Equal(given, dim.Symbol(name)) {
		b.means[name] = given
	}
	return nil
}
