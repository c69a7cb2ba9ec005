package report

import (
	"errors"
	"testing"
)

// searchOver is a search whose measurements are made already, of sizes 1 to n.
func searchOver(n int64, bytes func(int64) int64, breaks func(int64) bool) *fitSearch {
	s := &fitSearch{symbol: "n", most: n, known: map[int64]int64{}, broken: map[int64]error{}}
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
