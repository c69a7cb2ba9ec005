package report

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"onnxmem/report/memory"
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
	Limited      bool        `json:"limited,omitempty"` // the search ended before the budget did
	Table        []FitRow    `json:"table"`
	Formula      *FitFormula `json:"formula,omitempty"`
	Devices      []DeviceFit `json:"devices"`
	Assumptions  []string    `json:"assumptions"`
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
	// Measure returns the bytes that the analysed model takes; nil means the
	// peak of one run.
	Measure func(*Analysis) (int64, error)
	Purpose string // what Measure measures, "run" when it is nil
}

// ErrNothingOpen says that every dim of the model is a number already.
var ErrNothingOpen = errors.New("the model has no open dim: export it with a dynamic batch, or name a dim yourself, as in --input-shapes image:batch,3,224,224")

// FindFit searches the largest size of a symbol under a budget by inferring
// the model again at each size; the file is not read again. It relies on
// memory growing with the size, and checks that along the way.
func (a *Analysis) FindFit(opts FitOptions) (*Fit, error) {
	if len(a.Symbolic.FreeSymbols) == 0 {
		return nil, ErrNothingOpen
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
	if opts.Measure == nil {
		opts.Measure, opts.Purpose = measureRun, "run"
	}
	s := &fitSearch{a: a, opts: opts, known: map[int64]int64{}}
	f := &Fit{
		Schema: FitSchema, Model: describe(a.Path, a.Numbers), Symbol: opts.Symbol, Purpose: opts.Purpose,
		BudgetBytes: opts.Budget - opts.Reserve, ReserveBytes: opts.Reserve, Assumptions: []string{}, Devices: []DeviceFit{},
	}
	for _, name := range a.Symbolic.FreeSymbols {
		if name != opts.Symbol {
			f.Assumptions = append(f.Assumptions, fmt.Sprintf("%s = 1: nothing binds it (--dim %s=N)", name, name))
		}
	}
	largest, limited, err := s.largest(f.BudgetBytes)
	if err != nil {
		return nil, err
	}
	f.Limited = limited
	if largest > 0 {
		n := s.known[largest]
		f.Largest, f.LargestBytes = &largest, &n
	}
	for _, d := range memory.Devices() {
		n, _, err := s.largest(d.Bytes - opts.Reserve)
		if err != nil {
			return nil, err
		}
		fit := DeviceFit{Name: d.Name, Title: d.Title, Bytes: d.Bytes}
		if n > 0 {
			fit.Largest = &n
		}
		f.Devices = append(f.Devices, fit)
	}
	if f.Formula, err = s.formula(max(largest, 1)); err != nil {
		return nil, err
	}
	f.Table, err = s.table(largest, f.BudgetBytes)
	return f, err
}

// measureRun is the peak of one run in bytes.
func measureRun(a *Analysis) (int64, error) {
	w := memory.Stored(a.Program, memory.WeightOptions{})
	p := memory.NewProgram(a.Numbers, memory.Options{InPlace: a.opts.InPlace})
	peak := p.PeakIn(nil, a.opts.FreeInputs).Size.Add(memory.ExactSize(w.Bytes))
	if !a.opts.FreeInputs {
		peak = peak.Add(p.InputSize())
	}
	if n, ok := peak.Exact(); ok {
		return n, nil
	}
	return 0, fmt.Errorf("the size of %d tensors is not known, so nothing can be said of the peak", len(a.unknown()))
}

// A fitSearch remembers what was measured.
type fitSearch struct {
	a     *Analysis
	opts  FitOptions
	known map[int64]int64
}

// at measures one size of the symbol.
func (s *fitSearch) at(n int64) (int64, error) {
	if bytes, ok := s.known[n]; ok {
		return bytes, nil
	}
	infer := s.a.opts.Infer
	dims := map[string]int64{s.opts.Symbol: n}
	for name, v := range infer.Dims {
		dims[name] = v
	}
	infer.Dims, infer.DefaultDims = dims, 1
	r, err := shapeinfer.InferProgram(s.a.Program, infer)
	if err != nil {
		return 0, err
	}
	if r.HasErrors() && !s.a.Numbers.HasErrors() {
		return 0, fmt.Errorf("at %s = %d the model breaks: %s", s.opts.Symbol, n, firstError(r))
	}
	bytes, err := s.opts.Measure(&Analysis{Path: s.a.Path, Program: s.a.Program, Symbolic: r, Numbers: r, opts: s.a.opts})
	if err != nil {
		return 0, fmt.Errorf("at %s = %d: %w", s.opts.Symbol, n, err)
	}
	s.known[n] = bytes
	return bytes, nil
}

func firstError(r *shapeinfer.Result) string {
	for _, d := range r.Diagnostics {
		if d.Severity == shapeinfer.Error {
			return d.Node + ": " + d.Message
		}
	}
	return ""
}

// largest is the largest size that fits, 0 when none does. limited says that
// even the largest size tried fits.
func (s *fitSearch) largest(budget int64) (n int64, limited bool, err error) {
	low, high := int64(0), int64(1)
	for {
		bytes, err := s.at(high)
		if err != nil {
			return 0, false, err
		}
		if bytes > budget {
			break
		}
		if low = high; high >= s.opts.Max || bytes > math.MaxInt64/4 {
			return low, true, nil
		}
		high = min(2*high, s.opts.Max)
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		bytes, err := s.at(middle)
		if err != nil {
			return 0, false, err
		}
		if bytes <= budget {
			low = middle
		} else {
			high = middle
		}
	}
	return low, false, nil
}

// formula looks for a line through sizes around n: the same growth between
// n/2, n, and the next sizes. It says nothing where there is none.
func (s *fitSearch) formula(n int64) (*FitFormula, error) {
	from := max(n/2, 1)
	points := []int64{from, from + 1, max(n, from+2), max(n, from+2) + 1}
	var bytes []int64
	for _, p := range points {
		b, err := s.at(p)
		if err != nil {
			return nil, err
		}
		bytes = append(bytes, b)
	}
	slope := bytes[1] - bytes[0]
	for i, p := range points {
		if bytes[i] != bytes[0]+slope*(p-points[0]) {
			return nil, nil
		}
	}
	f := &FitFormula{Fixed: bytes[0] - slope*points[0], PerUnit: slope, From: points[0], To: points[3]}
	f.Text = fmt.Sprintf("%d + %d*%s", f.Fixed, f.PerUnit, s.opts.Symbol)
	return f, nil
}

// table lists powers of two up to twice the largest size, and that size.
func (s *fitSearch) table(largest, budget int64) ([]FitRow, error) {
	values := []int64{}
	for n := int64(1); n <= 2*max(largest, 1) && n <= s.opts.Max; n *= 2 {
		values = append(values, n)
	}
	if largest > 0 && !slices.Contains(values, largest) {
		values = append(values, largest)
	}
	slices.Sort(values)
	rows := []FitRow{}
	for _, n := range values[max(0, len(values)-12):] {
		bytes, err := s.at(n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, FitRow{n, bytes, bytes <= budget})
	}
	return rows, nil
}
