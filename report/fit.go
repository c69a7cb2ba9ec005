package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"onnxmem/report/memory/devices"
	"onnxmem/report/memory/liveness"
	"onnxmem/report/memory/training"
	"onnxmem/shapeinfer"
)

// FitSchema names the version of the JSON form of a Fit.
const FitSchema = "onnxmem/fit/v1"

// A Fit says how large a symbol may get under a budget.
type Fit struct {
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
	Advice      []Advice `json:"advice,omitempty"`
	Assumptions []string `json:"assumptions"`
	Notes       []string `json:"notes,omitempty"`
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

// FitOptions steer the search.
type FitOptions struct {
	Symbol  string // empty: the first open symbol
	Budget  int64  // bytes, the reserve included
	Reserve int64  // bytes kept for the runtime's context
	Max     int64  // the largest size tried; 0 means 2^24
	// Training says how the model is trained; nil fits one run instead.
	Training *training.Options
}

// ErrNothingOpen says that every dim of the model is a number already.
var ErrNothingOpen = errors.New("the model has no open dim")

// nothingOpen is ErrNothingOpen with the way out, for the input that the model
// has.
func (a *Analysis) nothingOpen() error {
	name, dims := "NAME", "batch,..."
	for _, in := range realInputs(a.Program) {
		id, ok := a.Numbers.Main.Graph.Lookup(in.Name)
		if !ok {
			continue
		}
		if sizes, ok := a.Numbers.Main.Facts[id].Type.Shape.Ints(); ok && len(sizes) > 0 {
			name, dims = in.Name, "batch"
			for _, n := range sizes[1:] {
				dims += fmt.Sprintf(",%d", n)
			}
			break
		}
	}
	return fmt.Errorf("%w: name the one to enlarge, as in --input-shapes '%s:%s', or export the model with a dynamic batch", ErrNothingOpen, name, dims)
}

// FindFit searches the largest size of a symbol under a budget by inferring
// the model again at each size; the file is not read again.
func (a *Analysis) FindFit(ctx context.Context, opts FitOptions) (*Fit, error) {
	if len(a.Symbolic.FreeSymbols) == 0 {
		return nil, a.nothingOpen()
	}
	if opts.Symbol == "" {
		opts.Symbol = a.Symbolic.FreeSymbols[0]
	}
	if !slices.Contains(a.Symbolic.FreeSymbols, opts.Symbol) {
		return nil, &shapeinfer.BindingError{Name: opts.Symbol, Message: "the model has no open dim of that name", Near: a.Symbolic.FreeSymbols}
	}
	if opts.Max == 0 {
		opts.Max = 1 << 24
	}
	f := &Fit{
		Schema: FitSchema, Model: describe(a.Numbers), Symbol: opts.Symbol, Purpose: "run",
		BudgetBytes: opts.Budget - opts.Reserve, ReserveBytes: opts.Reserve, Assumptions: []string{}, Devices: []DeviceFit{},
	}
	if opts.Training != nil {
		f.Purpose = "train"
	}
	for _, name := range a.Symbolic.FreeSymbols {
		if name != opts.Symbol {
			f.Assumptions = append(f.Assumptions, fmt.Sprintf("%s = 1: nothing binds it (--dim %s=N)", name, name))
		}
	}
	s := &fitSearch{a: a, symbol: opts.Symbol, most: opts.Max, training: opts.Training, known: map[int64]int64{}, broken: map[int64]error{}}
	var err error
	if bug := a.opts.keepGoing("the search", func() { err = s.fill(f) }); bug != nil || err != nil {
		return nil, cmp.Or(bug, err)
	}
	if bug := a.opts.keepGoing("the devices", func() { f.Devices, err = s.devices(opts.Reserve) }); bug != nil {
		f.Devices, f.Diagnostics = []DeviceFit{}, append(f.Diagnostics, internalDiagnostic(bug))
	}
	if err != nil {
		return nil, err
	}
	f.Notes = append(f.Notes, s.notes(f.BudgetBytes, f.Largest)...)
	if opts.Training != nil {
		if bug := a.opts.keepGoing("advice on training", func() { f.Advice = s.advise(ctx, f) }); bug != nil {
			f.Diagnostics = append(f.Diagnostics, internalDiagnostic(bug))
		}
	}
	return f, nil
}

// devices finds the largest size that each known device holds.
func (s *fitSearch) devices(reserve int64) ([]DeviceFit, error) {
	list := []DeviceFit{}
	for _, d := range devices.All() {
		n, _, err := s.largest(d.Bytes - reserve)
		if err != nil {
			return nil, err
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
func (s *fitSearch) fill(f *Fit) error {
	largest, limited, err := s.largest(f.BudgetBytes)
	if err != nil {
		return err
	}
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
func (s *fitSearch) notes(budget int64, largest *int64) []string {
	var notes []string
	weights := s.a.stored()
	if largest == nil && weights.Bytes > budget {
		notes = append(notes, fmt.Sprintf("the weights alone take %d bytes, more than the budget: no %s is small enough", weights.Bytes, s.symbol))
	}
	if largest != nil && s.broken[*largest+1] != nil {
		notes = append(notes, s.broken[*largest+1].Error())
	}
	if n, ok := s.missedBelow(budget, largest); ok {
		notes = append(notes, fmt.Sprintf("%s = %d does not fit although %d does: an allocator's blocks fit some sizes better than others", s.symbol, n, *largest))
	}
	return notes
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
	unknown := a.unknown()
	if len(unknown) == 0 {
		return 0, errors.New("the peak is not known")
	}
	return 0, fmt.Errorf("the size of %s is not known, the first being %s: %s", plural(len(unknown), "tensor"), unknown[0].Name, unknown[0].Reason)
}
