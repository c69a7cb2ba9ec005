package report

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"onnxmem/report/memory/training"
	"onnxmem/shapeinfer"
)

// A fitSearch measures a model at sizes of one symbol and remembers what it
// measured.
type fitSearch struct {
	a        *Analysis
	symbol   string
	most     int64             // the largest size tried
	training *training.Options // nil measures one run
	known    map[int64]int64   // bytes by size
	broken   map[int64]error   // sizes at which the model breaks
}

// A breakError says that a model cannot have some size of a symbol: a window
// does not fit, or a table of positions ends.
type breakError struct {
	symbol, why string
	size        int64
}

func (e *breakError) Error() string {
	return fmt.Sprintf("at %s = %d the model breaks: %s", e.symbol, e.size, e.why)
}

// at measures one size of the symbol. The error is a *breakError for sizes
// that the model cannot have.
func (s *fitSearch) at(n int64) (int64, error) {
	if bytes, ok := s.known[n]; ok {
		return bytes, nil
	}
	if err := s.broken[n]; err != nil {
		return 0, err
	}
	sized, err := s.sized(n)
	if err != nil {
		return 0, err
	}
	var bytes int64
	if s.training != nil {
		bytes, err = trainingReserved(sized, *s.training)
	} else {
		bytes, err = measureRun(sized)
	}
	if err != nil {
		return 0, fmt.Errorf("at %s = %d: %w", s.symbol, n, err)
	}
	s.known[n] = bytes
	return bytes, nil
}

// sized infers the model at one size of the symbol.
func (s *fitSearch) sized(n int64) (*Analysis, error) {
	infer := s.a.opts.Infer
	dims := map[string]int64{s.symbol: n}
	for name, v := range infer.Dims {
		dims[name] = v
	}
	infer.Dims, infer.DefaultDims = dims, 1
	r, err := shapeinfer.InferProgram(s.a.Program, infer)
	if err != nil {
		return nil, err
	}
	if r.HasErrors() && !s.a.Symbolic.HasErrors() {
		err := &breakError{s.symbol, firstError(r), n}
		s.broken[n] = err
		return nil, err
	}
	return s.a.with(r, infer), nil
}

func firstError(r *shapeinfer.Result) string {
	for _, d := range r.Diagnostics {
		if d.Severity == shapeinfer.Error {
			return d.Node + ": " + d.Message
		}
	}
	return ""
}

// A verdict is whether a size fits a budget.
type verdict uint8

const (
	fits    verdict = iota
	close           // a little too large: the next size may fit, since an allocator wastes more of some
	tooMuch         // by more than half
	breaks          // the model cannot have the size
)

func (s *fitSearch) judge(n, budget int64) (verdict, error) {
	bytes, err := s.at(n)
	var b *breakError
	switch {
	case errors.As(err, &b):
		return breaks, nil
	case err != nil:
		return 0, err
	case bytes <= budget:
		return fits, nil
	case bytes > math.MaxInt64/4 || bytes-budget > budget/2:
		return tooMuch, nil
	}
	return close, nil
}

// Limits of a search: sizes a little too large that are passed in the hope of
// one that fits, and powers of two at which the model may break before it
// works.
const (
	maxClose  = 3
	maxBreaks = 16
)

// largest is the largest size that fits, 0 when none does, as long as memory
// grows with the size but for the waste of an allocator. limited says that even
// the largest size tried fits, or that the model breaks at the next.
func (s *fitSearch) largest(budget int64) (n int64, limited bool, err error) {
	low, misses, broke := int64(0), 0, 0
	var first error // at which the model breaks
	for high := int64(1); ; high = min(2*high, s.most) {
		v, err := s.judge(high, budget)
		if err != nil {
			return 0, false, err
		}
		switch {
		case v == fits:
			low, misses = high, 0
		case v == breaks && low == 0 && misses == 0:
			broke++
			if first == nil {
				first = s.broken[high]
			}
		default:
			misses++
		}
		if broke > maxBreaks {
			return 0, false, fmt.Errorf("%w. Dims that nothing binds are taken as 1; bind them with --dim", first)
		}
		if high == s.most || v == tooMuch || misses > maxClose || v == breaks && misses > 0 {
			break
		}
	}
	if low == 0 || low == s.most {
		return low, low == s.most, nil
	}
	return s.between(low, min(2*low, s.most), budget)
}

// between narrows the largest size that fits down, from one that does and one
// that does not.
func (s *fitSearch) between(low, high, budget int64) (n int64, limited bool, err error) {
	for high-low > 1 {
		middle := low + (high-low)/2
		v, err := s.judge(middle, budget)
		if err != nil {
			return 0, false, err
		}
		if v == fits {
			low = middle
		} else {
			high = middle
		}
	}
	return low, s.broken[high] != nil, nil
}

// missedBelow is the largest size measured that does not fit although a larger
// one does.
func (s *fitSearch) missedBelow(budget int64, largest *int64) (n int64, ok bool) {
	for size, bytes := range s.known {
		if largest != nil && size < *largest && bytes > budget && size > n {
			n, ok = size, true
		}
	}
	return n, ok
}

// formula looks for a line through sizes around n: the same growth between
// n/2, n, and the next sizes. It says nothing where there is none.
func (s *fitSearch) formula(n int64) (*FitFormula, error) {
	from := max(n/2, 1)
	points := []int64{from, from + 1, max(n, from+2), max(n, from+2) + 1}
	var bytes []int64
	for _, p := range points {
		b, err := s.at(p)
		var broken *breakError
		if errors.As(err, &broken) {
			return nil, nil
		}
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
	f.Text = fmt.Sprintf("%d + %d*%s", f.Fixed, f.PerUnit, s.symbol)
	return f, nil
}

// table lists powers of two up to twice the largest size, and that size. Sizes
// at which the model breaks have no row.
func (s *fitSearch) table(largest, budget int64) ([]FitRow, error) {
	values := []int64{}
	for n := int64(1); n <= 2*max(largest, 1) && n <= s.most; n *= 2 {
		values = append(values, n)
	}
	if largest > 0 && !slices.Contains(values, largest) {
		values = append(values, largest)
	}
	slices.Sort(values)
	rows := []FitRow{}
	for _, n := range values[max(0, len(values)-12):] {
		bytes, err := s.at(n)
		var broken *breakError
		if errors.As(err, &broken) {
			continue
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, FitRow{n, bytes, bytes <= budget})
	}
	return rows, nil
}

// maxAdvised is the number of pieces of advice for which the largest size is
// searched, each of them a search of its own.
const maxAdvised = 5

// advise tries changes to the training at the largest size that fits, or the
// smallest there is, and says how far each of the best would go.
func (s *fitSearch) advise(ctx context.Context, f *Fit) []Advice {
	at := int64(1)
	switch {
	case f.Largest != nil:
		at = *f.Largest
	case len(f.Table) > 0:
		at = f.Table[0].Value
	}
	now, err := s.at(at)
	if err != nil {
		return nil
	}
	sized, err := s.sized(at)
	if err != nil {
		return nil
	}
	list := sized.adviseTraining(ctx, *s.training, now, trainingReserved)
	list = slices.DeleteFunc(list, func(x Advice) bool { return x.apply == nil }) // a smaller batch is what the search itself finds
	list = list[:min(len(list), maxAdvised)]
	for i := range list {
		changed := *s.training
		list[i].apply(&changed)
		t := &fitSearch{a: s.a, symbol: s.symbol, most: s.most, training: &changed, known: map[int64]int64{}, broken: s.broken}
		if n, _, err := t.largest(f.BudgetBytes); err == nil && n > 0 {
			list[i].Largest = &n
		}
	}
	return list
}
