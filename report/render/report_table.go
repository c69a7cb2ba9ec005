package render

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"onnxmem/report"
	"onnxmem/report/finding"
)

// reportTable writes the report for a terminal of 100 columns: the answers
// first, then what they are made of, what was assumed, and what is unknown.
func reportTable(w io.Writer, r *report.Result, style Style) error {
	t := &reportText{style: style}
	t.heading(r)
	var rows [][]string
	for _, a := range t.answers(r) {
		rows = append(rows, []string{a.what, a.number, a.why})
	}
	t.table([]column{leftColumn, rightColumn, proseColumn}, nil, rows)
	t.largestWeights(r)
	t.liveAtPeak(r)
	if r.Training != nil {
		t.advice(r.Training.Advice, "")
	}
	if style.PerNode {
		t.nodes(r)
	}
	t.notes(r)
	_, err := w.Write(t.Bytes())
	return err
}

// reportText builds the text of one report.
type reportText struct {
	bytes.Buffer
	style Style
}

func (t *reportText) line(format string, args ...any) {
	fmt.Fprintf(t, format+"\n", args...)
}

func (t *reportText) size(n int64) string { return t.style.size(n) }

func (t *reportText) sizeOrUnknown(n, atLeast *int64) string {
	return t.style.Units.sizeOrUnknown(n, atLeast)
}

func (t *reportText) heading(r *report.Result) {
	t.line("%s", r.Model.Path)
	t.line("%s", wrap(strings.Join(t.about(r), ", "), t.width(), ""))
	if r.Model.SHA256 != nil {
		t.line("sha256 %s", *r.Model.SHA256)
	}
	if text := t.style.dynamicDimensions(r.Assumptions); text != "" {
		t.line("%s", wrap(text, t.width(), ""))
	}
	t.line("")
}

func (t *reportText) width() int {
	if t.style.Width > 20 {
		return t.style.Width
	}
	return 100
}

func (t *reportText) largestWeights(r *report.Result) {
	if len(r.Weights.Largest) == 0 || t.style.Top == 0 {
		return
	}
	var rows [][]string
	for _, w := range r.Weights.Largest[:min(t.style.Top, len(r.Weights.Largest))] {
		rows = append(rows, []string{t.size(w.Bytes), weightType(w), w.Name})
	}
	t.line("\nlargest weights")
	t.table([]column{rightColumn, leftColumn, nameColumn}, nil, rows)
}

func weightType(w report.WeightTensor) string {
	return w.DType + strings.ReplaceAll(fmt.Sprint(w.Shape), " ", ",")
}

func (t *reportText) liveAtPeak(r *report.Result) {
	inf := r.Inference
	if len(inf.LiveAtPeak) == 0 || t.style.Top == 0 {
		return
	}
	var rows [][]string
	for _, l := range inf.LiveAtPeak[:min(t.style.Top, len(inf.LiveAtPeak))] {
		rows = append(rows, []string{t.sizeOrUnknown(l.Bytes, positive(l.BytesAtLeast)), l.Name, l.Producer, l.NeededBy})
	}
	t.line("\n%s", wrap(fmt.Sprintf("live at the peak, while %s (%s) runs", inf.PeakNode, inf.PeakOp), t.width(), ""))
	t.table([]column{rightColumn, nameColumn, nameColumn, nameColumn}, []string{"", "tensor", "produced by", "needed by"}, rows)
	if more := len(inf.LiveAtPeak) - t.style.Top; more > 0 {
		t.line("and %d more", more)
	}
	t.list("why the peak is this high", t.style.messages(inf.Explanation))
}

func (t *reportText) nodes(r *report.Result) {
	var rows [][]string
	for _, n := range r.Nodes {
		rows = append(rows, []string{n.Name, n.Op, Count(n.Params), t.optionalSize(n.OutputBytes), optionalMagnitude(n.MACs), strings.Join(n.OutputShapes, " ")})
	}
	t.line("\nnodes")
	t.table([]column{nameColumn, nameColumn, rightColumn, rightColumn, rightColumn, nameColumn},
		[]string{"node", "operator", "parameters", "output", "MACs", "type"}, rows)
}

func (t *reportText) optionalSize(n *int64) string {
	if n == nil {
		return "?"
	}
	return t.size(*n)
}

func optionalMagnitude(n *int64) string {
	if n == nil {
		return "?"
	}
	return magnitude(*n)
}

// notes are everything that qualifies the numbers.
func (t *reportText) notes(r *report.Result) {
	t.list("notes", t.style.messages(notesOf(r)))
	var unknown []string
	for i, u := range r.Inference.Unknown {
		if i == 5 {
			unknown = append(unknown, fmt.Sprintf("and %d more", len(r.Inference.Unknown)-i))
			break
		}
		unknown = append(unknown, t.style.unknownLine(u))
	}
	t.list("unknown sizes", unknown)
	var said []string
	for i, d := range r.Diagnostics {
		if i == 10 {
			said = append(said, fmt.Sprintf("and %d more", len(r.Diagnostics)-i))
			break
		}
		said = append(said, diagnosticLine(d))
	}
	t.list("diagnostics", said)
}

func (t *reportText) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	t.line("\n%s", title)
	for _, item := range items {
		t.line("  %s", wrap(item, t.width()-2, "    "))
	}
}

// notesOf are the notes of all sections of a report.
func notesOf(r *report.Result) []finding.Finding {
	notes := slices.Clone(r.Parameters.Notes)
	if r.Training != nil {
		notes = append(notes, r.Training.Notes...)
	}
	return notes
}

// unknownLine says which size is not known, and why.
func (s Style) unknownLine(u report.Unknown) string {
	return fmt.Sprintf("%s (%s): %s", u.Name, u.Op, s.whyUnknown(u))
}
