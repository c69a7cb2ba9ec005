package report

import (
	"errors"
	"sync/atomic"
	"testing"
)

var errNotMeasured = errors.New("asked for a size that was not measured")

// searchOver is a search whose measurements are made already, of sizes 1 to n.
func searchOver(n int64, bytes func(int64) int64, breaks func(int64) bool) *fitSearch {
	s := newFitSearch("n", n, func(size int64) (int64, error) { return 0, errNotMeasured })
	for i := int64(1); i <= n; i++ {
		if breaks != nil && breaks(i) {
			s.broken[i] = &invalidSizeError{"n", "too far", i}
		} else {
			s.known[i] = bytes(i)
		}
	}
	return s
}

// TestLargest: what an allocator reserves does not only grow. Sizes 2 and 3
// waste a block, so they take more than 4 does.
func TestLargest(t *testing.T) {
	wasteful := func(n int64) int64 {
		if n == 2 || n == 3 {
			return 1000 + 10*n + 60
		}
		return 1000 + 10*n
	}
	straight := func(n int64) int64 { return 1000 + 10*n }
	for _, test := range []struct {
		name    string
		search  *fitSearch
		budget  int64
		want    int64
		limited bool
	}{
		{"straight", searchOver(128, straight, nil), 1234, 23, false},
		{"exactly", searchOver(128, straight, nil), 1230, 23, false},
		{"one", searchOver(128, straight, nil), 1010, 1, false},
		{"none", searchOver(128, straight, nil), 1009, 0, false},
		{"budget of nothing", searchOver(128, straight, nil), 0, 0, false},
		{"budget below the reserve", searchOver(128, straight, nil), -1000, 0, false},
		{"all", searchOver(100, straight, nil), 5000, 100, true},
		{"over a hump", searchOver(128, wasteful, nil), 1079, 7, false},
		{"all is a hump", searchOver(128, wasteful, nil), 1019, 1, false},
		{"ends at 50", searchOver(128, straight, func(n int64) bool { return n > 50 }), 5000, 50, true},
		{"begins at 5", searchOver(128, straight, func(n int64) bool { return n < 5 }), 1234, 23, false},
	} {
		got, limited, err := test.search.largest(test.budget)
		if err != nil || got != test.want || limited != test.limited {
			t.Errorf("%s: %d, limited %v, %v; want %d, %v", test.name, got, limited, err, test.want, test.limited)
		}
	}
	var broken *invalidSizeError
	if _, _, err := searchOver(1<<18, straight, func(int64) bool { return true }).largest(2000); !errors.As(err, &broken) || broken.size != 1 {
		t.Errorf("a model that always breaks: %v", err)
	}
}

func TestMissedBelow(t *testing.T) {
	s := searchOver(16, func(n int64) int64 { return 100 + n%4*10 }, nil) // 3, 7, 11 and 15 take most
	eight := int64(8)
	if n, ok := s.missedBelow(125, &eight); !ok || n != 7 {
		t.Errorf("%d, %v, want 7", n, ok)
	}
	if n, ok := s.missedBelow(130, &eight); ok {
		t.Errorf("%d does not fit in 130", n)
	}
}

// A counted search measures by a function, and counts how often.
func countedSearch(most int64, bytes func(int64) int64, breaks func(int64) bool) (s *fitSearch, calls *atomic.Int64) {
	calls = new(atomic.Int64)
	s = newFitSearch("n", most, func(n int64) (int64, error) {
		calls.Add(1)
		if breaks != nil && breaks(n) {
			return 0, &invalidSizeError{"n", "too far", n}
		}
		return bytes(n), nil
	})
	return s, calls
}

// TestSearchMeasuresLittle: the largest size is that of trying all of them, for
// straight, bent and stepped growth, with and without an end, and is found in
// few measurements.
func TestSearchMeasuresLittle(t *testing.T) {
	const most = 1 << 20
	for _, test := range []struct {
		name   string
		bytes  func(int64) int64
		breaks func(int64) bool
		calls  int64 // for twelve budgets together
	}{
		{"straight", func(n int64) int64 { return 1_000_000 + 777*n }, nil, 50},
		{"square", func(n int64) int64 { return 5000 + 3*n + n*n/7 }, nil, 180},
		{"flat, then steep", func(n int64) int64 { return 100 + max(0, n-3000)*999 }, nil, 180},
		{"steps", func(n int64) int64 { return (1_000_000 + 777*n + 2<<20 - 1) >> 21 << 21 }, nil, 220},
		{"ends at 512", func(n int64) int64 { return 1000 + 10*n }, func(n int64) bool { return n > 512 }, 60},
		{"logarithm", func(n int64) int64 {
			b := int64(1000)
			for x := n; x > 0; x /= 2 {
				b += 1000
			}
			return b
		}, nil, 180},
	} {
		s, calls := countedSearch(most, test.bytes, test.breaks)
		for budget := int64(6000); budget < 20e9; budget = budget*7/2 + 13 {
			want := int64(0) // bisected: none of these shrink
			for step := int64(most); step > 0; step /= 2 {
				if n := want + step; n <= most && test.bytes(n) <= budget && (test.breaks == nil || !test.breaks(n)) {
					want = n
				}
			}
			got, limited, err := s.largest(budget)
			if err != nil || got != want {
				t.Errorf("%s: in %d bytes %d, want %d (%v)", test.name, budget, got, want, err)
			}
			if ends := want == most || want > 0 && test.breaks != nil && test.breaks(want+1); limited != ends {
				t.Errorf("%s: in %d bytes limited %v, want %v", test.name, budget, limited, ends)
			}
		}
		if n := calls.Load(); n > test.calls {
			t.Errorf("%s: %d measurements, may be %d", test.name, n, test.calls)
		}
	}
}

// TestSearchFromOneSize: a search that starts from one size that fits, with
// about the right growth, finds the end without the sizes below.
func TestSearchFromOneSize(t *testing.T) {
	for _, perUnit := range []float64{0, 10, 40, 1000} {
		s, calls := countedSearch(1<<20, func(n int64) int64 { return 5000 + 40*n }, nil)
		s.known[100], s.perUnit = 9000, perUnit
		n, _, err := s.largest(1_000_000)
		if err != nil || n != (1_000_000-5000)/40 {
			t.Errorf("%v bytes a unit: %d, %v", perUnit, n, err)
		}
		if n := calls.Load(); n > 25 {
			t.Errorf("%v bytes a unit: %d measurements", perUnit, n)
		}
	}
}

// TestSearchEnds: what other budgets get hangs on the nodes that their
// measurements go through.
func TestSearchEnds(t *testing.T) {
	budgets := []int64{10_000, 20_000, 40_000, 80_000, 160_000, 320_000}
	for nodes, all := range map[int]bool{1: true, 100_000: false} {
		s, calls := countedSearch(1<<20, func(n int64) int64 { return 5000 + 40*n }, nil)
		s.nodes = nodes
		sizes, err := s.largestOfEach(budgets, &Options{})
		if err != nil || len(sizes) == 0 || (len(sizes) == len(budgets)) != all {
			t.Errorf("%d nodes: %d of %d budgets in %d measurements, %v", nodes, len(sizes), len(budgets), calls.Load(), err)
		}
		for budget, n := range sizes {
			if n != (budget-5000)/40 {
				t.Errorf("%d nodes, %d bytes: %d", nodes, budget, n)
			}
		}
	}
}
