package render

import (
	"fmt"
	"slices"

	"onnxmem/report"
)

// An htmlCard is one of the numbers on top of the page. The scripts find those
// with an ID, which follow the open dims.
type htmlCard struct{ ID, Title, Value, Note string }

func htmlCards(t *reportText, r *report.Result) []htmlCard {
	inf, iec := r.Inference, t.style.IEC
	cards := []htmlCard{
		{"", "Weights", sizeOrUnknown(r.Weights.Bytes, r.Weights.BytesAtLeast, iec), dtypes(r.Parameters.ByDType)},
		{"", "Parameters", Count(r.Parameters.Trainable), parameterText(r.Parameters)},
		{"peak", "To run: peak", sizeOrUnknown(inf.PeakBytes, inf.PeakAtLeast, iec), t.peakText(r)},
	}
	if rt := inf.Runtime; rt != nil {
		note := rt.Reason
		switch {
		case note != "":
		case rt.Measured:
			note = "as this runtime plans it; the estimate was compared with the runtime itself"
		default:
			note = "as this runtime should plan it; not measured"
		}
		cards = append(cards, htmlCard{"", "In " + rt.Name, sizeOrUnknown(rt.Bytes, rt.BytesAtLeast, iec), note})
	}
	cards = append(cards,
		htmlCard{"inputs", "Inputs", sizeOrUnknown(r.Inputs.Bytes, r.Inputs.BytesAtLeast, iec), "held by the caller"},
		htmlCard{"activations", "Node outputs", sizeOrUnknown(inf.ActivationsBytes, inf.ActivationsAtLeast, iec), "all of them, without any reuse"})
	if tr := r.Training; tr != nil {
		card := htmlCard{"", "To train: " + tr.Optimizer, sizeOrUnknown(tr.PeakBytes, nil, iec), "peak in the " + tr.PeakPhase}
		if tr.PeakBytes == nil {
			card.Title, card.Value, card.Note = card.Title+", rule of thumb", sizeOrUnknown(tr.ClassicBytes, nil, iec), tr.Reason
		}
		cards = append(cards, card)
	}
	if r.Compute.MACs != nil {
		cards = append(cards, htmlCard{"macs", "Compute", magnitude(*r.Compute.MACs) + "MACs", "a run; FLOPs are 2 x MACs"})
	}
	return cards
}

// htmlNotes is a list under a heading.
type htmlNotes struct {
	Title string
	Items []string
}

// htmlNotesOf lists what explains the numbers and all that qualifies them.
func htmlNotesOf(r *report.Result) []htmlNotes {
	notes := slices.Clone(r.Parameters.Notes)
	if r.Training != nil {
		notes = append(notes, r.Training.Notes...)
	}
	var unknown, said []string
	for _, u := range r.Inference.Unknown {
		unknown = append(unknown, fmt.Sprintf("%s (%s): %s", u.Name, u.Op, u.Reason))
	}
	for _, d := range r.Diagnostics {
		said = append(said, diagnosticLine(d))
	}
	var list []htmlNotes
	for _, n := range []htmlNotes{{"Why the peak is what it is", r.Inference.Explanation}, {"Assumed", r.Assumptions}, {"Noted", notes}, {"Not known", unknown}, {"Diagnostics", said}} {
		if len(n.Items) > 0 {
			list = append(list, n)
		}
	}
	return list
}
