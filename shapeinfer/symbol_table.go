package shapeinfer

import (
	"fmt"
	"strconv"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
)

// A symbolTable says what the names of a model's dims stand for under the
// caller's options. It is filled by [bindInputs], before any node is inferred.
//
// Names of dims are the model's: a shape that the caller gives may use names that
// other bindings set, but not those that it sets itself. [2*n] for an input
// declared as [n] doubles n everywhere else.
type symbolTable struct {
	declared  map[string]bool      // names of the main graph's input dims, and names that the caller brings in
	numbers   map[string]int64     // names bound to a number
	means     map[string]dim.Dim   // names bound to an expression
	used      map[string]bool      // names that are still symbols
	assumed   map[string]int64     // names that got the default
	byDefault int64                // for names that nothing binds; 0 leaves them symbols
	plain     bool                 // an expression in dim_param is a name like any other
	names     map[inputAxis]string // of the dynamic dims of inputs that the file gives no name
}

// An inputAxis is one dim of an input of the main graph.
type inputAxis struct {
	input string
	axis  int
}

// newSymbolTable lists the names of the inputs' dims, those made up for unnamed
// dynamic ones and those in the caller's shapes included.
func newSymbolTable(main *onnxgraph.Scope, opts *Options) *symbolTable {
	t := &symbolTable{
		declared: map[string]bool{}, numbers: map[string]int64{}, means: map[string]dim.Dim{},
		names: map[inputAxis]string{}, used: map[string]bool{}, assumed: map[string]int64{}, byDefault: opts.DefaultDims, plain: opts.namedDimsOnly(),
	}
	t.nameInputDims(main)
	for _, dims := range opts.InputShapes {
		for _, d := range dims {
			for _, name := range d.Symbols() {
				t.declared[name] = true
			}
		}
	}
	return t
}

// nameInputDims lists the names that the inputs give their dims, and makes one
// for every dynamic dim without: two inputs may come to the same one.
func (t *symbolTable) nameInputDims(main *onnxgraph.Scope) {
	for _, id := range main.Inputs {
		for _, d := range declaredDims(main.Values[id].Declared) {
			if d.Param != "" && (t.plain || !isPlaceholder(d.Param)) {
				t.declared[d.Param] = true
			}
		}
	}
	for _, id := range main.Inputs {
		v := &main.Values[id]
		for axis, d := range declaredDims(v.Declared) {
			at := inputAxis{v.Name, axis}
			if t.names[at] != "" || !isDynamic(d) && (t.plain || !isPlaceholder(d.Param)) {
				continue
			}
			name := unnamedSymbol(v.Name, axis)
			for n := 2; t.declared[name]; n++ {
				name = unnamedSymbol(v.Name, axis) + "_" + strconv.Itoa(n)
			}
			t.names[at], t.declared[name] = name, true
		}
	}
}

// unnamed is the symbol of a dynamic dim of an input that the file gives no
// name.
func (t *symbolTable) unnamed(input string, axis int) string { return t.names[inputAxis{input, axis}] }

// bind binds a name to what an axis of an input is given.
func (t *symbolTable) bind(name string, given dim.Dim, where string) error {
	old, again := t.means[name]
	if n, isNumber := t.numbers[name]; isNumber {
		old, again = dim.Int(n), true
	}
	if again && !dim.Equal(old.EvalPartial(t.numbers), given) {
		return &BindingError{Name: name, Message: fmt.Sprintf("it is %s, but %s gives %s", old, where, given)}
	}
	if n, isInt := given.Int(); isInt {
		t.numbers[name] = n
		delete(t.means, name)
	} else if !dim.Equal(given, dim.Symbol(name)) {
		t.means[name] = given
	}
	return nil
}

// param is the meaning of a dim_param: a symbol, or an expression over some.
func (t *symbolTable) param(text string) dim.Dim {
	if t.plain || !t.isExpression(text) {
		return t.symbol(text)
	}
	d, err := dim.Parse(text)
	if err != nil {
		return t.symbol(text)
	}
	means := map[string]dim.Dim{}
	for _, name := range d.Symbols() {
		means[name] = t.symbol(name)
	}
	return d.Subst(means)
}

// symbol is what a name of the model stands for.
func (t *symbolTable) symbol(name string) dim.Dim {
	if d, ok := t.means[name]; ok {
		return t.eval(d)
	}
	return t.eval(dim.Symbol(name))
}

// eval puts numbers in place of the names that are bound to some, and the
// default in place of others, where there is one.
func (t *symbolTable) eval(d dim.Dim) dim.Dim {
	numbers := map[string]int64{}
	for _, name := range d.Symbols() {
		if n, ok := t.numbers[name]; ok {
			numbers[name] = n
		} else if t.byDefault > 0 && t.declared[name] {
			t.assumed[name] = t.byDefault
			numbers[name] = t.byDefault
		} else {
			t.used[name] = true
		}
	}
	return d.EvalPartial(numbers)
}

// holds reports whether the model or the caller uses the name for a dim.
func (t *symbolTable) holds(name string) bool {
	_, isNumber := t.numbers[name]
	_, isExpression := t.means[name]
	return isNumber || isExpression || t.declared[name] || t.used[name]
}

// isExpression reports whether a dim_param is an expression over the names of
// other dims, as PyTorch's exporter writes them. Anything else is a name, also
// when it holds a hyphen.
func (t *symbolTable) isExpression(param string) bool {
	if isPlainName(param) && (param[0] < '0' || param[0] > '9') {
		return false
	}
	d, err := dim.Parse(param)
	if err != nil {
		return false
	}
	for _, name := range d.Symbols() {
		if !t.declared[name] || name == param {
			return false
		}
	}
	return true
}

func isPlainName(s string) bool {
	if s == "" {
		return false
	}
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_') {
			return false
		}
	}
	return true
}
