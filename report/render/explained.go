package render

import (
	"slices"

	"onnxmem/report"
	"onnxmem/report/finding"
)

// This file adds sentences to results for programs: JSON has each finding's code
// and arguments, and a message for people.

// explained is a copy of a report in which findings have messages.
func (s Style) explained(r *report.Result) *report.Result {
	c := *r
	c.Assumptions = s.withMessages(r.Assumptions)
	c.Parameters.Notes = s.withMessages(r.Parameters.Notes)
	c.Inference.Explanation = s.withMessages(r.Inference.Explanation)
	c.Inference.Unknown = slices.Clone(r.Inference.Unknown)
	for i, u := range c.Inference.Unknown {
		c.Inference.Unknown[i].Reason = s.whyUnknown(u)
	}
	if r.Inference.Runtime != nil {
		runtime := *r.Inference.Runtime
		runtime.Reason = s.withMessage(runtime.Reason)
		c.Inference.Runtime = &runtime
	}
	if r.Training != nil {
		t := *r.Training
		t.Notes, t.Reason, t.Advice = s.withMessages(t.Notes), s.withMessage(t.Reason), s.withTexts(t.Advice)
		c.Training = &t
	}
	return &c
}

// explainedFit is [Style.explained] for a fit.
func (s Style) explainedFit(f *report.FitResult) *report.FitResult {
	c := *f
	c.Assumptions, c.Notes, c.Advice = s.withMessages(f.Assumptions), s.withMessages(f.Notes), s.withTexts(f.Advice)
	return &c
}

func (s Style) withMessage(f *finding.Finding) *finding.Finding {
	if f == nil {
		return nil
	}
	c := *f
	c.Message = s.Message(c)
	return &c
}

func (s Style) withMessages(list []finding.Finding) []finding.Finding {
	list = slices.Clone(list)
	for i, f := range list {
		list[i].Message = s.Message(f)
	}
	return list
}

func (s Style) withTexts(list []report.Advice) []report.Advice {
	list = slices.Clone(list)
	for i, a := range list {
		list[i].Message, list[i].Cost = s.adviceText(a.Finding)
	}
	return list
}
