package ref_test

import (
	"testing"

	"onnxmem/report/memory/internal/ref"
)

// TestNone holds that none refers to nothing: it reads as a zero member and
// changes neither list nor table.
func TestNone(t *testing.T) {
	var list ref.List[string]
	first, second := list.Add("a"), list.Add("b")
	var none ref.ID[string]
	*list.At(none) = "lost"
	if *list.At(none) != "" || *list.At(first) != "a" || *list.At(second) != "b" || list.Len() != 2 {
		t.Errorf("list: %q %q %q", *list.At(none), *list.At(first), *list.At(second))
	}
	table := ref.TableOf[string, int](&list)
	table.Set(none, 7)
	*table.At(none) = 7
	table.Set(second, 8)
	if table.Get(none) != 0 || table.Get(first) != 0 || table.Get(second) != 8 || *table.At(second) != 8 {
		t.Errorf("table: %d %d %d", table.Get(none), table.Get(first), table.Get(second))
	}
	if !none.None() || first.None() || none == first {
		t.Error("only the zero ID is none")
	}
}

// TestOf holds that an index below 0, which other packages use for "none",
// refers to nothing.
func TestOf(t *testing.T) {
	for index, want := range map[int]bool{-5: true, -1: true, 0: false, 3: false} {
		id := ref.Of[string](index)
		back, ok := id.Index()
		if id.None() != want || ok == want || ok && back != index {
			t.Errorf("Of(%d): %v, index %d %v", index, id, back, ok)
		}
	}
	if n := ref.Of[string](-5).Number(); n != -1 {
		t.Errorf("none prints as %d", n)
	}
}

// TestAll holds that members come with the IDs that refer to them.
func TestAll(t *testing.T) {
	list := ref.ListOf[int](2)
	list.Add(1)
	list.Add(2)
	sum := 0
	for id, x := range list.All() {
		if list.At(id) != x {
			t.Errorf("%v does not refer to its member", id)
		}
		sum += *x
	}
	if sum != 3 {
		t.Errorf("sum %d", sum)
	}
}
