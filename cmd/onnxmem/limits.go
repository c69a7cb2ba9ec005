package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"onnxmem/report"
	"onnxmem/report/render"
)

// This file holds the limits on a report that decide the exit code.

// limitFlags are limits on a report: one that is exceeded, or that cannot be
// checked since the number is not known, ends the program with exitFindings.
type limitFlags struct {
	maxWeights, maxPeak, maxTrain string
	maxUnknown                    int
	baseline                      string
	tolerance                     string
}

func (l *limitFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&l.maxWeights, "max-weights", "", "exit with 1 when the weights take more than `SIZE`, such as 100MB or 96MiB")
	flags.StringVar(&l.maxPeak, "max-peak", "", "exit with 1 when the inference peak is above `SIZE`")
	flags.StringVar(&l.maxTrain, "max-train", "", "exit with 1 when the training peak is above `SIZE`")
	flags.IntVar(&l.maxUnknown, "max-unknown", -1, "exit with 1 when more than `N` tensors have unknown sizes")
	flags.StringVar(&l.baseline, "baseline", "", "exit with 1 when a number is above that of an earlier report, a JSON `FILE`, by more than --tolerance")
	flags.StringVar(&l.tolerance, "tolerance", "0%", "`PERCENT` by which a number may be above the baseline")
}

// check refuses sizes that are none.
func (l *limitFlags) check() error {
	for _, limit := range l.sizes(&report.Result{}) {
		if limit.text == "" {
			continue
		}
		if _, err := parseSize(limit.flag, limit.text); err != nil {
			return err
		}
	}
	if _, err := l.toleranceShare(); err != nil {
		return usagef("--tolerance %q: want a percentage such as 2%%", l.tolerance)
	}
	return nil
}

func (l *limitFlags) toleranceShare() (float64, error) {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(l.tolerance, "%"), 64)
	if err == nil && !(percent >= 0) { // NaN, too
		err = errors.New("negative")
	}
	return percent / 100, err
}

// A sizeLimit is a limit on one number of a report.
type sizeLimit struct {
	flag, text, what string
	got              *int64
}

func (l *limitFlags) sizes(r *report.Result) []sizeLimit {
	return []sizeLimit{
		{"max-weights", l.maxWeights, "weights", r.Weights.Bytes},
		{"max-peak", l.maxPeak, "inference peak", r.Inference.PeakBytes},
		{"max-train", l.maxTrain, "training peak", trainingPeak(r)},
	}
}

// judge holds a report against the limits and names all that it fails.
func (l *limitFlags) judge(path string, r *report.Result, units render.Units) error {
	var failed []error
	fail := func(format string, args ...any) {
		failed = append(failed, fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...)))
	}
	for _, limit := range l.sizes(r) {
		if limit.text == "" {
			continue
		}
		most, err := parseSize(limit.flag, limit.text)
		switch {
		case err != nil:
			return err
		case limit.got == nil:
			fail("%s: unknown, so --%s %s cannot be checked", limit.what, limit.flag, limit.text)
		case *limit.got > most:
			fail("%s: %s, limit %s (--%s)", limit.what, units.Size(*limit.got), units.Size(most), limit.flag)
		}
	}
	if n := len(r.Inference.Unknown); l.maxUnknown >= 0 && n > l.maxUnknown {
		fail("tensors of unknown size: %d, limit %d (--max-unknown)", n, l.maxUnknown)
	}
	if err := l.judgeBaseline(r, units, fail); err != nil {
		return err
	}
	if len(failed) == 0 {
		return nil
	}
	return exitWith(exitFindings, errors.Join(failed...))
}

// judgeBaseline compares with an earlier report.
func (l *limitFlags) judgeBaseline(r *report.Result, units render.Units, fail func(string, ...any)) error {
	if l.baseline == "" {
		return nil
	}
	data, err := readFile(l.baseline, maxBaseline)
	if err != nil {
		return exitWith(exitUnreadable, fmt.Errorf("--baseline: %w", err))
	}
	var old report.Result
	if err := json.Unmarshal(data, &old); err != nil || old.Schema != report.Schema {
		return exitWith(exitUnreadable, fmt.Errorf("--baseline %s: not a JSON report of schema %s", l.baseline, report.Schema))
	}
	share, err := l.toleranceShare()
	if err != nil {
		return usagef("--tolerance %q: %w", l.tolerance, err)
	}
	for _, c := range []struct {
		what     string
		was, now *int64
	}{
		{"weights", old.Weights.Bytes, r.Weights.Bytes},
		{"activations", old.Inference.ActivationsBytes, r.Inference.ActivationsBytes},
		{"inference peak", old.Inference.PeakBytes, r.Inference.PeakBytes},
		{"training peak", trainingPeak(&old), trainingPeak(r)},
	} {
		switch {
		case c.was == nil:
		case c.now == nil:
			fail("%s: unknown, baseline %s", c.what, units.Size(*c.was))
		case float64(*c.now) > float64(*c.was)*(1+share):
			fail("%s: %s, baseline %s (%s, allowed %s)", c.what, units.Size(*c.now), units.Size(*c.was), increase(*c.was, *c.now), percent(share))
		}
	}
	return nil
}

// increase is by how much a number grew.
func increase(was, now int64) string {
	if was == 0 {
		return "from nothing"
	}
	return percent(float64(now)/float64(was) - 1)
}

// percent prints a share with as many digits as it takes to tell it from zero.
func percent(share float64) string {
	return fmt.Sprintf("%+.3g%%", 100*share)
}

func trainingPeak(r *report.Result) *int64 {
	if r.Training == nil {
		return nil
	}
	return r.Training.PeakBytes
}
