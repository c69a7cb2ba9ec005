package shapeinfer_test

import (
	"testing"

	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// judge holds a verdict against the list of known exceptions: nothing may be
// wrong, what is not exact must be listed, and what is listed must not have
// become exact.
func judge(t *testing.T, known corpus.Exceptions, name string, v verdict) {
	t.Helper()
	switch v.status {
	case wrong:
		t.Errorf("%s: wrong: %s", name, v.why)
	case exact:
		known.Check(t, name, "")
	default:
		known.Check(t, name, v.status.String()+": "+v.why)
	}
}

// TestOperators holds every operator case against the real outputs' types.
func TestOperators(t *testing.T) {
	known := corpus.NotExact(t, "conformance")
	for _, name := range []string{corpus.Node, corpus.NodeExpanded, corpus.Versions, corpus.Contrib} {
		t.Run(name, func(t *testing.T) {
			for _, c := range corpus.Manifest(t, name) {
				label := name + "/" + c.Name
				if c.ExpectError {
					judge(t, known, label, mustFail(t, c, c.Inputs, c.Feed))
					continue
				}
				judge(t, known, label, operatorVerdict(t, c, c.Feed, c.FreeOutputs()))
				if len(c.Feed) > 0 {
					judge(t, known, label+" [no values]", operatorVerdict(t, c, nil, c.FreeOutputs() || c.KnownFrom != "types"))
				}
			}
		})
	}
}

func operatorVerdict(t *testing.T, c *corpus.Case, feed map[string]corpus.Literal, free bool) verdict {
	r, err := infer(t, runs.Model(t, c.Model), runs.Bound(t, corpus.Binding{Inputs: c.Inputs, Feed: feed}))
	if err != nil {
		return verdict{refused, err.Error()}
	}
	if r.HasErrors() {
		return verdict{wrong, "an error is reported of a model that runs"}
	}
	return outputsVerdict(r, c.Outputs, c.Disputed, free)
}

// outputsVerdict compares with the recorded outputs. Where the text of an
// operator and its engine give different shapes, either passes.
func outputsVerdict(r *shapeinfer.Result, outputs map[string]corpus.Type, disputed map[string]corpus.Shape, free bool) verdict {
	var v, other verdict
	for name, want := range outputs {
		if want.Absent {
			continue
		}
		v.compareTensor(name, want, lookup(r, name), free)
		if shape, ok := disputed[name]; ok {
			want.Shape = shape
		}
		other.compareTensor(name, want, lookup(r, name), free)
	}
	if other.status < v.status {
		return other
	}
	return v
}

func mustFail(t *testing.T, c *corpus.Case, inputs map[string]corpus.Type, feed map[string]corpus.Literal) verdict {
	r, err := infer(t, runs.Model(t, c.Model), runs.Bound(t, corpus.Binding{Inputs: inputs, Feed: feed}))
	if err != nil || r.HasErrors() {
		return verdict{}
	}
	return verdict{wrong, "no error was reported"}
}

// TestInference holds ONNX's own inference tests against ours, errors
// included.
func TestInference(t *testing.T) {
	known := corpus.NotExact(t, "conformance")
	for _, c := range corpus.Manifest(t, corpus.Infer) {
		label := corpus.Infer + "/" + c.Name
		if c.ExpectError {
			judge(t, known, label, mustFail(t, c, nil, nil))
			continue
		}
		judge(t, known, label, inferenceVerdict(t, c))
	}
}

func inferenceVerdict(t *testing.T, c *corpus.Case) verdict {
	r, err := infer(t, runs.Model(t, c.Model), shapeinfer.Options{})
	if err != nil {
		return verdict{refused, err.Error()}
	}
	return outputsVerdict(r, c.Expect, c.Disputed, false)
}

// TestSymbolicCases evaluates symbolic results at real bindings.
func TestSymbolicCases(t *testing.T) {
	known := corpus.NotExact(t, "conformance")
	for _, c := range corpus.Manifest(t, corpus.Symbolic) {
		label := corpus.Symbolic + "/" + c.Name
		if c.ExpectError {
			judge(t, known, label, mustFail(t, c, nil, nil))
			continue
		}
		v := inferenceVerdict(t, c)
		if r, err := infer(t, runs.Model(t, c.Model), shapeinfer.Options{}); err == nil {
			for _, at := range c.At {
				for name, real := range at.Shape {
					v.compareAt(name, real, r, at.Bind)
				}
			}
		}
		judge(t, known, label, v)
	}
}

// compareAt evaluates the dims of a tensor at a binding.
func (v *verdict) compareAt(name string, real corpus.Shape, r *shapeinfer.Result, bind map[string]int64) {
	fact := lookup(r, name)
	if fact == nil || !fact.Type.Shape.Ranked() {
		v.note(partial, "%s: unknown at %v, is %s", name, bind, real)
		return
	}
	shape := fact.Type.Shape
	if shape.Rank() != len(real) {
		v.note(wrong, "%s: %s at %v, is %s", name, shape, bind, real)
		return
	}
	for i, want := range real {
		n, ok := evaluate(shape.At(i), bind)
		switch {
		case !ok:
			v.note(partial, "%s: %s at %v, is %s", name, shape, bind, real)
		case n.Int64() != want.Number():
			v.note(wrong, "%s: %s at %v, is %s", name, shape, bind, real)
		}
	}
}

// TestReports holds models made after public bug reports against the right
// answers.
func TestReports(t *testing.T) {
	known := corpus.NotExact(t, "conformance")
	for _, c := range corpus.Cases(t) {
		label := "cases/" + c.Name
		inputs := map[string]corpus.Type{}
		for name, shape := range c.Inputs {
			inputs[name] = corpus.Type{Shape: shape}
		}
		r, err := infer(t, runs.Model(t, c.Model), runs.Bound(t, corpus.Binding{Inputs: inputs}))
		switch {
		case c.Contested:
		case c.ExpectError != "":
			if err == nil && !r.HasErrors() {
				judge(t, known, label, verdict{wrong, "no error was reported"})
			}
		case err != nil:
			judge(t, known, label, verdict{refused, err.Error()})
		default:
			judge(t, known, label, outputsVerdict(r, c.Expect, nil, false))
		}
		if c.SymbolicExpect != nil {
			judge(t, known, label+" [symbolic]", symbolicVerdict(t, c))
		}
	}
}

// symbolicVerdict infers with nothing bound: expressions must be equal to the
// recorded ones, and where the record is unknown no number may be claimed.
func symbolicVerdict(t *testing.T, c *corpus.Report) verdict {
	r, err := infer(t, runs.Model(t, c.Model), shapeinfer.Options{})
	if err != nil {
		return verdict{refused, err.Error()}
	}
	var v verdict
	for name, want := range c.SymbolicExpect {
		fact := lookup(r, name)
		v.compareTensor(name, want, fact, false)
		if fact == nil || fact.Type.Shape.Rank() != len(want.Shape) {
			continue
		}
		for i, w := range want.Shape {
			got := fact.Type.Shape.At(i)
			_, number := got.Int()
			switch {
			case w.IsNumber():
			case number:
				v.note(wrong, "%s: claims %s, is %s", name, fact.Type.Shape, want.Shape)
			case w.IsSymbolic():
				expected, err := dim.Parse(w.Expr())
				if err != nil {
					t.Fatal(err)
				}
				if !dim.Equal(got, expected) {
					v.note(partial, "%s: %s, is %s", name, fact.Type.Shape, want.Shape)
				}
			}
		}
	}
	return v
}
