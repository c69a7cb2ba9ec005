package shapeinfer

import (
	"errors"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
	"onnxmem/shapeinfer/tensor"
)

// This file is where an inference begins, and what all scopes of it share.

// Infer infers the types of m under the options. It fails only when the
// options do not fit the model ([BindingError]); what is wrong with the model
// itself is among the result's diagnostics.
func Infer(m *onnxgraph.Model, opts Options) (*Result, error) {
	return InferProgram(onnxgraph.Resolve(m), opts)
}

// InferProgram is [Infer] for a model whose names are resolved already, which
// saves the work when one model is inferred under several bindings.
func InferProgram(p *onnxgraph.Program, opts Options) (*Result, error) {
	if p.Main == nil {
		return nil, errors.New("the model has no graph")
	}
	known := opts.Catalogue
	if known == nil {
		known = catalogue.Default()
	}
	// What is found out about symbols in one round counts from the beginning in
	// the next one.
	solved := map[string]dim.Dim{}
	for round := 0; ; round++ {
		b, err := bindInputs(p.Main, &opts)
		if err != nil {
			return nil, err
		}
		e := newEngine(p, opts, known, b, solved)
		e.run(b)
		if e.err != nil {
			return nil, e.err
		}
		again := e.solve()
		with, more := opts.settle(e.settled)
		if opts = with; round < solvingRounds && (again || more) {
			continue
		}
		if err := e.checkGiven(); err != nil {
			return nil, err
		}
		return e.result, nil
	}
}

func newEngine(p *onnxgraph.Program, opts Options, known *op.Catalogue, b *binding, solved map[string]dim.Dim) *engine {
	return &engine{
		program:     p,
		opts:        opts,
		catalogue:   known,
		symbols:     b.symbols,
		declared:    b.symbols.otherTypes(b.overridden),
		found:       map[opKey]foundOp{},
		values:      map[*onnxgraph.Tensor]*tensor.Value{},
		functions:   map[string]*functionRun{},
		names:       newSymbolNames(),
		given:       b.undeclared,
		givenUsed:   map[string]bool{},
		solved:      solved,
		settled:     map[string]settledDim{},
		budget:      newBudget(p),
		diagnostics: diagnostics{seen: map[Diagnostic]bool{}, more: map[string]int{}},
		result: &Result{
			Program:  p,
			Bindings: b.givenNumbers(),
			Assumed:  b.symbols.assumed,
			opts:     opts,
			unnamed:  b.symbols.names,
		},
	}
}

// run infers the whole model.
func (e *engine) run(b *binding) {
	e.reportProblems()
	e.checkStored()
	e.checkImports()
	e.report(b.notes...)
	e.main(b)
	for name := range e.givenUsed {
		if n, ok := e.given[name].Int(); ok {
			e.result.Bindings[name] = n
		}
	}
	e.result.FreeSymbols = b.freeSymbols()
	e.result.Coverage = coverageOf(e.result.Main)
	e.result.Diagnostics = e.diagnostics.list()
}

// An engine holds what one inference shares over all scopes.
type engine struct {
	program     *onnxgraph.Program
	opts        Options
	catalogue   *op.Catalogue
	symbols     *symbolTable
	declared    typeReader // of all values but the main graph's inputs
	found       map[opKey]foundOp
	values      map[*onnxgraph.Tensor]*tensor.Value
	functions   map[string]*functionRun
	calling     []onnxgraph.FunctionKey
	names       symbolNames
	given       map[string]dim.Dim // what the caller binds symbols to that inference makes
	givenUsed   map[string]bool    // which of these were made
	solved      map[string]dim.Dim // what such symbols are, by what the file declares
	settled     map[string]settledDim
	equations   []equation
	err         error // a binding that turned out not to fit
	budget      budget
	diagnostics diagnostics
	result      *Result
}

func (e *engine) reportProblems() {
	for _, p := range e.program.Problems {
		severity := Error
		if p.Code == onnxgraph.Unsorted {
			severity = Warning
		}
		e.report(Diagnostic{string(p.Code), severity, p.Scope, p.Node, p.Message})
	}
}

// main infers the main graph.
func (e *engine) main(b *binding) {
	g := e.program.Main
	f := e.inferenceOf(g, e.program.Model.OpsetImports, nil)
	f.id = e.names.newScope()
	for i, id := range g.Inputs {
		if v := &g.Values[id]; v.Origin == onnxgraph.GraphInput || b.fed(v.Name) {
			f.scope.Facts[id] = b.facts[i]
		}
	}
	e.result.Main = f.scope
	f.run()
}
