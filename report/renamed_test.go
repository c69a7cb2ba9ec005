package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"onnxmem/onnxgraph"
	"onnxmem/report"
	"onnxmem/report/finding"
	"onnxmem/report/memory/weights"
	"onnxmem/shapeinfer"
	"onnxmem/testdata/corpus"
	"onnxmem/testdata/corpus/runs"
)

// rename gives every value and node of a model another name, one for each, that
// means nothing: letters in an order of their own.
func rename(m *onnxgraph.Model) {
	names := map[string]string{"": ""}
	other := func(name string) string {
		if _, ok := names[name]; !ok {
			// An odd factor makes of each number another one, so that the new names
			// sort in another order than the old ones.
			n := uint32(len(names)) * 2654435761
			var b strings.Builder
			for range 7 {
				b.WriteByte(byte('a' + n%26))
				n /= 26
			}
			names[name] = "x" + b.String()
		}
		return names[name]
	}
	all := func(list []string) {
		for i := range list {
			list[i] = other(list[i])
		}
	}
	infos := func(list []*onnxgraph.ValueInfo) {
		for _, v := range list {
			v.Name = other(v.Name)
		}
	}
	for _, g := range m.AllGraphs() {
		for _, list := range [][]*onnxgraph.ValueInfo{g.Inputs, g.Outputs, g.ValueInfos} {
			infos(list)
		}
		for _, t := range g.Initializers {
			t.Name = other(t.Name)
		}
		for _, t := range g.SparseInitializers {
			t.Values.Name = other(t.Values.Name)
		}
		for i := range g.QuantizationEntries {
			g.QuantizationEntries[i].TensorName = other(g.QuantizationEntries[i].TensorName)
		}
	}
	for _, f := range m.Functions {
		all(f.Inputs)
		all(f.Outputs)
		infos(f.ValueInfos)
	}
	for _, n := range m.AllNodes() {
		all(n.Inputs)
		all(n.Outputs)
		if n.Name != "" {
			n.Name = other("node " + n.Name)
		}
	}
}

// numbers are those of a model that names must not decide.
type numbers struct {
	Parameters [5]int64
	Weights    map[string]int64
	Inference  [4]int64
	Runtime    int64
	Training   map[string]int64
	Reason     bool
}

func numbersOf(t *testing.T, m *onnxgraph.Model, opts report.Options) numbers {
	t.Helper()
	opts.Infer = shapeinfer.Options{DefaultDims: 2}
	a, err := report.Analyze(m, opts)
	if err != nil {
		t.Fatal(err)
	}
	r := resultOf(t, a)
	value := func(p *int64) int64 {
		if p == nil {
			return -1
		}
		return *p
	}
	n := numbers{
		Parameters: [5]int64{r.Parameters.Count, r.Parameters.Trainable, r.Parameters.Buffers, r.Parameters.Constants, r.Parameters.FoldedBatchNorm},
		Weights:    r.Weights.ByDType,
		Inference:  [4]int64{value(r.Inference.SumBytes), value(r.Inference.ActivationsBytes), value(r.Inference.PeakBytes), value(r.Inference.PeakActivationBytes)},
		Runtime:    value(r.Inference.Runtime.Bytes),
		Training:   map[string]int64{},
		Reason:     r.Training.Reason != nil,
	}
	for name, p := range map[string]*int64{
		"rule of thumb": r.Training.RuleOfThumbBytes, "saved": r.Training.SavedBytes, "with dropout": r.Training.SavedWithDropoutBytes, "gradients": r.Training.GradientBytes,
		"states": r.Training.OptimizerBytes, "first": r.Training.FirstStepPeakBytes, "peak": r.Training.PeakBytes, "reserved": r.Training.ReservedBytes,
	} {
		n.Training[name] = value(p)
	}
	return n
}

// byName are the codes that say that names decided, and the options under which
// they do not.
var byName = map[finding.Code]func(*report.Options){
	finding.BatchNormByName:  func(o *report.Options) { o.Weights.BatchNorm = weights.BatchNormNone },
	finding.WeightNormByName: func(o *report.Options) { o.Training.NoFusion = true },
	finding.RoleByName:       func(o *report.Options) { o.Training.Names.Trainable = []string{"*"} },
}

// TestNamesDecideNothing: a model whose values and nodes have other names has
// the same numbers, but for what a note says that names decided; and under the
// option that the note names it has the same ones as well.
func TestNamesDecideNothing(t *testing.T) {
	noted := 0
	for _, m := range corpus.Zoo(t) {
		t.Run(m.Name, func(t *testing.T) {
			options := report.Options{}
			notes := weights.Collect(onnxgraph.Resolve(runs.Model(t, m.Model)), weights.Options{}).Notes
			for _, n := range notes {
				if override := byName[n.Code]; override != nil {
					override(&options)
					noted++
				}
			}
			renamed := runs.Model(t, m.Model)
			rename(renamed)
			if slices.ContainsFunc(weights.Collect(onnxgraph.Resolve(renamed), weights.Options{}).Notes, func(n finding.Finding) bool { return byName[n.Code] != nil }) {
				t.Error("names decide though they mean nothing")
			}
			if d := cmp.Diff(numbersOf(t, runs.Model(t, m.Model), options), numbersOf(t, renamed, options)); d != "" {
				t.Errorf("renamed: %s\nnotes: %+v", d, notes)
			}
		})
	}
	if noted == 0 {
		t.Error("no model has a note, so the notes are not tested")
	}
}
