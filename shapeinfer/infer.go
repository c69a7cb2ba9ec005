package shapeinfer

import (
	"errors"

	"onnxmem/onnxgraph"
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
	b, err := bindInputs(p.Main, &opts)
	if err != nil {
		return nil, err
	}
	known := opts.Catalogue
	if known == nil {
		known = catalogue.Default()
	}
	e := &engine{
		program:   p,
		opts:      opts,
		catalogue: known,
		symbols:   b.symbols,
		declared:  b.symbols.otherTypes(b.overridden),
		found:     map[opKey]foundOp{},
		values:    map[*onnxgraph.Tensor]*tensor.Value{},
		functions: map[string]*functionRun{},
		names:     newSymbolNames(),
		budget:    newBudget(p),
		result: &Result{
			Program:  p,
			Bindings: b.symbols.numbers,
			Assumed:  b.symbols.assumed,
			opts:     opts,
			unnamed:  b.symbols.names,
		},
	}
	e.diagnostics.seen = map[Diagnostic]bool{}
	e.diagnostics.more = map[string]int{}
	e.reportProblems()
	e.checkStored()
	e.checkImports()
	e.report(b.notes...)
	e.main(b)
	e.result.FreeSymbols = b.freeSymbols()
	e.result.Coverage = coverageOf(e.result.Main)
	e.result.Diagnostics = e.diagnostics.list()
	return e.result, nil
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
