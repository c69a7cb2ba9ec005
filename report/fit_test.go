package report_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
	"onnxmem/report/finding"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
)

func analyze(t *testing.T, m *modeltest.Builder, opts report.Options) *report.Analysis {
	t.Helper()
	opts.PanicOnBug = true
	a, err := report.Analyze(m.Model(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func fit(t *testing.T, m *modeltest.Builder, opts report.FitOptions) (*report.FitResult, error) {
	t.Helper()
	opts.PanicOnBug = true
	return report.Fit(t.Context(), m.Model(t), opts)
}

// TestFitRun: an input of 1,000 floats a sample and a Relu over it take 8,000
// bytes a sample, beside a weight of 4,000 bytes.
func TestFitRun(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, "batch", 1000).InitZeros("w", onnxgraph.Float, 1000).
		Node("Relu", []string{"x"}, []string{"y"}).Node("Identity", []string{"w"}, []string{"z"}).Output("y", "z")
	for _, test := range []struct{ budget, want int64 }{{1_004_000, 125}, {1_003_999, 124}, {12_000, 1}, {11_999, 0}} {
		f, err := fit(t, m, report.FitOptions{Budget: test.budget + 5_000, Reserve: new(int64(5_000))})
		if err != nil {
			t.Fatal(err)
		}
		if got := value(f.Largest); got != test.want || f.Symbol != "batch" || f.BudgetBytes != test.budget {
			t.Errorf("in %d bytes: %s = %d, want %d", test.budget, f.Symbol, got, test.want)
		}
		if f.Formula == nil || f.Formula.Fixed != 4_000 || f.Formula.PerUnit != 8_000 {
			t.Errorf("formula %+v, want 4000 + 8000*batch", f.Formula)
		}
	}
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// TestFitBelowWeights says why nothing fits.
func TestFitBelowWeights(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, "batch", 8).InitZeros("w", onnxgraph.Float, 8, 1000).
		Node("MatMul", []string{"x", "w"}, []string{"y"}).Output("y")
	f, err := fit(t, m, report.FitOptions{Budget: 31_999, Reserve: new(int64(0))})
	if err != nil || f.Largest != nil || len(f.Notes) != 1 || f.Notes[0].Code != finding.WeightsExceedBudget || f.Notes[0].Bytes != 32_000 {
		t.Errorf("%v: largest %v, notes %+v", err, f.Largest, f.Notes)
	}
}

func TestFitNothingOpen(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, 4, 8).Node("Relu", []string{"x"}, []string{"y"}).Output("y")
	if _, err := fit(t, m, report.FitOptions{Budget: 2 << 30}); !errors.Is(err, report.ErrNothingOpen) {
		t.Errorf("error %v", err)
	}
	open := modeltest.New(17).Input("x", onnxgraph.Float, "batch", 8).Node("Relu", []string{"x"}, []string{"y"}).Output("y")
	var binding *shapeinfer.BindingError
	if _, err := fit(t, open, report.FitOptions{Budget: 2 << 30, Symbol: "bacth"}); !errors.As(err, &binding) {
		t.Errorf("error %v", err)
	}
}

// TestFitWhereTheModelEnds: a table of 512 positions is cut to the length of
// the input, which works up to 512; a window of 5 works from 5.
func TestFitWhereTheModelEnds(t *testing.T) {
	positions := modeltest.New(17).Input("x", onnxgraph.Float, "seq", 8).InitZeros("table", onnxgraph.Float, 512, 8).
		Init("zero", []int64{1}, []int64{0}).
		Node("Shape", []string{"x"}, []string{"shape"}, modeltest.Int("end", 1)).
		Node("Slice", []string{"table", "zero", "shape"}, []string{"p"}).
		Node("Add", []string{"x", "p"}, []string{"y"}).Output("y")
	f, err := fit(t, positions, report.FitOptions{Budget: 2 << 30})
	if err != nil || value(f.Largest) != 512 || !f.Limited || len(f.Notes) != 1 || f.Notes[0].Code != finding.SizeNotPossible || f.Notes[0].Size != 513 {
		t.Errorf("%v: %v, limited %v, notes %+v", err, value(f.Largest), f.Limited, f.Notes)
	}
	window := modeltest.New(17).Input("x", onnxgraph.Float, 1, 1, "n").InitZeros("w", onnxgraph.Float, 1, 1, 5).
		Node("Conv", []string{"x", "w"}, []string{"y"}).Output("y")
	// Input n floats, output n - 4, weight 5: 8n + 4 bytes.
	f, err = fit(t, window, report.FitOptions{Budget: 8*100 + 4, Reserve: new(int64(0))})
	if err != nil || value(f.Largest) != 100 {
		t.Errorf("%v: %v, want 100", err, f)
	}
}

// TestAdvice: a linear layer of 1,000 by 1,000 has P = 4 MB of parameters.
// Adam with foreach takes 5 P at its step: parameters, gradients, two states
// and one copy. A fused kernel needs no copy; SGD neither copy nor states.
func TestAdvice(t *testing.T) {
	const p = 4_000_000
	m := modeltest.New(17).Input("x", onnxgraph.Float, "batch", 1000).InitZeros("fc.weight", onnxgraph.Float, 1000, 1000).
		Node("MatMul", []string{"x", "fc.weight"}, []string{"y"}).Output("y")
	r := resultOf(t, analyze(t, m, report.Options{Advice: true}))
	if r.Training.PeakBytes == nil {
		t.Fatal(r.Training.Reason)
	}
	about := func(got, want int64) bool { return got > want-want/100 && got < want+want/100 }
	if !about(*r.Training.PeakBytes, 5*p) {
		t.Errorf("peak %d, want about %d", *r.Training.PeakBytes, 5*p)
	}
	saves := map[string]int64{}
	for i, a := range r.Training.Advice {
		saves[options(a)] = a.SavesBytes
		if a.PeakBytes+a.SavesBytes != *r.Training.PeakBytes || a.SavesBytes <= 0 {
			t.Errorf("%s: %d and %d are not the peak", options(a), a.PeakBytes, a.SavesBytes)
		}
		if i > 0 && a.SavesBytes > r.Training.Advice[i-1].SavesBytes {
			t.Errorf("%s saves more than what comes before it", options(a))
		}
	}
	if !about(saves["fused=true"], p) || !about(saves["optimizer=sgd"], 3*p) {
		t.Errorf("savings %v, want P for fused and 3 P for sgd", saves)
	}
	if _, both := saves["foreach=false"]; both {
		t.Error("two ways to update without copies")
	}
}

// options are those of an advice, one after the other.
func options(a report.Advice) string {
	var list []string
	for _, o := range a.Options {
		list = append(list, string(o.Name)+"="+o.Value)
	}
	return strings.Join(list, " ")
}

// TestFitAdvice: what saves memory makes room for at least as much.
func TestFitAdvice(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, "batch", 1000)
	last := "x"
	for _, w := range []string{"a.weight", "b.weight", "c.weight"} {
		m.InitZeros(w, onnxgraph.Float, 1000, 1000).Node("MatMul", []string{last, w}, []string{last + "1"}).Node("Relu", []string{last + "1"}, []string{last + "2"})
		last += "2"
	}
	f, err := fit(t, m.Output(last), report.FitOptions{Budget: 200_000_000, Reserve: new(int64(0)), Train: true})
	if err != nil || f.Largest == nil || len(f.Advice) == 0 {
		t.Fatalf("%v: %+v", err, f)
	}
	for _, a := range f.Advice {
		if value(a.Largest) < *f.Largest {
			t.Errorf("%s: %d fit, %d without", options(a), value(a.Largest), *f.Largest)
		}
	}
}

// A countingReader counts the bytes that are read.
type countingReader struct {
	*bytes.Reader
	read atomic.Int64
}

func (r *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.Reader.ReadAt(p, off)
	r.read.Add(int64(n))
	return n, err
}

// TestFitReadsNoFile: a search infers the model at many sizes from what was
// read once; only values that decide shapes are read again.
func TestFitReadsNoFile(t *testing.T) {
	m := corpus.ZooNamed(t, "bert_base_ts14") // whose file here holds no weights
	file := &countingReader{Reader: bytes.NewReader(m.Bytes(t))}
	model, err := onnxgraph.Read(file, file.Size())
	if err != nil {
		t.Fatal(err)
	}
	whole := file.read.Load()
	infer := func() int64 {
		before := file.read.Load()
		if _, err := report.Analyze(model, report.Options{}); err != nil {
			t.Fatal(err)
		}
		return file.read.Load() - before
	}
	again := infer() // small constants, whose values decide shapes
	if again > whole/4 {
		t.Errorf("reading the file took %d bytes, inferring again %d", whole, again)
	}
	before := file.read.Load()
	opts := report.Options{Infer: shapeinfer.Options{Dims: map[string]int64{"seq": 128}}}
	f, err := report.Fit(t.Context(), model, report.FitOptions{Options: opts, Budget: 16 << 30, Train: true})
	if err != nil || f.Largest == nil {
		t.Fatalf("%v: %+v", err, f)
	}
	// Far fewer than 200 sizes are tried, with advice and all devices.
	if spent := file.read.Load() - before; spent > 200*again {
		t.Errorf("the search read %d bytes, an inference %d", spent, again)
	}
}

// TestAdviceIsSafeToCopy: a weight whose name a shell would run is named in no
// option.
func TestAdviceIsSafeToCopy(t *testing.T) {
	for name, want := range map[string]bool{"head.weight": true, "head$(reboot).weight": false, "head*": false} {
		m := modeltest.New(17).Input("x", onnxgraph.Float, "batch", 1000).InitZeros("body.weight", onnxgraph.Float, 1000, 1000).InitZeros(name, onnxgraph.Float, 1000, 10).
			Node("MatMul", []string{"x", "body.weight"}, []string{"h"}).Node("MatMul", []string{"h", name}, []string{"y"}).Output("y")
		named := false
		for _, a := range resultOf(t, analyze(t, m, report.Options{Advice: true})).Training.Advice {
			named = named || options(a) == "trainable="+name
		}
		if named != want {
			t.Errorf("%s: named in an option: %v", name, named)
		}
	}
}

// TestFitRefusesOptions: what leaves nothing for the model is no budget.
func TestFitRefusesOptions(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, "batch", 8).Node("Relu", []string{"x"}, []string{"y"}).Output("y")
	for _, opts := range []report.FitOptions{
		{}, {Budget: report.DefaultReserve}, {Budget: 5, Reserve: new(int64(5))}, {Budget: 5, Reserve: new(int64(-1))}, {Budget: 2e9, Max: -1},
		{Budget: 2e9, Options: report.Options{Runtime: 200}}, {Budget: 2e9, Options: report.Options{Weights: weights.Options{BatchNorm: 200}}},
		{Budget: 2e9, Options: report.Options{Training: training.Options{Zero: 4}}},
	} {
		var wrong *report.OptionError
		if f, err := report.Fit(t.Context(), m.Model(t), opts); !errors.As(err, &wrong) || f != nil {
			t.Errorf("%+v: %v", opts, err)
		}
	}
}

// TestFitCancelled gives the context's error at once, and in the middle of the
// search.
func TestFitCancelled(t *testing.T) {
	m := modeltest.New(17).Input("x", onnxgraph.Float, "batch", 1000).InitZeros("w", onnxgraph.Float, 1000, 1000).
		Node("MatMul", []string{"x", "w"}, []string{"y"}).Output("y")
	for _, after := range []int{0, 3, 10} {
		ctx := &endingContext{Context: t.Context(), left: after}
		f, err := report.Fit(ctx, m.Model(t), report.FitOptions{Budget: 8e9, Train: true})
		if !errors.Is(err, context.Canceled) || f != nil {
			t.Errorf("after %d questions: %v, error %v", after, f, err)
		}
	}
}

// An endingContext is done after its error was asked for a number of times.
type endingContext struct {
	context.Context
	mu   sync.Mutex
	left int
}

// Err implements [context.Context].
func (c *endingContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}
