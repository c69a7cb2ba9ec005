package shapeinfer

import (
	"fmt"
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

func (e *BindingError) Error() string {
	s := fmt.Sprintf("binding of %q: %s", e.Name, e.Message)
	if len(e.Near) > 0 {
		s += "; near names: " + strings.Join(e.Near, ", ")
	}
	return s
}

// A binder turns declared types into inferred ones under the caller's
// bindings.
type binder struct {
	opts    Options
	main    *onnxgraph.Scope
	symbols map[string]bool    // names declared as dims of the main graph's inputs
	means   map[string]dim.Dim // what a bound symbol stands for
	bound   map[string]int64
	assumed map[string]int64
	facts   []tensor.Fact // of the main graph's inputs
	order   []string      // free symbols by first use
	// overridden says that a declared number was overridden: numbers in
	// value_info were computed from it and are no longer to be trusted.
	overridden bool
	notes      []Diagnostic
}

func newBinder(p *onnxgraph.Program, opts Options) (*binder, error) {
	b := &binder{opts: opts, main: p.Main, symbols: map[string]bool{}, means: map[string]dim.Dim{}, bound: map[string]int64{}, assumed: map[string]int64{}}
	b.collectSymbols()
	if err := b.checkNames(p); err != nil {
		return nil, err
	}
	for name, n := range opts.Dims {
		if n < 0 {
			return nil, &BindingError{Name: name, Message: fmt.Sprintf("a dim of %d is impossible", n)}
		}
		b.means[name], b.bound[name] = dim.Int(n), n
	}
	for _, id := range b.main.Inputs {
		if err := b.bindInput(&b.main.Values[id]); err != nil {
			return nil, err
		}
	}
	b.facts = make([]tensor.Fact, len(b.main.Inputs))
	for i, id := range b.main.Inputs {
		b.facts[i] = b.makeInput(&b.main.Values[id])
	}
	return b, nil
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

func eachDeclaredDim(t *onnxgraph.Type, f func(onnxgraph.Dim)) {
	for ; t != nil; t = t.Elem {
		if t.Shape != nil {
			for _, d := range t.Shape.Dims {
				f(d)
			}
		}
	}
}

// checkNames refuses bindings that name nothing in the model.
func (b *binder) checkNames(p *onnxgraph.Program) error {
	declared := map[string]bool{}
	for name := range b.symbols {
		declared[name] = true
	}
	for i := range b.main.Values {
		eachDeclaredDim(b.main.Values[i].Declared, func(d onnxgraph.Dim) {
			if d.Param != "" {
				declared[d.Param] = true
			}
		})
	}
	inputs := map[string]bool{}
	for _, id := range b.main.Inputs {
		v := &b.main.Values[id]
		inputs[v.Name] = true
	}
	for name := range b.opts.Dims {
		if !declared[name] {
			return &BindingError{name, "the model has no dim of that name", near(name, declared)}
		}
	}
	for name := range b.opts.InputShapes {
		if !inputs[name] {
			return &BindingError{name, "the model has no input of that name", near(name, inputs)}
		}
	}
	for name := range b.opts.Feeds {
		if !inputs[name] {
			return &BindingError{name, "the model has no input of that name", near(name, inputs)}
		}
	}
	return nil
}

func declaredDims(t *onnxgraph.Type) []onnxgraph.Dim {
	for t != nil && t.Shape == nil {
		t = t.Elem
	}
	if t == nil {
		return nil
	}
	return t.Shape.Dims
}

// near lists up to five names close to the one given, all of them when they
// are few.
func near(name string, known map[string]bool) []string {
	names := make([]string, 0, len(known))
	for k := range known {
		names = append(names, k)
	}
	slices.SortFunc(names, func(x, y string) int {
		if d := editDistance(name, x) - editDistance(name, y); d != 0 {
			return d
		}
		return strings.Compare(x, y)
	})
	return names[:min(len(names), 5)]
}

// editDistance is Levenshtein's, in characters and without regard to case.
func editDistance(a, b string) int {
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}

// shapeFor is the shape that the caller gives an input, by --input-shapes or
// through the value fed.
func (b *binder) shapeFor(name string) (dims []dim.Dim, ok bool) {
	if dims, ok = b.opts.InputShapes[name]; ok {
		return dims, true
	}
	if v := b.opts.Feeds[name]; v != nil {
		return v.Shape().Dims(), true
	}
	return nil, false
}

// bindInput binds the symbols that an input declares to the shape that the
// caller gives it.
func (b *binder) bindInput(v *onnxgraph.Value) error {
	given, ok := b.shapeFor(v.Name)
	if !ok || v.Declared == nil {
		return nil
	}
	t := v.Declared
	for t.Shape == nil && t.Elem != nil {
		t = t.Elem
	}
	if t.Shape == nil {
		return nil
	}
	declared := t.Shape.Dims
	if len(declared) != len(given) {
		return &BindingError{Name: v.Name, Message: fmt.Sprintf("the shape has %d dims, the model declares %d", len(given), len(declared))}
	}
	for i, d := range declared {
		if n, isInt := given[i].Int(); isInt && n < 0 {
			return &BindingError{Name: v.Name, Message: fmt.Sprintf("a dim of %d is impossible", n)}
		}
		if err := b.bindDim(v.Name, i, d, given[i]); err != nil {
			return err
		}
	}
	return nil
}

func (b *binder) bindDim(input string, axis int, declared onnxgraph.Dim, given dim.Dim) error {
	n, isInt := given.Int()
	switch {
	case declared.Param != "" && !b.isExpression(declared.Param):
		if old, ok := b.means[declared.Param]; ok && !dim.Equal(old, given) {
			return &BindingError{Name: declared.Param, Message: fmt.Sprintf("bound to %s and, by axis %d of input %q, to %s", old, axis, input, given)}
		}
		b.means[declared.Param] = given
		if isInt {
			b.bound[declared.Param] = n
		}
	case declared.HasValue && declared.Value > 0 && (!isInt || n != declared.Value):
		b.overridden = true
		b.notes = append(b.notes, Diagnostic{Code: "override", Severity: Note,
			Message: fmt.Sprintf("axis %d of input %q: %s overrides the declared %d", axis, input, given, declared.Value)})
	}
	return nil
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

// makeInput is the fact of an input of the main graph.
func (b *binder) makeInput(v *onnxgraph.Value) tensor.Fact {
	fact := tensor.Fact{Type: b.convert(v.Declared, v.Name)}
	if given, ok := b.shapeFor(v.Name); ok {
		t := &fact.Type
		for t.Elem != nil {
			elem := *t.Elem
			t.Elem = &elem
			t = t.Elem
		}
		dims := make([]dim.Dim, len(given))
		for i, d := range given {
			dims[i] = b.resolve(d)
		}
		t.Shape = tensor.MakeShape(dims...)
		if t.Kind == onnxgraph.KindUnset {
			t.Kind = onnxgraph.KindTensor
		}
	}
	b.checkInput(v)
	if fed := b.opts.Feeds[v.Name]; fed != nil {
		fact.Value = fed
		if fact.Type.DType == onnxgraph.Undefined {
			fact.Type = fed.Type()
		}
	}
	if !fullyKnown(fact.Type) {
		fact.Reason = "the file does not declare the type of this input in full"
	}
	return fact
}

// checkInput reports what is odd about the declaration of an input.
func (b *binder) checkInput(v *onnxgraph.Value) {
	if v.Origin == onnxgraph.Stored {
		b.checkDefault(v)
	}
	if _, given := b.shapeFor(v.Name); !given {
		for i, d := range declaredDims(v.Declared) {
			if d.HasValue && d.Value == 0 {
				b.notes = append(b.notes, Diagnostic{Code: "zero-dim", Severity: Warning,
					Message: fmt.Sprintf("axis %d of input %q is declared as 0, so everything made from it is empty; if the exporter meant a dynamic dim, give the shape with --input-shapes %s:...", i, v.Name, v.Name)})
			}
		}
	}
	if d := v.Declared; v.Origin == onnxgraph.GraphInput && (d == nil || d.Kind == onnxgraph.KindTensor && !d.DType.Valid()) {
		b.notes = append(b.notes, Diagnostic{Code: "input-type", Severity: Error,
			Message: fmt.Sprintf("graph input %q declares no element type, which the format demands", v.Name)})
	}
}

// checkDefault holds a stored tensor that is an input's default against the
// input's declaration.
func (b *binder) checkDefault(v *onnxgraph.Value) {
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
			Message: fmt.Sprintf("input %q is declared as %s, its stored default is %s%v", v.Name, b.convert(v.Declared, v.Name), v.Tensor.DType, v.Tensor.Dims)})
	}
}

func (b *binder) inputFact(i int) tensor.Fact { return b.facts[i] }

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
	case input == "" || b.opts.Knowledge == OrtLoad && b.opts.DefaultDims == 0:
		return dim.Unknown()
	}
	return b.symbol(unnamedSymbol(input, axis))
}

// param is the meaning of a dim_param: a symbol, or an expression over some. To
// ONNX Runtime an expression is a name like any other.
func (b *binder) param(name string) dim.Dim {
	if !b.isExpression(name) || b.opts.Knowledge == OrtLoad {
		return b.symbol(name)
	}
	d, err := dim.Parse(name)
	if err != nil {
		return b.symbol(name)
	}
	return b.resolve(d)
}

// resolve replaces the symbols of an expression by what they are bound to.
func (b *binder) resolve(d dim.Dim) dim.Dim {
	names := d.Symbols()
	if len(names) == 0 {
		return d
	}
	means := make(map[string]dim.Dim, len(names))
	for _, name := range names {
		means[name] = b.symbol(name)
	}
	return d.Subst(means)
}

func (b *binder) symbol(name string) dim.Dim {
	if d, ok := b.means[name]; ok {
		return d
	}
	if b.opts.DefaultDims > 0 && b.symbols[name] {
		b.assumed[name] = b.opts.DefaultDims
		return dim.Int(b.opts.DefaultDims)
	}
	if !slices.Contains(b.order, name) {
		b.order = append(b.order, name)
	}
	return dim.Symbol(name)
}

// declares reports whether the model or the caller uses the name for a dim.
func (b *binder) declares(name string) bool {
	_, bound := b.means[name]
	return bound || b.symbols[name] || slices.Contains(b.order, name)
}

// free lists the symbols of the graph's inputs that stay open.
func (b *binder) free() []string {
	var names []string
	for _, f := range b.facts {
		if inner, ok := f.Type.Tensor(); ok {
			for _, d := range inner.Shape.Dims() {
				for _, name := range d.Symbols() {
					if !slices.Contains(names, name) {
						names = append(names, name)
					}
				}
			}
		}
	}
	return names
}
