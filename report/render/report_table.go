package render

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"onnxmem/report"
)

// reportTable writes the report for a terminal of 100 columns: the answers
// first, then what they are made of, what was assumed, and what is unknown.
func reportTable(w io.Writer, r *report.Result, style Style) error {
	t := &reportText{style: style}
	t.heading(r)
	t.answers(r)
	t.largestWeights(r)
	t.liveAtPeak(r)
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

func (t *reportText) size(n int64) string { return Size(n, t.style.IEC) }

// about says what the file is, in a few words each.
func (t *reportText) about(r *report.Result) []string {
	parts := []string{}
	if p := strings.TrimSpace(r.Model.Producer); p != "" {
		parts = append(parts, "from "+p)
	}
	parts = append(parts, fmt.Sprintf("IR %d", r.Model.IRVersion))
	domains := make([]string, 0, len(r.Model.Opsets))
	for d := range r.Model.Opsets {
		domains = append(domains, d)
	}
	slices.Sort(domains)
	for _, d := range domains {
		name := d
		if name == "" {
			name = "ai.onnx"
		}
		parts = append(parts, fmt.Sprintf("%s %d", name, r.Model.Opsets[d]))
	}
	return append(parts, Count(int64(r.Model.Nodes))+" nodes", "file "+t.size(r.Model.Bytes))
}

func (t *reportText) heading(r *report.Result) {
	t.line("%s", r.Model.Path)
	t.line("%s", wrap(strings.Join(t.about(r), ", "), t.width(), ""))
	if r.Model.SHA256 != nil {
		t.line("sha256 %s", *r.Model.SHA256)
	}
	t.line("")
}

func (t *reportText) width() int {
	if t.style.Width > 20 {
		return t.style.Width
	}
	return 100
}

// answers are the numbers that people came for.
func (t *reportText) answers(r *report.Result) {
	rows := t.table(text.AlignLeft, text.AlignRight, text.AlignLeft)
	add := func(what, number, why string) { rows.AppendRow(table.Row{what, number, why}) }

	p, inf := r.Parameters, r.Inference
	add("weights", sizeOrUnknown(r.Weights.Bytes, nil, t.style.IEC), "stored constants: "+dtypes(r.Parameters.ByDType))
	add("parameters", Count(p.Trainable), parameterText(p))
	add("to run: peak", sizeOrUnknown(inf.PeakBytes, inf.PeakAtLeast, t.style.IEC), t.peakText(r))
	if rt := inf.Runtime; rt != nil {
		why := rt.Reason
		if rt.ActivationBytes != nil {
			why = "weights + inputs + " + t.size(*rt.ActivationBytes) + " of node outputs as it plans them"
		}
		if !rt.Measured {
			why += " (not measured)"
		}
		add("  in "+rt.Name, sizeOrUnknown(rt.Bytes, nil, t.style.IEC), why)
	}
	add("  without any reuse", sizeOrUnknown(inf.SumBytes, inf.SumAtLeast, t.style.IEC), "weights + inputs + every node output")
	t.planRows(add, inf)
	t.trainingRows(add, r)
	t.computeRows(add, r)
	t.deviceRow(add, r)
	t.WriteString(trimLines(rows.Render()) + "\n")
}

func parameterText(p report.Parameters) string {
	s := "elements that train; stored: " + Count(p.Count)
	var parts []string
	if p.Buffers > 0 {
		parts = append(parts, Count(p.Buffers)+" buffers")
	}
	if p.Constants > 0 {
		parts = append(parts, Count(p.Constants)+" constants")
	}
	if len(parts) > 0 {
		s += ", of these " + strings.Join(parts, ", ")
	}
	return s
}

func dtypes(counts map[string]int64) string {
	names := make([]string, 0, len(counts))
	for d := range counts {
		names = append(names, d)
	}
	slices.SortFunc(names, func(a, b string) int {
		if counts[a] != counts[b] {
			return int(min(max(counts[b]-counts[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
	for i, d := range names {
		names[i] = Count(counts[d]) + " " + d
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (t *reportText) peakText(r *report.Result) string {
	inf := r.Inference
	if inf.PeakActivationBytes == nil || r.Inputs.Bytes == nil {
		return "some tensors' sizes are not known"
	}
	s := "weights + inputs " + t.size(*r.Inputs.Bytes) + " + node outputs " + t.size(*inf.PeakActivationBytes)
	if inf.PeakNode != "" {
		s += " at " + inf.PeakNode
	}
	return s
}

func (t *reportText) planRows(add func(what, number, why string), inf report.Inference) {
	if inf.ArenaBytes != nil && inf.PeakActivationBytes != nil {
		why := "node outputs placed in one block; the least possible is " + t.size(*inf.PeakActivationBytes)
		add("  as one arena", t.size(*inf.ArenaBytes), why)
	}
	if inf.BestOrderBytes != nil && inf.PeakActivationBytes != nil && *inf.BestOrderBytes < *inf.PeakActivationBytes {
		add("  in the best order", t.size(*inf.BestOrderBytes), "node outputs at the peak if the nodes ran in another order: "+
			t.size(*inf.PeakActivationBytes-*inf.BestOrderBytes)+" less")
	}
}

func (t *reportText) trainingRows(add func(what, number, why string), r *report.Result) {
	tr := r.Training
	if tr == nil {
		return
	}
	name := "to train: " + tr.Optimizer
	if tr.Precision != "" && tr.Precision != "fp32" {
		name += ", " + tr.Precision
	}
	if tr.PeakBytes != nil || tr.Reason != "" {
		why := tr.Reason
		if tr.PeakBytes != nil {
			why = "peak in the " + tr.PeakPhase + ": " + t.split(tr.AtPeak)
		}
		add(name, sizeOrUnknown(tr.PeakBytes, nil, t.style.IEC), why)
	}
	if t.style.Train && tr.SavedBytes != nil {
		add("  kept for backward", t.size(*tr.SavedBytes), "activations that the derivatives need")
		if tr.FirstStepPeakBytes != nil {
			add("  in the first step", t.size(*tr.FirstStepPeakBytes), "the optimizer has no state yet")
		}
		if tr.ReservedBytes != nil {
			add("  reserved", t.size(*tr.ReservedBytes), "in the blocks that a caching allocator takes from the device")
		}
	}
	add("  rule of thumb", sizeOrUnknown(tr.ClassicBytes, nil, t.style.IEC), "parameters x (2 + optimizer states) + other weights + 2 x node outputs + inputs")
}

// split lists the parts of a peak, largest first.
func (t *reportText) split(parts map[string]int64) string {
	names := make([]string, 0, len(parts))
	for n, v := range parts {
		if v > 0 {
			names = append(names, n)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if parts[a] != parts[b] {
			return int(min(max(parts[b]-parts[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
	for i, n := range names {
		names[i] = partNames[n] + " " + t.size(parts[n])
	}
	return strings.Join(names, ", ")
}

var partNames = map[string]string{
	"parameter": "parameters", "buffer": "buffers", "gradient": "gradients", "activation": "activations",
	"temp": "temporary", "optstate": "optimizer states", "input": "inputs",
}

func (t *reportText) computeRows(add func(what, number, why string), r *report.Result) {
	if r.Compute.MACs != nil {
		add("compute", magnitude(*r.Compute.MACs)+"MACs", magnitude(*r.Compute.FLOPs)+"FLOPs (2 x MACs) a run, in convolutions, matrix products, attention and recurrence")
	}
}

func (t *reportText) deviceRow(add func(what, number, why string), r *report.Result) {
	d := r.Device
	if d == nil {
		return
	}
	say := func(what string, fits *bool) string {
		switch {
		case fits == nil:
			return what + ": not known"
		case *fits:
			return what + " fits"
		}
		return what + " does not fit"
	}
	add("on "+d.Name, Size(d.Bytes, true), say("a run", d.RunFits)+"; "+say("training", d.TrainingFits)+"; "+t.size(d.ReserveBytes)+" kept for the runtime's context")
}

func (t *reportText) largestWeights(r *report.Result) {
	if len(r.Weights.Largest) == 0 || t.style.Top == 0 {
		return
	}
	rows := t.table(text.AlignRight, text.AlignLeft, text.AlignLeft)
	for _, w := range r.Weights.Largest[:min(t.style.Top, len(r.Weights.Largest))] {
		rows.AppendRow(table.Row{t.size(w.Bytes), w.DType + strings.ReplaceAll(fmt.Sprint(w.Shape), " ", ","), w.Name})
	}
	t.line("\nlargest weights")
	t.WriteString(trimLines(rows.Render()) + "\n")
}

func (t *reportText) liveAtPeak(r *report.Result) {
	inf := r.Inference
	if len(inf.LiveAtPeak) == 0 || t.style.Top == 0 {
		return
	}
	rows := t.table(text.AlignRight, text.AlignLeft, text.AlignLeft, text.AlignLeft)
	for _, l := range inf.LiveAtPeak[:min(t.style.Top, len(inf.LiveAtPeak))] {
		rows.AppendRow(table.Row{t.size(l.Bytes), l.Name, "made by " + l.Producer, "needed by " + l.NeededBy})
	}
	t.line("\nalive at the peak, while %s (%s) runs", inf.PeakNode, inf.PeakOp)
	t.WriteString(trimLines(rows.Render()) + "\n")
	if more := len(inf.LiveAtPeak) - t.style.Top; more > 0 {
		t.line("  and %d more", more)
	}
}

func (t *reportText) nodes(r *report.Result) {
	rows := t.table(text.AlignLeft, text.AlignLeft, text.AlignRight, text.AlignRight, text.AlignRight, text.AlignLeft)
	rows.AppendHeader(table.Row{"node", "operator", "params", "output", "MACs", "type"})
	for _, n := range r.Nodes {
		output, macs := "?", "?"
		if n.OutputBytes != nil {
			output = t.size(*n.OutputBytes)
		}
		if n.MACs != nil {
			macs = magnitude(*n.MACs)
		}
		rows.AppendRow(table.Row{n.Name, n.Op, Count(n.Params), output, macs, strings.Join(n.OutputShapes, " ")})
	}
	t.line("\nnodes")
	t.WriteString(trimLines(rows.Render()) + "\n")
}

// notes are everything that qualifies the numbers.
func (t *reportText) notes(r *report.Result) {
	t.list("assumed", r.Assumptions)
	notes := slices.Clone(r.Parameters.Notes)
	if r.Training != nil {
		notes = append(notes, r.Training.Notes...)
	}
	t.list("noted", notes)
	var unknown []string
	for i, u := range r.Inference.Unknown {
		if i == 5 {
			unknown = append(unknown, fmt.Sprintf("and %d more tensors", len(r.Inference.Unknown)-i))
			break
		}
		unknown = append(unknown, fmt.Sprintf("%s (%s): %s", u.Name, u.Op, u.Reason))
	}
	t.list("not known", unknown)
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

// table makes a table without lines, of that many columns; cells that are too
// wide for the terminal wrap in the last ones.
func (t *reportText) table(align ...text.Align) table.Writer {
	w := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	w.SetStyle(style)
	configs := make([]table.ColumnConfig, len(align))
	for i, a := range align {
		configs[i] = table.ColumnConfig{Number: i + 1, Align: a, AlignHeader: a}
	}
	last := len(align) - 1
	switch len(align) {
	case 3:
		configs[0].WidthMax, configs[1].WidthMax = 30, 30
		configs[last].WidthMax, configs[last].WidthMaxEnforcer = 62, text.WrapSoft
	case 4:
		for i := 1; i < 4; i++ {
			configs[i].WidthMax, configs[i].WidthMaxEnforcer = 28, shorten
		}
	default:
		for i := range configs {
			configs[i].WidthMax, configs[i].WidthMaxEnforcer = 28, shorten
		}
	}
	w.SetColumnConfigs(configs)
	return w
}

// shorten cuts a long name in the middle, where names of exporters differ
// least.
func shorten(s string, width int) string {
	r := []rune(s)
	if len(r) <= width || width < 5 {
		return s
	}
	head := (width - 1) / 3
	return string(r[:head]) + "…" + string(r[len(r)-(width-1-head):])
}

func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// wrap breaks a line at spaces so that no part passes the width; the parts
// after the first are indented.
func wrap(s string, width int, indent string) string {
	return strings.ReplaceAll(text.WrapSoft(s, width), "\n", "\n"+indent)
}
