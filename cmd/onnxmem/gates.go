package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"onnxmem/report"
)

// This file holds the gates: limits on a report that decide the exit code.

// gateFlags are limits on a report: one that is exceeded, or that cannot be
// judged since the number is not known, ends the program with exitFindings.
type gateFlags struct {
	maxWeights, maxPeak, maxTrain string
	maxUnknown                    int
	baseline                      string
	tolerance                     string
}

func (g *gateFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&g.maxWeights, "max-weights", "", "fail when the weights take more than `SIZE`, such as 100MB or 96MiB")
	flags.StringVar(&g.maxPeak, "max-peak", "", "fail when the peak of a run is above `SIZE`")
	flags.StringVar(&g.maxTrain, "max-train", "", "fail when the peak of training is above `SIZE`")
	flags.IntVar(&g.maxUnknown, "max-unknown", -1, "fail when the size of more than `N` tensors is not known")
	flags.StringVar(&g.baseline, "baseline", "", "fail when a number is above that of an earlier report, a JSON `FILE`, by more than --tolerance")
	flags.StringVar(&g.tolerance, "tolerance", "0%", "how much above the baseline is accepted")
}

// check refuses sizes that are none.
func (g *gateFlags) check() error {
	for _, gate := range []struct{ flag, limit string }{
		{"max-weights", g.maxWeights}, {"max-peak", g.maxPeak}, {"max-train", g.maxTrain},
	} {
		if gate.limit == "" {
			continue
		}
		if _, err := humanize.ParseBytes(gate.limit); err != nil {
			return usagef("--%s %q: want a size such as 100MB or 96MiB", gate.flag, gate.limit)
		}
	}
	if _, err := g.toleranceShare(); err != nil {
		return usagef("--tolerance %q: want a percentage such as 2%%", g.tolerance)
	}
	return nil
}

func (g *gateFlags) toleranceShare() (float64, error) {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(g.tolerance, "%"), 64)
	if err == nil && (percent < 0 || percent != percent) {
		err = fmt.Errorf("negative")
	}
	return percent / 100, err
}

// judge holds a report against the gates and names the first that it fails.
func (g *gateFlags) judge(path string, r *report.Result) error {
	training := (*int64)(nil)
	if r.Training != nil {
		training = r.Training.PeakBytes
	}
	for _, gate := range []struct {
		flag, limit, what string
		got               *int64
	}{
		{"max-weights", g.maxWeights, "the weights take", r.Weights.Bytes},
		{"max-peak", g.maxPeak, "a run takes", r.Inference.PeakBytes},
		{"max-train", g.maxTrain, "training takes", training},
	} {
		if gate.limit == "" {
			continue
		}
		limit, err := humanize.ParseBytes(gate.limit)
		if err != nil {
			return usagef("--%s %q: %w", gate.flag, gate.limit, err)
		}
		if gate.got == nil {
			return exitWith(exitFindings, fmt.Errorf("%s: --%s cannot be judged: the number is not known", path, gate.flag))
		}
		if uint64(*gate.got) > limit {
			return exitWith(exitFindings, fmt.Errorf("%s: %s %d bytes, more than --%s %s", path, gate.what, *gate.got, gate.flag, gate.limit))
		}
	}
	if n := len(r.Inference.Unknown); g.maxUnknown >= 0 && n > g.maxUnknown {
		return exitWith(exitFindings, fmt.Errorf("%s: the size of %d tensors is not known, more than --max-unknown %d", path, n, g.maxUnknown))
	}
	return g.judgeBaseline(path, r)
}

// judgeBaseline compares with an earlier report.
func (g *gateFlags) judgeBaseline(path string, r *report.Result) error {
	if g.baseline == "" {
		return nil
	}
	data, err := readFile(g.baseline, maxBaseline)
	if err != nil {
		return exitWith(exitUnreadable, fmt.Errorf("--baseline: %w", err))
	}
	var old report.Result
	if err := json.Unmarshal(data, &old); err != nil || old.Schema != report.Schema {
		return exitWith(exitUnreadable, fmt.Errorf("--baseline %s: not a report in JSON of schema %s", g.baseline, report.Schema))
	}
	share, err := g.toleranceShare()
	if err != nil {
		return usagef("--tolerance %q: %w", g.tolerance, err)
	}
	for _, c := range []struct {
		what     string
		was, now *int64
	}{
		{"weights.bytes", old.Weights.Bytes, r.Weights.Bytes},
		{"inference.activations_bytes", old.Inference.ActivationsBytes, r.Inference.ActivationsBytes},
		{"inference.peak_bytes", old.Inference.PeakBytes, r.Inference.PeakBytes},
		{"training.peak_bytes", trainingPeak(&old), trainingPeak(r)},
	} {
		switch {
		case c.was == nil:
		case c.now == nil:
			return exitWith(exitFindings, fmt.Errorf("%s: %s is not known any more; the baseline has %d", path, c.what, *c.was))
		case float64(*c.now) > float64(*c.was)*(1+share):
			return exitWith(exitFindings, fmt.Errorf("%s: %s is %d, the baseline has %d, and --tolerance is %s", path, c.what, *c.now, *c.was, g.tolerance))
		}
	}
	return nil
}

func trainingPeak(r *report.Result) *int64 {
	if r.Training == nil {
		return nil
	}
	return r.Training.PeakBytes
}
