package catalogue_test

import (
	"fmt"
	"strings"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

// A layerCase is one node and what the operator's text says of it.
type layerCase struct {
	clause string // the clause of the text that the case is about
	opset  int64
	op     string
	inputs []layerInput
	attrs  []modeltest.NodeOption
	// want has one type an output, such as FLOAT[n,floor(h/2) + 1]; dims are
	// compared as expressions. "" is an output that is not asked for.
	want []string
	macs string // "" to leave it out
	fail string // code of the error that is expected instead
}

// A layerInput is a float tensor of that shape, or a stored tensor where
// values are given; nothing is an input left out.
type layerInput struct {
	dims   []any
	values any
	dtype  onnxgraph.DType
}

func of(dims ...any) layerInput { return layerInput{dims: append([]any{}, dims...)} }

func typed(d onnxgraph.DType, dims ...any) layerInput {
	return layerInput{dims: append([]any{}, dims...), dtype: d}
}

func vector[T int64 | float32 | bool](values ...T) layerInput {
	return layerInput{dims: []any{int64(len(values))}, values: values}
}

func scalar(value int64) layerInput { return layerInput{dims: []any{}, values: []int64{value}} }

var none = layerInput{}

func (l layerCase) model(t *testing.T) *onnxgraph.Model {
	b := modeltest.New(l.opset)
	var inputs, outputs []string
	for i, in := range l.inputs {
		name := fmt.Sprintf("in%d", i)
		switch {
		case in.values != nil:
			dims := make([]int64, len(in.dims))
			for j := range dims {
				dims[j] = in.dims[j].(int64)
			}
			b.Init(name, dims, in.values)
		case in.dims != nil:
			d := in.dtype
			if d == onnxgraph.Undefined {
				d = onnxgraph.Float
			}
			b.Input(name, d, in.dims...)
		default:
			name = ""
		}
		inputs = append(inputs, name)
	}
	for i, want := range l.want {
		name := ""
		if want != "" {
			name = fmt.Sprintf("out%d", i)
			b.Output(name)
		}
		outputs = append(outputs, name)
	}
	if len(outputs) == 0 {
		outputs = []string{"out0"}
		b.Output("out0")
	}
	return b.Node(l.op, inputs, outputs, l.attrs...).Model(t)
}

func (l layerCase) run(t *testing.T) {
	r, err := shapeinfer.Infer(l.model(t), shapeinfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var errors []string
	for _, d := range r.Diagnostics {
		if d.Severity == shapeinfer.Error {
			errors = append(errors, d.Code+": "+d.Message)
		}
	}
	if l.fail != "" {
		if len(errors) == 0 || !strings.HasPrefix(errors[0], l.fail+":") {
			t.Errorf("errors %q, want one of code %q", errors, l.fail)
		}
		return
	}
	if len(errors) > 0 {
		t.Errorf("unexpected errors %q", errors)
	}
	for i, want := range l.want {
		if want == "" {
			continue
		}
		fact, _ := r.Lookup(fmt.Sprintf("out%d", i))
		if !sameType(t, fact.Type, want) {
			t.Errorf("output %d is %s, want %s", i, fact.Type, want)
		}
	}
	if l.macs != "" {
		if got := r.Main.Nodes[0].MACs; !dim.Equal(got, parse(t, l.macs)) {
			t.Errorf("%s MACs, want %s", got, l.macs)
		}
	}
}

// sameType compares a type with its text, dims as expressions; ? is unknown, a
// rank too.
func sameType(t *testing.T, got tensor.Type, want string) bool {
	if name, ok := strings.CutSuffix(want, "?"); ok {
		return got.Name() == name && !got.Shape.Ranked()
	}
	name, list, _ := strings.Cut(strings.TrimSuffix(want, "]"), "[")
	if got.Name() != name || !got.Shape.Ranked() {
		return false
	}
	var dims []string
	if list != "" {
		dims = strings.Split(list, ";")
		if len(dims) == 1 && !strings.Contains(list, "(") {
			dims = strings.Split(list, ",")
		}
	}
	if len(dims) != got.Shape.Rank() {
		return false
	}
	for i, text := range dims {
		d := got.Shape.At(i)
		if text == "?" {
			if d.IsKnown() {
				return false
			}
			continue
		}
		if !dim.Equal(d, parse(t, text)) {
			return false
		}
	}
	return true
}

func parse(t *testing.T, text string) dim.Dim {
	d, err := dim.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func runLayers(t *testing.T, cases []layerCase) {
	for _, l := range cases {
		t.Run(l.op+" "+l.clause, l.run)
	}
}
