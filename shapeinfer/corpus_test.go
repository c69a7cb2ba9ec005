package shapeinfer_test

import (
	"fmt"
	"math/big"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
	"onnxmem/testdata/corpus"
)

// A status says how an answer compares with the recorded truth.
type status int

const (
	exact   status = iota // everything that the truth knows was found
	partial               // something that the truth knows is unknown here
	wrong                 // something is said that is not true
	refused               // no answer at all
)

func (s status) String() string { return [...]string{"exact", "partial", "wrong", "refused"}[s] }

// A verdict is a status with its reason.
type verdict struct {
	status status
	why    string
}

func (v *verdict) note(s status, format string, args ...any) {
	if s > v.status {
		v.status, v.why = s, fmt.Sprintf(format, args...)
	}
}

// compareTensor holds one fact against its recorded type. Where the record has
// a number ours must be equal; free ones may be unknown.
func (v *verdict) compareTensor(name string, want corpus.Type, fact *tensor.Fact, free bool) {
	missing := partial
	if free {
		missing = exact
	}
	if fact == nil {
		v.note(missing, "%s: missing", name)
		return
	}
	if got := fact.Type.Name(); want.DType != "" && got != want.DType {
		if got != "" {
			v.note(wrong, "%s: dtype %s, is %s", name, got, want.DType)
		} else {
			v.note(missing, "%s: dtype unknown, is %s", name, want.DType)
		}
	}
	inner, _ := fact.Type.Tensor()
	if want.Shape == nil {
		return
	}
	if !inner.Shape.Ranked() {
		v.note(missing, "%s: rank unknown, is %s", name, want.Shape)
		return
	}
	if inner.Shape.Rank() != len(want.Shape) {
		v.note(wrong, "%s: %s, is %s", name, inner.Shape, want.Shape)
		return
	}
	for i, w := range want.Shape {
		n, isInt := inner.Shape.At(i).Int()
		switch {
		case !w.IsNumber() || isInt && n == w.Number():
		case isInt:
			v.note(wrong, "%s: %s, is %s", name, inner.Shape, want.Shape)
		default:
			v.note(missing, "%s: %s, is %s", name, inner.Shape, want.Shape)
		}
	}
}

func lookup(r *shapeinfer.Result, name string) *tensor.Fact {
	fact, ok := r.Lookup(name)
	if !ok {
		return nil
	}
	return fact
}

// infer runs one model and refuses to accept a panic or a negative dim.
func infer(t testing.TB, m *onnxgraph.Model, opts shapeinfer.Options) (*shapeinfer.Result, error) {
	t.Helper()
	r, err := shapeinfer.Infer(m, opts)
	if err != nil {
		return nil, err
	}
	for _, d := range r.Diagnostics {
		if d.Code == "internal" {
			t.Errorf("internal error: %s: %s", d.Node, d.Message)
		}
	}
	for i := range r.Main.Facts {
		inner, _ := r.Main.Facts[i].Type.Tensor()
		for _, d := range inner.Shape.Dims() {
			if n, ok := d.Int(); ok && n < 0 {
				t.Errorf("negative dim: %s %s", r.Main.Graph.Values[i].Name, inner.Shape)
			}
		}
	}
	return r, nil
}

// evaluate is the value of a recorded expression with its names bound, by
// exact arithmetic.
func evaluate(d dim.Dim, bind map[string]int64) (*big.Int, bool) {
	n, ok := d.Eval(bind)
	return big.NewInt(n), ok
}
