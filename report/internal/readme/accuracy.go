package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"onnxmem/report/internal/accuracy"
)

// accuracySummary is the README's table of errors: one row for each kind of
// number, of the models that the estimates were made with and of those that
// came later.
func accuracySummary(c, later *accuracy.Comparison) string {
	summary := newTable("number", "truth", ">runs", ">estimated", ">to the byte", ">median error", ">90% within", ">worst", ">more than 5% below")
	add := func(s accuracy.Subject, which string) {
		if st := accuracy.Summarize(s.Figures); st.Estimated > 0 && !s.Page {
			summary.row(s.Title+which, s.Truth, fmt.Sprint(st.Runs), fmt.Sprint(st.Estimated), fmt.Sprint(st.Exact), percent(st.Median), percent(st.P90), percent(st.Max), fmt.Sprint(st.Under))
		}
	}
	for _, s := range c.Subjects() {
		add(s, "")
	}
	for _, s := range later.Subjects() {
		add(s, laterModels)
	}
	return summary.String()
}

// laterModels marks the figures of models that were recorded after the
// estimates had been made.
const laterModels = ", later models"

// listed is the error from which a model has a row of its own.
const listed = 0.0001

// modelTable lists the models of a subject, worst first; those whose error is
// next to nothing in every run share the last line.
func modelTable(s accuracy.Subject) string {
	t := newTable(s.Title, ">runs", ">truth of the worst", ">estimate", ">error", ">median")
	exact, close := 0, 0
	for _, figures := range accuracy.ByModel(s.Figures) {
		st := accuracy.Summarize(figures)
		switch {
		case st.Exact == st.Runs:
			exact++
			continue
		case st.Estimated == st.Runs && st.Max < listed:
			close++
			continue
		}
		worst := figures[0]
		for _, f := range figures {
			if isWorse(f, worst) {
				worst = f
			}
		}
		estimate, e := "unknown", ""
		if worst.Estimate != nil {
			x, _ := worst.Error()
			estimate, e = humanize.Comma(*worst.Estimate), signed(x)
		}
		t.row(worst.Model, fmt.Sprint(st.Runs), humanize.Comma(worst.Truth), estimate, e, percent(st.Median))
	}
	return t.String() + fmt.Sprintf("\nOf the other models %d are exact to the byte in every run, %d within %s.\n", exact, close, percent(listed))
}

func isWorse(f, than accuracy.Figure) bool {
	a, known := f.Error()
	b, knownToo := than.Error()
	if !known || !knownToo {
		return !known && knownToo
	}
	return max(a, -a) > max(b, -b)
}

func signed(x float64) string {
	if x > 0 {
		return "+" + percent(x)
	}
	return percent(x)
}

// accuracyPage is the page with every run of the models that the estimates were
// made with, and the models that came later.
func accuracyPage(c, later *accuracy.Comparison) string {
	var b strings.Builder
	b.WriteString(accuracyHead)
	for _, s := range c.Subjects() {
		st := accuracy.Summarize(s.Figures)
		if st.Estimated == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", s.Heading, s.About)
		if !s.Detail && st.Exact < st.Runs {
			b.WriteString(modelTable(s) + "\n")
		}
		t := newTable("model", "run", ">truth", ">estimate", ">error")
		for _, figures := range accuracy.ByModel(s.Figures) {
			for _, f := range figures {
				estimate, e := "unknown: "+f.Reason, ""
				if f.Estimate != nil {
					x, _ := f.Error()
					estimate, e = humanize.Comma(*f.Estimate), signed(x)
				}
				t.row(f.Model, f.Run, humanize.Comma(f.Truth), estimate, e)
			}
		}
		b.WriteString(t.String())
	}
	for _, s := range later.Subjects() {
		if st := accuracy.Summarize(s.Figures); st.Estimated > 0 {
			fmt.Fprintf(&b, "\n## %s%s\n\n%s", s.Heading, laterModels, modelTable(s))
		}
	}
	return b.String()
}

// accuracyHead opens the page.
var accuracyHead = strings.Join(slices.Concat([]string{
	"<!-- Made by go run ./report/internal/readme; a test fails when it is stale. -->",
	"# Accuracy",
	"",
	"Every estimate next to the measured number, in bytes. The measurements are recorded in `testdata`; its README names the programs and versions.",
	"An error is estimate / truth - 1. Models with the largest error come first.",
	"",
	"How the truth was measured:",
	"",
	"- Inference: onnxruntime 1.32.0, CPU provider, `SessionOptions` with `intra_op_num_threads = 1`, sequential execution, `enable_mem_pattern = False`,",
	"  `graph_optimization_level = ORT_DISABLE_ALL` and profiling on. The truth is the most bytes that the arena holds after any node, minus what it held",
	"  before the first. Workspace that a kernel frees before it returns is not in it.",
	"- Training: torch 2.15.0, `torch.distributed._tools.mem_tracker.MemTracker` under `FakeTensorMode` around `zero_grad(set_to_none=True)`; `out = model(x)`;",
	"  `loss = out.float().sum()`; `backward()`; `optimizer.step()`, three times. Step 1 has no optimizer state until it ends; step 3 is the steady state.",
	"",
	"`go run ./report/internal/readme` writes this page.",
}), "\n") + "\n"
