package shapeinfer_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// TestPlaceholders: texts that stand for no name make a symbol each; names,
// also odd ones, one symbol for all dims of the name.
func TestPlaceholders(t *testing.T) {
	for text, placeholder := range map[string]bool{
		"-1": true, "?": true, "None": true, " none ": true, "unk__": true, "*": true, "224": true, "(-1)": true,
		"N": false, "unk__3": false, "batch-size": false, "x_dim0": false, "?x": false, "1d_points": false,
	} {
		m := modeltest.New(17).Input("x", onnxgraph.Float, 1, text, text).Node("Relu", []string{"x"}, []string{"y"}).Output("y")
		r, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(r.FreeSymbols) == 2; got != placeholder {
			t.Errorf("%q: symbols %q, placeholder: %v", text, r.FreeSymbols, placeholder)
		}
		for axis, name := range r.FreeSymbols {
			if placeholder && r.InputSymbol("x", axis+1) != name {
				t.Errorf("%q: axis %d is %q, the symbol %q", text, axis+1, r.InputSymbol("x", axis+1), name)
			}
			bound, err := shapeinfer.Infer(m.Model(t), shapeinfer.Options{Dims: map[string]int64{name: 7}})
			if err != nil {
				t.Errorf("%q: %s can't be set: %v", text, name, err)
			} else if slices.Contains(bound.FreeSymbols, name) {
				t.Errorf("%q: %s stays open", text, name)
			}
		}
	}
}

// TestSymbolsOfUnnamedDimsDiffer: x.a and x_a both come to x_a in an
// expression, and a dim may have the name that another one would get.
func TestSymbolsOfUnnamedDimsDiffer(t *testing.T) {
	m := modeltest.New(17).Input("x.a", onnxgraph.Float, nil, "x_a_dim1").Input("x_a", onnxgraph.Float, nil, nil)
	r, err := shapeinfer.Infer(m.Node("Relu", []string{"x.a"}, []string{"y"}).Output("y").Model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.FreeSymbols) != 4 {
		t.Errorf("symbols %q, want four", r.FreeSymbols)
	}
}

// TestZooOfQuestionMarks: a model whose dims are all named "?" has the recorded
// types under the recorded input shapes.
func TestZooOfQuestionMarks(t *testing.T) {
	known := corpus.NotExact(t, "conformance")
	tried := 0
	for _, m := range corpus.Zoo(t) {
		model := runs.Model(t, m.Model)
		named := false
		for _, g := range model.AllGraphs() {
			for _, list := range [][]*onnxgraph.ValueInfo{g.Inputs, g.Outputs, g.ValueInfos} {
				for _, info := range list {
					for typ := info.Type; typ != nil; typ = typ.Elem {
						for i := range declaredDimsOf(typ) {
							if d := &typ.Shape.Dims[i]; d.Param != "" {
								d.Param, named = "?", true
							}
						}
					}
				}
			}
		}
		if !named {
			continue
		}
		if tried++; tried > 12 {
			break
		}
		for i, b := range m.Bindings {
			b.Dims = nil
			r, err := infer(t, model, runs.Bound(t, b))
			if err != nil {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
			var v verdict
			for name, want := range b.Tensors {
				v.compareTensor(name, want, lookup(r, name), slices.Contains(b.DataDependent, name))
			}
			judge(t, known, fmt.Sprintf("zoo/%s#%d", m.Name, i), v)
		}
	}
	if tried < 10 {
		t.Errorf("%d models tried", tried)
	}
}

func declaredDimsOf(t *onnxgraph.Type) []onnxgraph.Dim {
	if t.Shape == nil {
		return nil
	}
	return t.Shape.Dims
}

// TestExpressionsInDims: the forms that exporters print, over the names of
// other dims; and one that comes to no integer.
func TestExpressionsInDims(t *testing.T) {
	for text, want := range map[string]int64{
		"16s0": 448, "2*s0 - 1": 55, "FloorDiv(s0, 3)": 9, "PythonMod(s0, 3)": 1, "CeilToInt(IntTrueDiv(s0, 3))": 10,
		"floor(0.5*s0)": 14, "(s0 - 1)//2 + 1": 14, "Max(1, s0)": 28, "ceiling(s0/3)": 10, "s0**2": 784, "s0/2": 14,
	} {
		m := modeltest.New(17).Input("x", onnxgraph.Float, "s0").Input("y", onnxgraph.Float, text).Node("Relu", []string{"y"}, []string{"z"}).Output("z").Model(t)
		r, err := shapeinfer.Infer(m, shapeinfer.Options{Dims: map[string]int64{"s0": 28}})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if z, _ := r.Lookup("z"); !isSize(z.Type.Shape.At(0), want) {
			t.Errorf("%q is %s at 28, want %d", text, z.Type.Shape, want)
		}
		if r, err = shapeinfer.Infer(m, shapeinfer.Options{}); err != nil || len(r.FreeSymbols) != 1 {
			t.Errorf("%q: %v, %v free symbols, want s0 alone", text, err, r.FreeSymbols)
		}
	}
	half := modeltest.New(17).Input("x", onnxgraph.Float, "s0").Input("y", onnxgraph.Float, "s0/2").Node("Relu", []string{"y"}, []string{"z"}).Output("z").Model(t)
	if _, err := shapeinfer.Infer(half, shapeinfer.Options{DefaultDims: 1}); err != nil {
		t.Errorf("a default is refused: %v", err)
	}
	var refused *shapeinfer.BindingError
	if _, err := shapeinfer.Infer(half, shapeinfer.Options{Dims: map[string]int64{"s0": 27}}); !errors.As(err, &refused) {
		t.Errorf("error %v of a size of 27/2, want a BindingError", err)
	}
}
