package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
	"onnxmem/report"
	"onnxmem/report/memory/runtimes"
	"onnxmem/report/memory/training"
	"onnxmem/report/memory/weights"
	"onnxmem/report/render"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
	"onnxmem/shapeinfer/op"
	"onnxmem/shapeinfer/op/catalogue"
	"onnxmem/shapeinfer/tensor"
)

// An optionCase is a flag with a value that is not its default, and what that
// changes in the options of the library.
type optionCase struct {
	value string
	set   func(*report.Options)
}

// trainingOptionCases are the flags that report and fit share.
var trainingOptionCases = map[string]optionCase{
	"input-shapes": {"x:4x8x8x3", func(o *report.Options) {
		o.Infer.InputShapes = map[string][]dim.Dim{"x": tensor.IntShape(4, 8, 8, 3).Dims()}
	}},
	"dim":  {"batch=4", func(o *report.Options) { o.Infer.Dims = map[string]int64{"batch": 4} }},
	"feed": {"n=[3]", func(o *report.Options) { o.Infer.Feeds = map[string]*tensor.Value{"n": nil} }},

	"optimizer":  {"sgd", func(o *report.Options) { o.Training.Optimizer = training.SGD }},
	"precision":  {"bf16", func(o *report.Options) { o.Training.Precision = training.BF16 }},
	"foreach":    {"false", func(o *report.Options) { o.Training.ForLoop = true }},
	"fused":      {"true", func(o *report.Options) { o.Training.Fused = true }},
	"attention":  {"eager", func(o *report.Options) { o.Training.Attention = training.AttentionEager }},
	"loss":       {"cross_entropy", func(o *report.Options) { o.Training.Loss = training.LossCrossEntropy }},
	"dropout":    {"0.1", func(o *report.Options) { o.Training.Dropout = training.DropoutRate(.1) }},
	"accumulate": {"3", func(o *report.Options) { o.Training.Accumulate = 3 }},
	"lora-rank":  {"3", func(o *report.Options) { o.Training.LoRARank = 3 }},
	"freeze":     {"a*", func(o *report.Options) { o.Training.Names.Freeze = []string{"a*"} }},
	"trainable":  {"a*", func(o *report.Options) { o.Training.Names.Trainable = []string{"a*"} }},
	"untie":      {"true", func(o *report.Options) { o.Weights.Untie = true }},
	"checkpoint": {"every-2", func(o *report.Options) { o.Training.Checkpoint = training.CheckpointEvery(2) }},
	"zero":       {"2", func(o *report.Options) { o.Training.Zero = 2 }},
	"gpus":       {"2", func(o *report.Options) { o.Training.GPUs = 2 }},
	"inplace":    {"off", func(o *report.Options) { o.Training.InPlace = training.InPlaceOff }},
	"no-fusion":  {"true", func(o *report.Options) { o.Training.NoFusion = true }},
}

// reportOptionCases are those of report alone.
var reportOptionCases = map[string]optionCase{
	"train":        {"true", func(o *report.Options) { o.Advice = true }},
	"format":       {"json", func(o *report.Options) { o.PerNode, o.Timeline = true, true }},
	"per-node":     {"true", func(o *report.Options) { o.PerNode = true }},
	"infer-shapes": {"off", func(o *report.Options) { o.Infer.DeclaredOnly = true }},
	"batchnorm":    {"none", func(o *report.Options) { o.Weights.BatchNorm = weights.BatchNormNone }},
	"runtime":      {"none", func(o *report.Options) { o.Runtime = runtimes.None }},
	"free-inputs":  {"true", func(o *report.Options) { o.FreeInputs = true }},
	"reuse-inputs": {"true", func(o *report.Options) { o.ReuseInputs = true }},
	"top":          {"0", func(o *report.Options) { o.Top = new(0) }},
}

// frontEndFlags are the flags that are for the program alone: where a result
// goes, how it is written, and what is made of it.
var frontEndFlags = []string{
	"output", "units", "strict", "digest", "max-weights", "max-peak", "max-train", "max-unknown", "baseline", "tolerance", "device", "reserve",
}

// optionsModel has an input of each kind that bindings are for.
func optionsModel(t testing.TB) *onnxgraph.Model {
	return modeltest.New(17).Input("x", onnxgraph.Float, "batch", 8, 8, 3).Input("n", onnxgraph.Int64, 1).
		InitZeros("a", onnxgraph.Float, 3, 50).InitZeros("b", onnxgraph.Float, 50, 5).
		Node("MatMul", []string{"x", "a"}, []string{"h"}).Node("Relu", []string{"h"}, []string{"r"}).
		Node("MatMul", []string{"r", "b"}, []string{"y"}).Output("y").Model(t)
}

// meaning are options with numbers in place of their defaults.
func meaning(o report.Options) report.Options {
	if o.Top == nil {
		o.Top = new(report.DefaultTop)
	}
	o.Training.Accumulate, o.Training.GPUs = max(o.Training.Accumulate, 1), max(o.Training.GPUs, 1)
	feeds := map[string]*tensor.Value{}
	for name := range o.Infer.Feeds {
		feeds[name] = nil // the values have tests of their own
	}
	o.Infer.Feeds = feeds
	return o
}

// reported are the options of report under flags, fitted those of fit.
func reported(t *testing.T, args ...string) report.Options {
	t.Helper()
	var f reportFlags
	parse(t, f.register, args)
	opts, err := f.options("model.onnx", optionsModel(t))
	if err != nil {
		t.Fatal(err)
	}
	return opts
}

func fitted(t *testing.T, args ...string) report.FitOptions {
	t.Helper()
	var f fitFlags
	parse(t, f.register, append([]string{"--budget", "8GB"}, args...))
	opts, err := f.options(render.SI)
	if err != nil {
		t.Fatal(err)
	}
	if opts.Infer, err = f.bindings.options(optionsModel(t)); err != nil {
		t.Fatal(err)
	}
	return opts
}

func parse(t *testing.T, register func(*pflag.FlagSet), args []string) {
	t.Helper()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	register(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
}

func diffOptions(want, got report.Options) string {
	return cmp.Diff(meaning(want), meaning(got), cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(shapeinfer.Options{}), cmpopts.EquateComparable(training.Checkpoint{}, training.Dropout{}),
		cmp.Comparer(func(a, b dim.Dim) bool { return a.String() == b.String() }))
}

// TestZeroOptionsAreTheDefaults: the library without options does what the
// program does without flags.
func TestZeroOptionsAreTheDefaults(t *testing.T) {
	if d := diffOptions(report.Options{}, reported(t)); d != "" {
		t.Errorf("report: %s", d)
	}
	fit := fitted(t)
	if d := diffOptions(report.Options{}, fit.Options); d != "" || fit.Train || fit.Symbol != "" || fit.Max != 0 || *fit.Reserve != report.DefaultReserve {
		t.Errorf("fit: %+v %s", fit, d)
	}
}

// TestEachFlagReachesItsOption: a flag changes the option that the library has
// for it, and nothing else.
func TestEachFlagReachesItsOption(t *testing.T) {
	for name, c := range trainingOptionCases {
		want := report.Options{}
		c.set(&want)
		if d := diffOptions(want, reported(t, "--"+name+"="+c.value)); d != "" {
			t.Errorf("report --%s: %s", name, d)
		}
		if d := diffOptions(want, fitted(t, "--"+name+"="+c.value).Options); d != "" {
			t.Errorf("fit --%s: %s", name, d)
		}
	}
	for name, c := range reportOptionCases {
		want := report.Options{}
		c.set(&want)
		if d := diffOptions(want, reported(t, "--"+name+"="+c.value)); d != "" {
			t.Errorf("report --%s: %s", name, d)
		}
	}
	fit := fitted(t, "--train", "--symbol", "batch", "--reserve", "2GB")
	if !fit.Train || fit.Symbol != "batch" || fit.Budget != 8e9 || *fit.Reserve != 2e9 {
		t.Errorf("fit: %+v", fit)
	}
	if fit := fitted(t, "--reserve", "0"); *fit.Reserve != 0 {
		t.Errorf("fit --reserve 0: %d bytes", *fit.Reserve)
	}
}

// TestOpRulesReachTheOptions: the operators of --op-rules are in the catalogue
// that report and fit infer with, and in no other.
func TestOpRulesReachTheOptions(t *testing.T) {
	rules := writeTestFile(t, []byte("operators:\n  - name: example::Twice\n    inputs: [x]\n    outputs:\n      - dtype: x\n        dims: [\"x[:]\"]\n"), t.TempDir(), "rules.yaml")
	for command, catalogue := range map[string]*op.Catalogue{
		"report": reported(t, "--op-rules", rules).Infer.Catalogue,
		"fit":    fitted(t, "--op-rules", rules).Infer.Catalogue,
	} {
		if catalogue == nil || !catalogue.Has("example", "Twice") {
			t.Errorf("%s does not know the operator of --op-rules", command)
		}
	}
	if catalogue.Default().Has("example", "Twice") {
		t.Error("a rule changed the default catalogue")
	}
}

// TestEveryFlagIsCovered: no flag of report and fit is missing from the tests
// above.
func TestEveryFlagIsCovered(t *testing.T) {
	known := slices.Concat(frontEndFlags, []string{"op-rules"}, slices.Collect(maps.Keys(trainingOptionCases)), slices.Collect(maps.Keys(reportOptionCases)))
	var f reportFlags
	var g fitFlags
	for command, register := range map[string]func(*pflag.FlagSet){"report": f.register, "fit": g.register} {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		register(flags)
		flags.VisitAll(func(flag *pflag.Flag) {
			if !slices.Contains(known, flag.Name) && !(command == "fit" && slices.Contains([]string{"budget", "symbol"}, flag.Name)) {
				t.Errorf("%s --%s is in no test", command, flag.Name)
			}
		})
	}
}

// TestHelpListsEveryValue: what an option takes is in the help of its flag, and
// in the error for what it does not take.
func TestHelpListsEveryValue(t *testing.T) {
	values := map[string][]string{
		"optimizer": training.Optimizer(0).Values(), "precision": training.Precision(0).Values(), "attention": training.Attention(0).Values(),
		"loss": training.Loss(0).Values(), "dropout": training.Dropout{}.Values(), "checkpoint": training.Checkpoint{}.Values(),
		"inplace": training.InPlace(0).Values(), "batchnorm": weights.BatchNormMode(0).Values(), "runtime": runtimes.Runtime(0).Values(),
	}
	help := strings.Join(strings.Fields(runOn(nil, "report", "--help").stdout), " ")
	for flag, list := range values {
		all := strings.Join(list, ", ")
		if !strings.Contains(help, all) {
			t.Errorf("--%s: the help lacks %s", flag, all)
		}
		o := runOn(nil, "report", "--"+flag, "nonesuch", "x.onnx")
		if o.code != exitUsage || !strings.Contains(o.stderr, fmt.Sprintf("--%s \"nonesuch\": must be one of %s", flag, all)) {
			t.Errorf("--%s nonesuch: %d %s", flag, o.code, o.stderr)
		}
	}
}

// TestLibraryNumbersAreTheProgramsNumbers: all of a report, on a model whose
// training peaks at the optimizer's step.
func TestLibraryNumbersAreTheProgramsNumbers(t *testing.T) {
	m := optionsModel(t)
	numbers := func(opts report.Options) []byte {
		t.Helper()
		a, err := report.Analyze(m, opts)
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Result(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	library, program := numbers(report.Options{}), numbers(reported(t))
	if !bytes.Equal(library, program) {
		t.Errorf("the library says %s, the program %s", library, program)
	}
	if bytes.Equal(library, numbers(reported(t, "--foreach=false"))) {
		t.Error("the peak of this model does not depend on how the optimizer updates: it proves nothing")
	}
}
