package op_test

import (
	"testing"

	"onnxmem/shapeinfer/op"
)

// TestWith adds entries to a catalogue: they come before those that it had, and
// leave it as it was.
func TestWith(t *testing.T) {
	base := op.NewCatalogue([]op.Op{{Name: "A", Versions: []int{1, 13}}, {Name: "B", Versions: []int{1}}})
	more := base.With(op.Op{Name: "A", Versions: []int{13}, Elementwise: true}, op.Op{Domain: "own", Name: "C", Versions: []int{2}})
	for _, c := range []struct {
		domain, name string
		opset        int64
		since        int
		own          bool
	}{
		{"", "A", 12, 1, false},
		{"ai.onnx", "A", 14, 13, true},
		{"", "B", 14, 1, false},
		{"own", "C", 1, 0, false},
		{"own", "C", 2, 2, false},
	} {
		o, since := more.Find(c.domain, c.name, c.opset)
		if since != c.since || o != nil && o.Elementwise != c.own {
			t.Errorf("%s.%s at opset %d: found %+v since %d", c.domain, c.name, c.opset, o, since)
		}
	}
	if base.Has("own", "C") || base.Newest(op.ID{Name: "A"}).Elementwise || len(base.Ops()) != 2 {
		t.Error("the catalogue that entries were added to has changed")
	}
	if !more.Newest(op.ID{Name: "A"}).Elementwise {
		t.Error("the newest entry of A is not the one that was added")
	}
}

func TestRolesAt(t *testing.T) {
	conv := op.ParametersAt(1, 2)
	for slot, want := range []op.Role{op.Data, op.Parameter, op.Parameter, op.Data, op.Data} {
		if got := conv.At(slot); got != want {
			t.Errorf("slot %d of a convolution has role %d, not %d", slot, got, want)
		}
	}
	if op.Roles(nil).At(3) != op.Data || (op.Roles{op.Operand}).At(7) != op.Operand {
		t.Error("the last role does not stand for all further slots")
	}
}
