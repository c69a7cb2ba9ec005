package report

import (
	"context"

	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
)

// An Analysis is a model inferred for a report, twice where dimensions are
// dynamic: symbolically, for formulas, and with an assumed size, for numbers.
//
// Analyze infers, Result counts. An Analysis may not be used by several
// goroutines at once.
type Analysis struct {
	Program  *onnxgraph.Program
	Symbolic *shapeinfer.Result // with what the caller set
	Numbers  *shapeinfer.Result // the same where nothing is dynamic

	opts           Options
	numbersOptions shapeinfer.Options // those of Numbers
	saved          map[int32]int64    // by node of the main graph: bytes that training keeps
	trainer        *training.Trainer
	plain          *weights.Set // counted without a selection; by stored
}

// File reports on the model in the file of that name. It opens and closes the
// file; see [onnxgraph.Open], [Analyze] and [Analysis.Result] for the errors.
func File(ctx context.Context, path string, opts Options) (*Result, error) {
	file, err := onnxgraph.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	a, err := Analyze(file.Model, opts)
	if err != nil {
		return nil, err
	}
	return a.Result(ctx)
}

// Analyze infers a model for reports. The error is an [*OptionError] for options
// that do not exist, a [*shapeinfer.BindingError] for sizes that do not fit the
// model, or an [*InternalError]. A model that breaks the rules of its operators
// is no error: see [Analysis.HasErrors].
func Analyze(model *onnxgraph.Model, opts Options) (a *Analysis, err error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	if bug := opts.keepGoing("inference", func() { a, err = analyze(onnxgraph.Resolve(model), opts) }); bug != nil {
		return nil, bug
	}
	return a, err
}

func analyze(p *onnxgraph.Program, opts Options) (*Analysis, error) {
	a := &Analysis{Program: p, opts: opts}
	var err error
	if a.Symbolic, err = shapeinfer.InferProgram(p, opts.Infer); err != nil {
		return nil, err
	}
	a.Numbers, a.numbersOptions = a.Symbolic, opts.Infer
	if len(a.Symbolic.FreeSymbols) > 0 {
		a.numbersOptions.DefaultDims = 1
		if a.Numbers, err = shapeinfer.InferProgram(p, a.numbersOptions); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// with is the analysis of the same model as inferred with other sizes.
func (a *Analysis) with(r *shapeinfer.Result, opts shapeinfer.Options) *Analysis {
	return &Analysis{Program: a.Program, Symbolic: r, Numbers: r, opts: a.opts, numbersOptions: opts, plain: a.stored()}
}

// Result reports on the model. The error is ctx's, once that is done. A section
// that runs into a bug is left out, with a diagnostic: see
// [Result.InternalErrors].
func (a *Analysis) Result(ctx context.Context) (*Result, error) {
	r := a.result(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

func (a *Analysis) result(ctx context.Context) *Result {
	r := &Result{
		Schema:      Schema,
		Model:       describe(a.Numbers),
		Bindings:    a.Numbers.Bindings,
		Assumptions: a.assumptions(),
		Coverage:    Coverage(a.Numbers.Coverage),
		Diagnostics: a.diagnostics(),
	}
	var weights *weights.Set
	if !a.section(r, "weights", func() { weights = a.makeWeights(r) }, func(finding.Finding) { r.Parameters, r.Weights = Parameters{}, Weights{} }) {
		return r // all sizes need them
	}
	var program *liveness.Program
	if !a.section(r, "the order of nodes", func() { program = liveness.NewProgram(a.Numbers, liveness.Options{InPlace: a.opts.ReuseInputs}) }, nil) {
		return r
	}
	a.makeSections(ctx, r, program, weights)
	return r
}

// makeWeights fills what the report says about stored constants.
func (a *Analysis) makeWeights(r *Result) *weights.Set {
	weights, unmatched := a.weights()
	r.describeWeights(weights, a.opts.top())
	r.Parameters.Notes = append(r.Parameters.Notes, a.unmatchedPatterns(unmatched)...)
	return weights
}

// makeSections fills what depends on sizes, section by section.
func (a *Analysis) makeSections(ctx context.Context, r *Result, p *liveness.Program, w *weights.Set) {
	if !a.opts.Weights.SkipContents {
		a.section(r, "equal weights", func() {
			r.Weights.Duplicates = duplicates(w)
			r.Parameters.Notes = append(r.Parameters.Notes, duplicateNotes(r.Weights.Duplicates)...)
		}, nil)
	}
	runtime := begin(&a.opts, "the runtime", a.estimateRuntime)
	trained := begin(&a.opts, "training", func() simulation { return a.simulated(a.opts.Training) })
	larger := begin(&a.opts, "formulas", a.inferLarger)
	inf := &r.Inference
	var peak liveness.Peak
	ran := a.section(r, "inference", func() { peak = a.describeInference(r, p, w) }, func(finding.Finding) { r.Inputs, *inf = Inputs{}, Inference{LiveAtPeak: []LiveTensor{}} })
	if ran {
		a.section(r, "the explanation of the peak", func() { inf.Explanation = a.explainPeak(p, peak) }, nil)
		a.section(r, "arena and order", func() { a.describePlans(inf, p) }, func(finding.Finding) {
			inf.ArenaBytes, inf.ArenaBestFitBytes, inf.BestOrderBytes, inf.BestOrderExact = nil, nil, nil, false
		})
	}
	if ran && a.opts.Timeline {
		a.section(r, "the timeline", func() { a.describeTimeline(inf, p, peak) }, func(finding.Finding) { inf.Timeline, inf.Steps, inf.Lifetimes = nil, nil, nil })
	}
	a.section(r, "compute", func() { describeCompute(r, p) }, func(finding.Finding) { r.Compute = Compute{} })
	if ran && len(a.Symbolic.FreeSymbols) > 0 {
		a.makeFormulas(r, p, peak, larger)
	}
	estimate, bug := runtime.wait()
	if r.complete(bug, func(bug finding.Finding) { inf.Runtime = &Runtime{Name: a.opts.Runtime.String(), Reason: &bug} }) {
		a.section(r, "the runtime", func() { a.describeRuntime(r, p, w, estimate) }, func(bug finding.Finding) { inf.Runtime = &Runtime{Name: a.opts.Runtime.String(), Reason: &bug} })
	}
	sim, bug := trained.wait()
	withoutTraining := func(bug finding.Finding) {
		a.saved = nil
		r.Training = a.emptyTraining()
		r.Training.Reason = &bug
	}
	if r.complete(bug, withoutTraining) && a.section(r, "training", func() { a.describeTraining(r, p, w, sim) }, withoutTraining) {
		a.section(r, "advice on training", func() { a.describeAdvice(ctx, r) }, func(finding.Finding) { r.Training.Advice = nil })
	}
	if a.opts.PerNode {
		a.section(r, "nodes", func() { r.Nodes = a.nodes(p, w) }, nil)
		a.section(r, "the list of weights", func() { r.Weights.Tensors = a.weightTensors(w) }, nil)
	}
}

// makeFormulas fills the totals as expressions.
func (a *Analysis) makeFormulas(r *Result, p *liveness.Program, peak liveness.Peak, larger *answer[*shapeinfer.Result]) {
	without := func(finding.Finding) {
		r.Formula = Formula{Symbols: r.Formula.Symbols}
		for i := range r.Inference.Lifetimes {
			r.Inference.Lifetimes[i].Formula = ""
		}
	}
	if a.section(r, "formulas", func() { a.describeFormula(r, p, peak) }, without) {
		checked, bug := larger.wait()
		if r.complete(bug, without) {
			held, _ := heldWeights(r, p, peak, a.opts.FreeInputs)
			a.section(r, "formulas", func() { a.checkFormulas(r, held, checked) }, without)
		}
	}
}

// stored counts the weights as the graph shows them. They depend on the file
// alone, not on sizes, so they are counted once.
func (a *Analysis) stored() *weights.Set {
	if a.plain == nil {
		opts := a.opts.Weights
		opts.NoFusion = opts.NoFusion || a.opts.Training.NoFusion
		if opts.Catalogue == nil {
			opts.Catalogue = a.opts.Infer.Catalogue
		}
		a.plain = weights.Collect(a.Program, opts)
	}
	return a.plain
}

// weights counts the weights, with those frozen that do not train by their
// names. unmatched are the globs that match none of them.
func (a *Analysis) weights() (w *weights.Set, unmatched []string) {
	return a.stored().Select(a.Program, a.opts.Training.Names)
}

// HasErrors reports whether the model itself is invalid. One that is invalid only
// at the sizes that were assumed for dynamic dimensions is not.
func (a *Analysis) HasErrors() bool { return a.Symbolic.HasErrors() }

// diagnostics are those of the model, and a warning where it is invalid at the
// assumed sizes.
func (a *Analysis) diagnostics() []Diagnostic {
	if a.HasErrors() || !a.Numbers.HasErrors() {
		return diagnostics(a.Numbers)
	}
	return append(diagnostics(a.Symbolic), Diagnostic{
		Code: string(finding.AssumedSize), Severity: string(shapeinfer.Warning),
		Message: "the model is invalid at the sizes assumed for dynamic dimensions, so the numbers mean little; set these sizes. First error: " + firstError(a.Numbers),
	})
}
