package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/report/internal/mutant"
	"onnxmem/report/memory/runtimes"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/report/render"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
)

// A stock holds the models to start from: whole graphs, of which a few nodes
// in a row are taken, and small models.
type stock struct {
	small [][]byte
	large []*shapeinfer.Result
}

// mostNodes is the number of nodes of the models that are changed: what goes
// wrong hangs on a few of them, and small models are soon done with.
const mostNodes = 60

var loadStock = sync.OnceValues(func() (*stock, error) {
	root, err := corpus.FindRoot()
	if err != nil {
		return nil, err
	}
	s := &stock{}
	zoo, err := corpus.ReadZoo(root)
	for _, m := range zoo {
		data, readErr := m.ReadBytes()
		err = errors.Join(err, readErr, s.add(data))
	}
	cases, caseErr := corpus.ReadCases(root)
	for _, c := range cases {
		data, readErr := c.ReadBytes()
		err = errors.Join(err, readErr, s.add(data))
	}
	faults, faultErr := corpus.ReadFaults(root)
	for _, f := range faults {
		data, readErr := f.ReadBytes()
		err = errors.Join(err, readErr, s.add(data))
	}
	err = errors.Join(err, caseErr, faultErr)
	for _, list := range []string{corpus.Node, corpus.NodeExpanded, corpus.Versions, corpus.Contrib, corpus.Infer} {
		cases, readErr := corpus.ReadManifest(root, list)
		err = errors.Join(err, readErr)
		for i := 0; i < len(cases); i += 8 {
			data, readErr := cases[i].ReadBytes()
			err = errors.Join(err, readErr, s.add(data))
		}
	}
	return s, err
})

// add adds a model that can be read.
func (s *stock) add(data []byte) error {
	m, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil //nolint:nilerr // there are wrong files among them
	}
	if len(m.Graph.Nodes) <= mostNodes {
		s.small = append(s.small, data)
		return nil
	}
	r, err := shapeinfer.Infer(m, shapeinfer.Options{DefaultDims: 2})
	if err == nil {
		s.large = append(s.large, r)
	}
	return err
}

// pick is a model of the stock, of more than a few nodes a part.
func (s *stock) pick(t *testing.T, c *mutant.Choices) *onnxgraph.Model {
	t.Helper()
	if c.Of(2) == 0 {
		r := s.large[c.Of(len(s.large))]
		count := 4 + c.Of(mostNodes-4)
		return mutant.Crop(r, c.Of(max(len(r.Main.Nodes)-count, 1)), count)
	}
	data := s.small[c.Of(len(s.small))]
	m, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return mutant.Copy(m)
}

// one is one of a list.
func one[T any](c *mutant.Choices, list ...T) T { return list[c.Of(len(list))] }

func mutantOptions(c *mutant.Choices) report.Options {
	var train training.Options
	train.Optimizer = one(c, training.Adam, training.SGD, training.Adafactor, training.Adam8bit, training.Muon, training.LAMB)
	train.Precision = one(c, training.FP32, training.AMPBF16, training.BF16, training.BF16Master, training.AMPFP16)
	train.Attention = one(c, training.AttentionAuto, training.AttentionEager, training.AttentionFused)
	train.InPlace = one(c, training.InPlaceAuto, training.InPlaceOn, training.InPlaceOff)
	train.Checkpoint = one(c, training.Checkpoint{}, training.CheckpointSqrt(), training.CheckpointEvery(1))
	train.Loss = one(c, training.LossSum, training.LossCrossEntropy)
	train.Dropout = one(c, training.Dropout{}, training.DropoutRate(.1), training.DropoutRate(0))
	train.LoRARank = one(c, 0, 0, 4)
	train.Zero, train.GPUs = one(c, 0, 3), one(c, 1, 3)
	train.NoFusion = one(c, false, false, true)
	train.Names = one(c, weights.NameGlobs{}, weights.NameGlobs{Freeze: []string{"*e*"}}, weights.NameGlobs{Trainable: []string{"*w*", "*b*"}}, weights.NameGlobs{Freeze: []string{"*"}})
	return report.Options{
		Infer:   shapeinfer.Options{DeclaredOnly: c.Of(16) == 1},
		Runtime: one(c, runtimes.ORTCPU, runtimes.ORTCUDA, runtimes.TensorRTLike), Weights: weights.Options{BatchNorm: one(c, weights.BatchNormAuto, weights.BatchNormFolded, weights.BatchNormNone)},
		FreeInputs: one(c, false, true), ReuseInputs: one(c, false, true), PerNode: true, Timeline: true, Advice: true, Training: train, PanicOnBug: true,
	}
}

// everything reports on a model in every way. It panics where the program has a
// bug, and fails where a result contradicts itself.
func everything(t *testing.T, m *onnxgraph.Model, c *mutant.Choices) {
	t.Helper()
	opts := mutantOptions(c)
	a, err := report.Analyze(m, opts)
	if err != nil {
		return
	}
	r := resultOf(t, a)
	shapes := report.Shapes(a.Symbolic)
	for _, d := range append(r.InternalErrors(), shapes.InternalErrors()...) {
		t.Errorf("%s: %s", d.Node, d.Message)
	}
	for _, f := range render.Formats() {
		if f.Report != nil {
			written(t, f.Name, func(w *bytes.Buffer) error {
				return f.Report(w, r, render.Style{PerNode: true, Top: 5, Width: 100, Train: true})
			})
		}
		if f.Shapes != nil {
			written(t, f.Name, func(w *bytes.Buffer) error { return f.Shapes(w, shapes) })
		}
	}
	for _, train := range []bool{false, true} {
		fit, err := report.Fit(t.Context(), m, report.FitOptions{Options: opts, Budget: 8e9, Max: 8, Train: train})
		if err != nil {
			continue
		}
		for _, f := range render.Formats() {
			if f.Fit != nil {
				written(t, f.Name, func(w *bytes.Buffer) error { return f.Fit(w, fit, render.Style{}) })
			}
		}
	}
}

// written holds what a format wrote: JSON parses and has no negative size.
func written(t *testing.T, format string, write func(*bytes.Buffer) error) {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Errorf("%s: %v", format, err)
	}
	if format != "json" {
		return
	}
	var v any
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Errorf("no JSON: %v", err)
	}
	notNegative(t, "", v)
}

func notNegative(t *testing.T, key string, v any) {
	t.Helper()
	switch x := v.(type) {
	case map[string]any:
		for k, inner := range x {
			notNegative(t, k, inner)
		}
	case []any:
		for _, inner := range x {
			notNegative(t, key, inner)
		}
	case float64:
		if x < 0 && (strings.HasSuffix(key, "bytes") || key == "count" || key == "trainable" || key == "params" || key == "macs" || key == "timeline") {
			t.Errorf("%s is %v", key, x)
		}
	}
}

// changed makes a model wrong by the decisions in data and reports on it.
func changed(t *testing.T, data []byte) {
	t.Helper()
	s, err := loadStock()
	if err != nil {
		t.Fatal(err)
	}
	c := mutant.NewChoices(data)
	m := s.pick(t, c)
	options := c.Take(24)
	what := mutant.Mutate(c, m, 8)
	defer func() {
		if p := recover(); p != nil {
			panic(fmt.Sprintf("%v, in a model changed by: %s", p, strings.Join(what, "; ")))
		}
		if t.Failed() {
			t.Logf("in a model changed by: %s", strings.Join(what, "; "))
		}
	}()
	everything(t, m, options)
}

// FuzzChangedModel reports on models of the corpora after changes to their
// structure.
func FuzzChangedModel(f *testing.F) {
	if _, err := loadStock(); err != nil { // before a fuzzer times the first model
		f.Fatal(err)
	}
	for seed := range uint64(64) {
		f.Add(decisions(seed))
	}
	f.Fuzz(changed)
}

// decisions are random bytes to decide by.
func decisions(seed uint64) []byte {
	rnd := rand.New(rand.NewPCG(seed, 9))
	data := make([]byte, 64)
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	return data
}

// TestChangedModels is FuzzChangedModel on a fixed number of models.
func TestChangedModels(t *testing.T) {
	count := 250
	if testing.Short() {
		count = 60
	}
	for seed := range uint64(count) {
		changed(t, decisions(seed))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// FuzzReport reports on whatever bytes there are, in every way.
func FuzzReport(f *testing.F) {
	for _, fault := range corpus.Faults(f) {
		if data := fault.Bytes(f); len(data) < 20_000 {
			f.Add(data, []byte{})
		}
	}
	for _, c := range corpus.Cases(f) {
		if data := c.Bytes(f); len(data) < 20_000 {
			f.Add(data, []byte{1, 2, 3, 4})
		}
	}
	f.Fuzz(func(t *testing.T, data, options []byte) {
		if len(data) > 100_000 {
			return
		}
		m, err := onnxgraph.Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		everything(t, m, mutant.NewChoices(options))
	})
}
