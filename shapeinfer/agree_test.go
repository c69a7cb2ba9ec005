package shapeinfer_test

import (
	"fmt"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// This file holds inference against itself: what it says of a model with open
// symbols must be true at every binding, and so agree with what it says when
// the symbols are bound from the start.

// disagreement compares the facts of a result with open symbols, evaluated at
// a binding, with those of one in which the symbols are bound. Where either
// does not know, nothing is compared. It is empty when they agree.
func disagreement(open, bound *shapeinfer.Result, bind map[string]int64) string {
	for id := range open.Main.Facts {
		o, b := &open.Main.Facts[id], &bound.Main.Facts[id]
		if why := typesDisagree(o.Type, b.Type, bind); why != "" {
			return fmt.Sprintf("%s is %s, bound %s: %s", open.Main.Graph.Values[id].Name, o.Type, b.Type, why)
		}
		if why := valuesDisagree(o.Value, b.Value, bind); why != "" {
			return fmt.Sprintf("the elements of %s: %s", open.Main.Graph.Values[id].Name, why)
		}
	}
	return ""
}

func typesDisagree(open, bound tensor.Type, bind map[string]int64) string {
	switch {
	case open.Kind == onnxgraph.KindUnset || bound.Kind == onnxgraph.KindUnset:
		return ""
	case open.Kind != bound.Kind:
		return "other kinds"
	case open.DType != onnxgraph.Undefined && bound.DType != onnxgraph.Undefined && open.DType != bound.DType:
		return "other element types"
	case open.Elem != nil && bound.Elem != nil:
		return typesDisagree(*open.Elem, *bound.Elem, bind)
	case !open.Shape.Ranked() || !bound.Shape.Ranked():
		return ""
	case open.Shape.Rank() != bound.Shape.Rank():
		return "other ranks"
	}
	for i, d := range open.Shape.Dims() {
		if why := dimsDisagree(d, bound.Shape.At(i), bind); why != "" {
			return why
		}
	}
	return ""
}

func valuesDisagree(open, bound *tensor.Value, bind map[string]int64) string {
	if open == nil || bound == nil {
		return ""
	}
	if len(open.Elems) != len(bound.Elems) {
		return fmt.Sprintf("%d of them, bound %d", len(open.Elems), len(bound.Elems))
	}
	for i, x := range open.Elems {
		y := bound.Elems[i]
		if x.IsText && y.IsText && x.Text != y.Text {
			return fmt.Sprintf("%q, bound %q", x.Text, y.Text)
		}
		if why := dimsDisagree(x.Num, y.Num, bind); why != "" {
			return why
		}
	}
	return ""
}

func dimsDisagree(open, bound dim.Dim, bind map[string]int64) string {
	want, ok := bound.Int()
	got, known := open.Eval(bind)
	if ok && known && got != want {
		return fmt.Sprintf("%s is %d at %v, bound it is %d", open, got, bind, want)
	}
	return ""
}

// sound looks for what inference must never do: panic, or give a negative dim.
func sound(r *shapeinfer.Result) string {
	for _, d := range r.Diagnostics {
		if d.Code == "internal" {
			return fmt.Sprintf("%s: %s", d.Node, d.Message)
		}
	}
	seen := map[*shapeinfer.Scope]bool{}
	var scope func(s *shapeinfer.Scope) string
	scope = func(s *shapeinfer.Scope) string {
		if s == nil || seen[s] {
			return ""
		}
		seen[s] = true
		for id := range s.Facts {
			inner, _ := s.Facts[id].Type.Tensor()
			for _, d := range inner.Shape.Dims() {
				if n, ok := d.Int(); ok && n < 0 {
					return fmt.Sprintf("%s has the shape %s", s.Graph.Values[id].Name, inner.Shape)
				}
			}
		}
		for _, n := range s.Nodes {
			for _, body := range append([]*shapeinfer.Scope{n.Function}, n.Subgraphs...) {
				if why := scope(body); why != "" {
					return why
				}
			}
		}
		return ""
	}
	return scope(r.Main)
}

// TestZooAgrees: at each binding of the zoo, symbolic and bound inference
// agree on every tensor.
func TestZooAgrees(t *testing.T) {
	for _, m := range corpus.Zoo(t) {
		model := runs.Model(t, m.Model)
		open, err := shapeinfer.Infer(model, shapeinfer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if why := sound(open); why != "" {
			t.Errorf("%s: %s", m.Name, why)
		}
		for _, b := range m.Bindings {
			if len(b.Dims) == 0 || !allPositive(b.Dims) {
				continue
			}
			bound, err := shapeinfer.Infer(model, shapeinfer.Options{Dims: b.Dims})
			if err != nil {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
			if why := disagreement(open, bound, b.Dims); why != "" && !bound.HasErrors() {
				t.Errorf("%s: %s", m.Name, why)
			}
			if open.HasErrors() && !bound.HasErrors() {
				t.Errorf("%s: errors with open symbols only", m.Name)
			}
		}
	}
}

// allPositive reports whether every symbol is at least 1, which simplification
// relies on.
func allPositive(bind map[string]int64) bool {
	for _, n := range bind {
		if n < 1 {
			return false
		}
	}
	return true
}
