package render

import (
	"fmt"
	"io"

	"onnxmem/report"
)

func fitJSON(w io.Writer, f *report.Fit, style Style) error {
	return JSON(w, style.explainedFit(f))
}

// fitTable answers first: the largest size; then the table, the formula and
// the devices.
func fitTable(w io.Writer, f *report.Fit, style Style) error {
	t := &reportText{style: style}
	t.line("%s", f.Model.Path)
	t.line("%s", wrap(t.fitAnswer(f), t.width(), ""))
	t.fitSizes(f)
	t.advice(f.Advice, f.Symbol)
	t.line("\nlargest %s on devices", f.Symbol)
	t.table([]column{rightColumn, rightColumn, proseColumn}, nil, t.deviceRows(f.Devices))
	var assumed []string
	if text := style.dynamicDimensions(f.Assumptions); text != "" {
		assumed = append(assumed, text)
	}
	t.list("assumed", append(assumed, style.otherAssumptions(f.Assumptions)...))
	t.list("notes", style.messages(f.Notes))
	_, err := io.WriteString(w, t.String())
	return err
}

// fitAnswer is the largest size in one sentence.
func (t *reportText) fitAnswer(f *report.Fit) string {
	purpose, used := "one inference run", "peak"
	if f.Purpose == "train" {
		purpose, used = "training", "reserved"
	}
	budget := t.size(f.BudgetBytes)
	if f.ReserveBytes > 0 {
		budget += fmt.Sprintf(" (%s more is kept for the runtime's context)", t.size(f.ReserveBytes))
	}
	if f.Largest == nil {
		return fmt.Sprintf("no %s fits for %s in %s: not even 1", f.Symbol, purpose, budget)
	}
	text := fmt.Sprintf("largest %s for %s in %s: %s, %s %s", f.Symbol, purpose, budget, Count(*f.Largest), t.size(*f.LargestBytes), used)
	if f.Limited {
		text += "; larger sizes are not possible or were not tried"
	}
	return text
}

// fitSizes lists sizes with their memory, and the formula.
func (t *reportText) fitSizes(f *report.Fit) {
	var rows [][]string
	for _, r := range f.Table {
		fits := "fits"
		if !r.Fits {
			fits = "does not fit"
		}
		rows = append(rows, []string{Count(r.Value), t.size(r.Bytes), fits})
	}
	if len(rows) > 0 {
		t.line("")
		t.table([]column{rightColumn, rightColumn, leftColumn}, []string{f.Symbol, "memory", ""}, rows)
	}
	if m := f.Formula; m != nil {
		t.line("\nmemory = %s + %s * %s, for %s from %s to %s", t.size(m.Fixed), t.size(m.PerUnit), f.Symbol, f.Symbol, Count(m.From), Count(m.To))
	}
}

// deviceRows has one row for all devices of one size of memory. Their names are
// those that --device takes.
func (t *reportText) deviceRows(devices []report.DeviceFit) [][]string {
	var rows [][]string
	for i, d := range devices {
		if i > 0 && d.Bytes == devices[i-1].Bytes {
			last := rows[len(rows)-1]
			last[2] += ", " + d.Name
			continue
		}
		largest := "does not fit"
		if d.Largest != nil {
			largest = Count(*d.Largest)
		}
		rows = append(rows, []string{largest, t.size(d.Bytes), d.Name})
	}
	return rows
}
