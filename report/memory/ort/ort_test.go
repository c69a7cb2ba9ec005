package ort_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest/corpus"
	"onnxmem/report/memory/ort"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/tensor"
)

func readModel(t testing.TB, m corpus.Model) *onnxgraph.Model {
	t.Helper()
	data := m.Bytes(t)
	model, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return model
}

// options are those of a recorded run.
func options(t testing.TB, b corpus.Binding) shapeinfer.Options {
	t.Helper()
	opts := shapeinfer.Options{Dims: b.Dims, InputShapes: map[string][]dim.Dim{}, Feeds: map[string]*tensor.Value{}}
	for name, in := range b.Inputs {
		if dims, ok := in.Shape.Ints(); ok && !in.Absent {
			opts.InputShapes[name] = tensor.IntShape(dims...).Dims()
		}
	}
	for name, literal := range b.Feed {
		elems, err := literal.Elements()
		if err != nil {
			t.Fatal(err)
		}
		d, _ := onnxgraph.ParseDType(b.Inputs[name].DType)
		dims, _ := b.Inputs[name].Shape.Ints()
		v, err := tensor.Literal(d, dims, elems)
		if err != nil {
			t.Fatal(err)
		}
		opts.Feeds[name] = v
	}
	return opts
}

func estimate(t testing.TB, m *onnxgraph.Model, b corpus.Binding) *ort.Estimate {
	t.Helper()
	opts := options(t, b)
	r, err := shapeinfer.Infer(m, opts)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ort.CPU(r, opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestDbg(t *testing.T) {
	steps := corpus.Steps(t)
	okp, oks, tot := 0, 0, 0
	for _, m := range corpus.Zoo(t) {
		if n := os.Getenv("M"); n != "" && n != m.Name {
			continue
		}
		model := readModel(t, m.Model)
		for i, b := range m.Bindings {
			e := estimate(t, model, b)
			truth := b.ORT.PeakRequested
			err := float64(e.ActivationBytes.Low)/float64(truth) - 1
			tot++
			if e.ActivationBytes.Low == truth {
				okp++
			}
			line := fmt.Sprintf("%-36s#%d %9.2f%% %v dd=%d", m.Name, i, 100*err, e.ActivationBytes, len(b.DataDependent))
			if s := steps[m.Name]; s != nil && i == 0 {
				first := -1
				for k := range s.Steps {
					if k >= len(e.Steps) || e.Steps[k].InUse != s.Steps[k].InUseAfter || e.Steps[k].Op != s.Steps[k].Op {
						first = k
						break
					}
				}
				if first < 0 && len(e.Steps) == len(s.Steps) {
					oks++
				} else {
					line += fmt.Sprintf(" steps %d of %d", len(e.Steps), len(s.Steps))
					if first >= 0 && first < len(e.Steps) {
						line += fmt.Sprintf(" first %d: %+v is %+v", first, e.Steps[first], s.Steps[first])
					}
				}
			}
			fmt.Println(line)
		}
	}
	fmt.Println(okp, oks, tot)
}
