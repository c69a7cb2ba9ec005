package shapeinfer

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// This file gives data-dependent symbols a meaning: the number that the caller
// gives them, or what the file declares for an output of the model whose size
// inference does not know.

// An equation says what the file declares for a dim of an output.
type equation struct{ found, declared dim.Dim }

// solvingRounds bounds how often a model is inferred again with what was solved:
// what one output declares may decide what another one has.
const solvingRounds = 3

// noteEquations remembers what the file declares for the dims of an output of
// the main graph that depend on tensor values.
func (f *scopeInference) noteEquations(v *onnxgraph.Value, found, declared tensor.Type) {
	if !v.IsOutput || f.scope.Graph != f.e.program.Main || found.Shape.Rank() != declared.Shape.Rank() || f.e.opts.namedDimsOnly() {
		return
	}
	for i, d := range found.Shape.Dims() {
		if e := declared.Shape.At(i); d.HasDataDependent() && e.IsKnown() && v.Declared.Shape != nil && v.Declared.Shape.Dims[i].Param != "" {
			f.e.equations = append(f.e.equations, equation{d, e})
		}
	}
}

// solve adds what the equations say about symbols to solved, and reports
// whether that is anything new.
func (e *engine) solve() (more bool) {
	for _, q := range e.equations {
		name, d, ok := q.solution(e.symbols)
		if _, done := e.solved[name]; ok && !done {
			e.solved[name] = d
			more = true
		}
	}
	return more
}

// solution solves an equation for the only symbol of its left side.
func (q equation) solution(symbols *symbolTable) (name string, d dim.Dim, ok bool) {
	unknowns := q.found.DataDependentSymbols()
	if len(unknowns) != 1 {
		return "", d, false
	}
	x := unknowns[0]
	name = x.String()
	c, ok := q.found.Polynomial(name)
	if !ok || len(c) != 2 || slices.Contains(q.declared.Symbols(), name) {
		return "", d, false
	}
	d = dim.Div(dim.Sub(q.declared, c[0]), c[1])
	if !d.IsInteger() || !fits(d, x) {
		return "", d, false
	}
	if declared := d.Symbols(); !symbols.areDeclared(declared) {
		// A name of its own: the same symbol by the name that the file gives it.
		if len(declared) != 1 || d.String() != declared[0] {
			return "", d, false
		}
		low, _ := x.Lower()
		symbols.used[declared[0]] = true
		d = dim.DataDependent(declared[0], low, x.UpperExpr())
	}
	return name, d, true
}

// fits reports whether d may be what x is: not provably outside its bounds.
func fits(d, x dim.Dim) bool {
	if n, ok := d.Int(); ok {
		return !outside(n, x)
	}
	if above, ok := dim.LessEq(d, x.UpperExpr()); ok && !above {
		return false
	}
	return true
}

// areDeclared reports whether all names are those of input dims.
func (t *symbolTable) areDeclared(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !t.declared[name] })
}

// meaning is what a symbol of that name, which inference is about to make,
// stands for, where the caller or the file says so.
func (f *scopeInference) meaning(name string, lo int64, upper dim.Dim) (dim.Dim, bool) {
	if d, ok := f.e.given[name]; ok {
		f.e.givenUsed[name] = true
		if n, isInt := d.Int(); isInt && outside(n, dim.DataDependent(name, lo, upper)) && f.e.err == nil {
			f.e.err = &BindingError{Name: name, Message: fmt.Sprintf("%d is impossible: %s", n, boundsText(lo, upper))}
		}
		return d, true
	}
	d, ok := f.e.solved[name]
	return d, ok
}

func boundsText(lo int64, upper dim.Dim) string {
	if !upper.IsKnown() {
		return fmt.Sprintf("it is at least %d", lo)
	}
	return fmt.Sprintf("it is at least %d and at most %s", lo, upper)
}

// madeSymbol is how symbols are named that inference makes: after a value and
// an axis.
var madeSymbol = regexp.MustCompile(`^(.*)_dim\d+(_\d+)?$`)

// checkGiven refuses numbers for symbols that the model does not have. A symbol
// that could be made, and was not since other bindings decide the size, is none
// of these.
func (e *engine) checkGiven() error {
	values := map[string]bool{}
	for i := range e.program.Main.Values {
		values[symbolName(e.program.Main.Values[i].Name)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(e.given)) {
		m := madeSymbol.FindStringSubmatch(name)
		if e.givenUsed[name] || m != nil && values[m[1]] {
			continue
		}
		known := maps.Clone(e.symbols.declared)
		for made := range e.names.places {
			known[made] = true
		}
		return &BindingError{name, "the model has no dimension of that name", near(name, known)}
	}
	return nil
}
