package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"runtime"
	"slices"

	"onnxmem/shapeinfer"
)

// A fitSearch measures a model at sizes of one symbol and remembers what it
// measured.
type fitSearch struct {
	symbol  string
	most    int64                      // the largest size tried
	measure func(int64) (int64, error) // bytes at a size
	known   map[int64]int64            // bytes by size
	broken  map[int64]error            // sizes at which the model breaks
	nodes   int                        // of the model
	perUnit float64                    // about the bytes of one more of the symbol; 0 where that is open
}

func newFitSearch(symbol string, most int64, measure func(int64) (int64, error)) *fitSearch {
	return &fitSearch{symbol: symbol, most: most, measure: measure, known: map[int64]int64{}, broken: map[int64]error{}}
}

// An invalidSizeError says that a model is invalid at some size of a symbol: a
// window does not fit, or a table of positions ends.
type invalidSizeError struct {
	symbol, why string
	size        int64
}

func (e *invalidSizeError) Error() string {
	return fmt.Sprintf("%s = %d is not possible: %s", e.symbol, e.size, e.why)
}

// at measures one size of the symbol. The error is a *invalidSizeError for sizes
// that the model cannot have.
func (s *fitSearch) at(n int64) (int64, error) {
	if bytes, ok := s.known[n]; ok {
		return bytes, nil
	}
	if err := s.broken[n]; err != nil {
		return 0, err
	}
	bytes, err := s.measure(n)
	return s.remember(n, bytes, err)
}

func (s *fitSearch) remember(n, bytes int64, err error) (int64, error) {
	var broken *invalidSizeError
	switch {
	case errors.As(err, &broken):
		s.broken[n] = broken
	case err == nil:
		s.known[n] = bytes
	}
	return bytes, err
}

// ahead measures sizes that will be asked for, several at a time.
func (s *fitSearch) ahead(opts *Options, sizes []int64) {
	type measured struct {
		bytes int64
		err   error
	}
	slices.Sort(sizes)
	sizes = slices.DeleteFunc(slices.Compact(sizes), func(n int64) bool {
		_, known := s.known[n]
		return known || s.broken[n] != nil || n < 1 || n > s.most
	})
	for batch := range slices.Chunk(sizes, max(runtime.GOMAXPROCS(0), 1)) {
		var answers []*answer[measured]
		for _, n := range batch {
			answers = append(answers, begin(opts, "the search", func() measured {
				bytes, err := s.measure(n)
				return measured{bytes, err}
			}))
		}
		for i, x := range answers {
			if m, bug := x.wait(); bug == nil {
				_, _ = s.remember(batch[i], m.bytes, m.err) // an error comes again when the size is asked for
			}
		}
	}
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
	var b *invalidSizeError
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

// spent reports whether as many sizes were measured as a model of this many
// nodes may have.
func (s *fitSearch) spent() bool {
	return s.nodes > 0 && (len(s.known)+len(s.broken))*s.nodes > maxFitNodes
}

// maxFitNodes bounds the nodes of all measurements together, beyond which only
// the budget that was asked for is answered.
const maxFitNodes = 300_000

// largestOfEach is the largest size for each budget, some budgets at a time. It
// lacks those that there was no time left for.
func (s *fitSearch) largestOfEach(budgets []int64, opts *Options) (map[int64]int64, error) {
	type found struct {
		n      int64
		search *fitSearch
		err    error
	}
	sizes := map[int64]int64{}
	for batch := range slices.Chunk(budgets, max(runtime.GOMAXPROCS(0), 1)) {
		if s.spent() {
			break
		}
		var answers []*answer[found]
		for _, budget := range batch {
			own := *s
			own.known, own.broken = maps.Clone(s.known), maps.Clone(s.broken)
			answers = append(answers, begin(opts, "the devices", func() found {
				n, _, err := own.largest(budget)
				return found{n, &own, err}
			}))
		}
		for i, x := range answers {
			f, bug := x.wait()
			if err := cmp.Or(bug, f.err); err != nil {
				return nil, err
			}
			sizes[batch[i]] = f.n
			maps.Copy(s.known, f.search.known)
			maps.Copy(s.broken, f.search.broken)
		}
	}
	return sizes, nil
}

// largest is the largest size that fits, 0 when none does, as long as memory
// grows with the size but for the waste of an allocator. limited says that even
// the largest size tried fits, or that the model breaks at the next.
func (s *fitSearch) largest(budget int64) (n int64, limited bool, err error) {
	if s.bracket(budget).low == 0 {
		if err := s.double(budget); err != nil {
			return 0, false, err
		}
	}
	b := s.bracket(budget)
	for tries := 0; b.low > 0 && b.high == 0 && b.low < s.most; tries++ {
		if _, err := s.judge(s.beyond(b.low, budget, tries), budget); err != nil {
			return 0, false, err
		}
		b = s.bracket(budget)
	}
	if b.low == 0 || b.low == s.most {
		return b.low, b.low == s.most, nil
	}
	return s.between(b.low, b.high, budget)
}

// A bracket is the largest size measured that fits, and the next one measured
// that does not or at which the model breaks; 0 where there is none.
type bracket struct{ low, high int64 }

func (s *fitSearch) bracket(budget int64) bracket {
	var b bracket
	for n, bytes := range s.known {
		if bytes <= budget {
			b.low = max(b.low, n)
		}
	}
	above := func(n int64) {
		if n > b.low && (b.high == 0 || n < b.high) {
			b.high = n
		}
	}
	for n := range s.known {
		above(n)
	}
	for n := range s.broken {
		above(n)
	}
	return b
}

// double tries powers of two, from 1 to one that is too large. Those that fit by
// a line through the last two are passed over.
func (s *fitSearch) double(budget int64) error {
	low, misses, broke := int64(0), 0, 0
	var first error // at which the model breaks
	for high := int64(1); ; high = min(max(2*high, s.powerWithin(low, budget)), s.most) {
		v, err := s.judge(high, budget)
		if err != nil {
			return err
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
			return fmt.Errorf("%w (other dynamic dimensions count as 1)", first)
		}
		if high == s.most || v == tooMuch || misses > maxClose || v == breaks && misses > 0 {
			return nil
		}
	}
}

// powerWithin is the largest power of two that fits by a line through low and
// its half, which are both measured.
func (s *fitSearch) powerWithin(low, budget int64) int64 {
	bytes, half := s.known[low], s.known[low/2]
	if low < 2 || half == 0 || bytes <= half || bytes > budget {
		return 0
	}
	end := min(float64(s.most), float64(low)+float64(budget-bytes)/float64(bytes-half)*float64(low-low/2))
	return 1 << int(math.Log2(end))
}

// beyond is the next size to try above one that fits, where none is known that
// does not: where the last bytes per unit lead, or else twice as much.
func (s *fitSearch) beyond(low, budget int64, tries int) int64 {
	next := 2 * low
	if slope := s.slopeBelow(low); slope > 0 && tries < 4 {
		next = low + 1 + int64(min(float64(s.most), float64(budget-s.known[low])/slope))
	}
	return min(max(next, low+1), s.most)
}

// slopeBelow is about the bytes of one more of the symbol at a size: by the
// next one measured below it, else as it was said to be.
func (s *fitSearch) slopeBelow(n int64) float64 {
	below := int64(0)
	for x := range s.known {
		if x < n {
			below = max(below, x)
		}
	}
	if below == 0 {
		return s.perUnit
	}
	return float64(s.known[n]-s.known[below]) / float64(n-below)
}

// between narrows the largest size that fits down, from one that does and one
// that does not.
func (s *fitSearch) between(low, high, budget int64) (n int64, limited bool, err error) {
	for step := 0; high-low > 1; step++ {
		middle := low + (high-low)/2
		if guess, ok := s.guess(low, high, budget); ok && step%3 < 2 { // bisect in turn, lest guesses creep
			middle = guess
		}
		v, err := s.judge(middle, budget)
		if err != nil {
			return 0, false, err
		}
		if v == fits && s.straight(low, middle, high) && s.known[middle]+(s.known[high]-s.known[middle])/(high-middle) > budget {
			return middle, false, nil
		}
		if v == fits {
			low = middle
		} else {
			high = middle
		}
	}
	return low, s.broken[high] != nil, nil
}

// guess is the size between two at which a straight line meets the budget.
func (s *fitSearch) guess(low, high, budget int64) (n int64, ok bool) {
	slope := s.slopeBelow(low)
	if bytes, ok := s.known[high]; ok {
		slope = float64(bytes-s.known[low]) / float64(high-low)
	}
	if slope <= 0 {
		return 0, false
	}
	const slack = 1e-6 // for rounding, where the line meets the budget at a whole number
	n = low + int64(min(float64(high-low), float64(budget-s.known[low])/slope+slack))
	return min(max(n, low+1), high-1), true
}

// straight reports whether three sizes lie on a straight line, to the byte.
func (s *fitSearch) straight(a, b, c int64) bool {
	x, okA := s.known[a]
	y, okB := s.known[b]
	z, okC := s.known[c]
	left := new(big.Int).Mul(big.NewInt(y-x), big.NewInt(c-a))
	right := new(big.Int).Mul(big.NewInt(z-x), big.NewInt(b-a))
	return okA && okB && okC && left.Cmp(right) == 0
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

// formulaPoints are the sizes that a formula around n is checked at.
func formulaPoints(n int64) []int64 {
	from := max(n/2, 1)
	return []int64{from, from + 1, max(n, from+2), max(n, from+2) + 1}
}

// formula looks for a line through sizes around n: the same growth between
// n/2, n, and the next sizes. It says nothing where there is none.
func (s *fitSearch) formula(n int64) (*FitFormula, error) {
	points := formulaPoints(n)
	var bytes []int64
	for _, p := range points {
		b, err := s.at(p)
		var broken *invalidSizeError
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

// tableSizes are powers of two up to twice the largest size, and that size.
func (s *fitSearch) tableSizes(largest int64) []int64 {
	values := []int64{}
	for n := int64(1); n <= 2*max(largest, 1) && n <= s.most; n *= 2 {
		values = append(values, n)
	}
	if largest > 0 && !slices.Contains(values, largest) {
		values = append(values, largest)
	}
	slices.Sort(values)
	return values[max(0, len(values)-12):]
}

// table lists sizes and what they take. Sizes at which the model breaks have no
// row.
func (s *fitSearch) table(largest, budget int64) ([]FitRow, error) {
	rows := []FitRow{}
	for _, n := range s.tableSizes(largest) {
		bytes, err := s.at(n)
		var broken *invalidSizeError
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
