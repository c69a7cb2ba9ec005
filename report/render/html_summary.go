package render

import (
	"onnxmem/report"
	"onnxmem/report/finding"
)

// An htmlCard is one of the numbers on top of the page. The scripts find those
// with an ID, which follow the open dims.
type htmlCard struct{ ID, Title, Value, Note string }

func htmlCards(t *reportText, r *report.Result) []htmlCard {
	inf := r.Inference
	cards := []htmlCard{
		{"", "Weights", t.sizeOrUnknown(r.Weights.Bytes, r.Weights.BytesAtLeast), dtypes(r.Parameters.ByDType)},
		{"", "Parameters", Count(r.Parameters.Trainable), parameterText(r.Parameters)},
		{"peak", "Inference peak", t.sizeOrUnknown(inf.PeakBytes, inf.PeakAtLeast), t.peakText(r)},
	}
	if rt := inf.Runtime; rt != nil {
		cards = append(cards, htmlCard{"", runtimeTitle(rt), t.sizeOrUnknown(rt.Bytes, rt.BytesAtLeast), t.runtimeText(rt)})
	}
	cards = append(cards,
		htmlCard{"inputs", "Inputs", t.sizeOrUnknown(r.Inputs.Bytes, r.Inputs.BytesAtLeast), "held by the caller"},
		htmlCard{"activations", "Activations", t.sizeOrUnknown(inf.ActivationsBytes, inf.ActivationsAtLeast), "all of them, without reuse"})
	if tr := r.Training; tr != nil {
		card := htmlCard{"", "Training peak (" + trainingName(tr) + ")", t.sizeOrUnknown(tr.PeakBytes, nil), "in the " + phaseName(tr.PeakPhase)}
		if tr.PeakBytes == nil {
			card.Title, card.Value, card.Note = "Training, rule of thumb", t.sizeOrUnknown(tr.RuleOfThumbBytes, nil), ""
			if tr.Reason != nil {
				card.Note = t.style.Message(*tr.Reason)
			}
		}
		cards = append(cards, card)
	}
	if r.Compute.MACs != nil {
		cards = append(cards, htmlCard{"macs", "Compute", amount(*r.Compute.MACs, "MACs"), "per run; FLOPs are 2 x MACs"})
	}
	return cards
}

// remarks is a list under a heading.
type remarks struct {
	Title string
	Items []string
}

// allAssumptions are all assumptions, those on dynamic dimensions in one.
func (s Style) allAssumptions(list []finding.Finding) []string {
	all := s.otherAssumptions(list)
	if text := s.dynamicDimensions(list); text != "" {
		all = append([]string{text}, all...)
	}
	return all
}

// remarks lists what explains the numbers and all that qualifies them.
func (s Style) remarks(r *report.Result, assumptions []string) []remarks {
	var unknown, diagnostics []string
	for _, u := range r.Inference.Unknown {
		unknown = append(unknown, s.unknownLine(u))
	}
	for _, d := range r.Diagnostics {
		diagnostics = append(diagnostics, diagnosticLine(d))
	}
	var list []remarks
	for _, n := range []remarks{
		{"Why the peak is this high", s.messages(r.Inference.Explanation)}, {"Assumptions", assumptions}, {"Notes", s.messages(notesOf(r))},
		{"Unknown sizes", unknown}, {"Diagnostics", diagnostics},
	} {
		if len(n.Items) > 0 {
			list = append(list, n)
		}
	}
	return list
}
