package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"onnxmem/onnxgraph"
	"onnxmem/report/finding"
	"onnxmem/report/memory/devices"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
)

// FitSchema names the version of the JSON form of a FitResult.
const FitSchema = "onnxmem/fit/v2"

// A FitResult says how large a symbol may get under a budget.
type FitResult struct {
	Schema  string `json:"schema"`
	Model   Model  `json:"model"`
	Symbol  string `json:"symbol"`
	Purpose string `json:"purpose"` // "run" or "train"
	// BudgetBytes is what the model may take: the device's memory less the
	// reserve for the context of its runtime.
	BudgetBytes  int64       `json:"budget_bytes"`
	ReserveBytes int64       `json:"reserve_bytes"`
	Largest      *int64      `json:"largest"` // nil when not even 1 fits
	LargestBytes *int64      `json:"largest_bytes"`
	Limited      bool        `json:"limited,omitempty"` // the search, or what the model can have, ended before the budget did
	Table        []FitRow    `json:"table"`
	Formula      *FitFormula `json:"formula,omitempty"`
	Devices      []DeviceFit `json:"devices"`
	// Advice says what would make room for more, in training.
	Advice      []Advice          `json:"advice,omitempty"`
	Assumptions []finding.Finding `json:"assumptions"`
	Notes       []finding.Finding `json:"notes,omitempty"`
	// Diagnostics tell of bugs of this program: what they stand for is missing.
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
}

// A FitRow is the memory at one size of the symbol.
type FitRow struct {
	Value int64 `json:"value"`
	Bytes int64 `json:"bytes"`
	Fits  bool  `json:"fits"`
}

// A FitFormula is bytes = Fixed + PerUnit x symbol, checked at sizes From and To
// and between.
type FitFormula struct {
	Fixed   int64  `json:"fixed_bytes"`
	PerUnit int64  `json:"bytes_per_unit"`
	From    int64  `json:"from"`
	To      int64  `json:"to"`
	Text    string `json:"text"`
}

// A DeviceFit is the largest size of the symbol that one device holds.
type DeviceFit struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Bytes   int64  `json:"bytes"`
	Largest *int64 `json:"largest"`
}

// FitOptions steer a [Fit]. Dynamic dimensions other than Symbol that Infer does
// not set count as 1. Apart from the budget, the zero FitOptions are those of `onnxmem
// fit` without flags.
type FitOptions struct {
	Options
	Symbol  string // to enlarge; empty: the first dynamic dimension
	Budget  int64  // bytes, the reserve included
	Reserve *int64 // bytes kept for the runtime's context; nil means [DefaultReserve]
	Max     int64  // the largest size tried; 0 means [DefaultMax]
	Train   bool   // fit a training step, as Options.Training says, in place of one inference
}

// DefaultReserve is kept for the context of a runtime on a device, in bytes:
// libraries, kernels and workspaces. It differs by driver and library; this is on
// the careful side.
const DefaultReserve = 1_000_000_000

// DefaultMax is the largest size that a fit tries.
const DefaultMax = 1 << 24

func (o *FitOptions) reserve() int64 {
	if o.Reserve == nil {
		return DefaultReserve
	}
	return *o.Reserve
}

// check refuses budgets of which nothing is left for the model, with an
// [*OptionError].
func (o *FitOptions) check() error {
	for _, c := range []struct {
		option string
		value  int64
		least  int64
	}{{"reserve", o.reserve(), 0}, {"budget", o.Budget, o.reserve() + 1}, {"max", o.Max, 0}} {
		if c.value < c.least {
			return &OptionError{Option: c.option, Value: strconv.FormatInt(c.value, 10), Known: []string{fmt.Sprintf("a number of at least %d", c.least)}}
		}
	}
	return nil
}

// ErrNothingOpen says that every dim of the model is a number already.
var ErrNothingOpen = errors.New("the model has no dynamic dimension")

// A StaticError is [ErrNothingOpen] with the input whose first dim a caller can
// replace by a name.
type StaticError struct {
	Input string  // empty where no input has a known shape
	Shape []int64 // of the input
}

// Error implements error.
func (e *StaticError) Error() string { return ErrNothingOpen.Error() }

// Unwrap returns [ErrNothingOpen].
func (e *StaticError) Unwrap() error { return ErrNothingOpen }

// nothingOpen is the error of a model without a dynamic dimension.
func (a *Analysis) nothingOpen() error {
	for _, in := range realInputs(a.Program) {
		id, ok := a.Numbers.Main.Graph.Lookup(in.Name)
		if !ok {
			continue
		}
		if sizes, ok := a.Numbers.Main.Facts[id].Type.Shape.Ints(); ok && len(sizes) > 0 {
			return &StaticError{in.Name, sizes}
		}
	}
	return &StaticError{}
}

// Fit searches the largest size of a symbol under a budget, by inferring the
// model again at each size that it tries. The error is ctx's once that is done,
// [ErrNothingOpen] for a model without a symbol, a [*shapeinfer.BindingError] for
// a symbol that the model lacks, or what [Analyze] says. Where memory is not
// known at some size the error says why.
func Fit(ctx context.Context, model *onnxgraph.Model, opts FitOptions) (*FitResult, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	a, err := Analyze(model, opts.Options)
	if err != nil {
		return nil, err
	}
	return a.fit(ctx, opts)
}

func (a *Analysis) fit(ctx context.Context, opts FitOptions) (*FitResult, error) {
	if len(a.Symbolic.FreeSymbols) == 0 {
		return nil, a.nothingOpen()
	}
	if opts.Symbol == "" {
		opts.Symbol = a.Symbolic.FreeSymbols[0]
	}
	if !slices.Contains(a.Symbolic.FreeSymbols, opts.Symbol) {
		return nil, &shapeinfer.BindingError{Name: opts.Symbol, Message: "the model has no dynamic dimension of that name", Near: a.Symbolic.FreeSymbols}
	}
	opts.Max = cmp.Or(opts.Max, DefaultMax)
	f := &FitResult{
		Schema: FitSchema, Model: describe(a.Numbers), Symbol: opts.Symbol, Purpose: "run",
		BudgetBytes: opts.Budget - opts.reserve(), ReserveBytes: opts.reserve(), Assumptions: []finding.Finding{}, Devices: []DeviceFit{},
	}
	if opts.Train {
		f.Purpose = "train"
	}
	for _, name := range a.Symbolic.FreeSymbols {
		if name != opts.Symbol {
			f.Assumptions = append(f.Assumptions, assumedDimension(name, 1))
		}
	}
	a.stored() // once, before several sizes are measured at a time
	s := newFitSearch(opts.Symbol, opts.Max, a.measureAt(ctx, opts))
	s.nodes = len(a.Numbers.Main.Nodes)
	var err error
	if bug := a.opts.keepGoing("the search", func() { err = s.fill(f, &a.opts) }); bug != nil || err != nil {
		return nil, cmp.Or(bug, err)
	}
	if bug := a.opts.keepGoing("the devices", func() { f.Devices, err = s.devices(opts.reserve(), &a.opts) }); bug != nil {
		f.Devices, f.Diagnostics = []DeviceFit{}, append(f.Diagnostics, internalDiagnostic(bug))
	}
	if err != nil {
		return nil, err
	}
	f.Notes = append(f.Notes, s.notes(a.stored(), f.BudgetBytes, f.Largest)...)
	if len(f.Devices) < len(devices.All()) && len(f.Diagnostics) == 0 {
		note := finding.New(finding.SearchEnded)
		note.Count = int64(len(s.known) + len(s.broken))
		f.Notes = append(f.Notes, note)
	} else if opts.Train {
		if bug := a.opts.keepGoing("advice on training", func() { f.Advice = a.adviseFit(ctx, f, s, opts) }); bug != nil {
			f.Diagnostics = append(f.Diagnostics, internalDiagnostic(bug))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// devices finds the largest size that each known device holds.
func (s *fitSearch) devices(reserve int64, opts *Options) ([]DeviceFit, error) {
	var budgets []int64
	for _, d := range devices.All() {
		budgets = append(budgets, d.Bytes-reserve)
	}
	slices.Sort(budgets)
	largest, err := s.largestOfEach(slices.Compact(budgets), opts)
	if err != nil {
		return nil, err
	}
	list := []DeviceFit{}
	for _, d := range devices.All() {
		n, answered := largest[d.Bytes-reserve]
		if !answered {
			continue
		}
		fit := DeviceFit{Name: d.Name, Title: d.Title, Bytes: d.Bytes}
		if n > 0 {
			fit.Largest = &n
		}
		list = append(list, fit)
	}
	return list, nil
}

// fill answers for the budget: the largest size, the formula and the table.
func (s *fitSearch) fill(f *FitResult, opts *Options) error {
	largest, limited, err := s.largest(f.BudgetBytes)
	if err != nil {
		return err
	}
	s.ahead(opts, slices.Concat(formulaPoints(max(largest, 1)), s.tableSizes(largest)))
	f.Limited = limited
	if largest > 0 {
		n := s.known[largest]
		f.Largest, f.LargestBytes = &largest, &n
	}
	if f.Formula, err = s.formula(max(largest, 1)); err != nil {
		return err
	}
	f.Table, err = s.table(largest, f.BudgetBytes)
	return err
}

// notes says what a reader of the table should know.
func (s *fitSearch) notes(weights *weights.Set, budget int64, largest *int64) []finding.Finding {
	var notes []finding.Finding
	add := func(c finding.Code, set func(*finding.Finding)) {
		f := finding.New(c)
		f.Symbol = s.symbol
		set(&f)
		notes = append(notes, f)
	}
	if largest == nil && weights.Bytes > budget {
		add(finding.WeightsExceedBudget, func(f *finding.Finding) { f.Bytes = weights.Bytes })
	}
	var invalid *invalidSizeError
	if largest != nil && errors.As(s.broken[*largest+1], &invalid) {
		add(finding.SizeNotPossible, func(f *finding.Finding) { f.Size, f.Detail = invalid.size, invalid.why })
	}
	if n, ok := s.missedBelow(budget, largest); ok {
		add(finding.SizeGap, func(f *finding.Finding) { f.Size, f.Count = n, *largest })
	}
	return notes
}

// A SizesUnknownError says which tensors' sizes are not known, so that a peak is
// not known.
type SizesUnknownError struct{ Unknown []Unknown }

// Error implements error.
func (e *SizesUnknownError) Error() string {
	if len(e.Unknown) == 0 {
		return "the peak is not known"
	}
	first := e.Unknown[0]
	text := fmt.Sprintf("%d tensors have no known size; the first is %s", len(e.Unknown), first.Name)
	if len(e.Unknown) == 1 {
		text = fmt.Sprintf("the size of %s is not known", first.Name)
	}
	return text + ": " + cmp.Or(first.Reason, string(first.Code))
}

// measureRun is the peak of one run in bytes.
func measureRun(a *Analysis) (int64, error) {
	w := a.stored()
	p := liveness.NewProgram(a.Numbers, liveness.Options{InPlace: a.opts.ReuseInputs})
	peak := p.PeakIn(nil, a.opts.FreeInputs).Size.Add(w.LoadedSize())
	if !a.opts.FreeInputs {
		peak = peak.Add(p.InputSize())
	}
	if n, ok := peak.Exact(); ok {
		return n, nil
	}
	return 0, &SizesUnknownError{a.unknown()}
}
