package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"onnxmem/report"
)

func fitJSON(w io.Writer, f *report.FitResult, style Style) error {
	return JSON(w, style.explainedFit(f))
}

// fitTable answers first: the largest size; then the table, the formula and
// the devices.
func fitTable(w io.Writer, f *report.FitResult, style Style) error {
	t := &reportText{style: style}
	t.line("%s", f.Model.Path)
	t.line("%s", wrap(t.fitAnswer(f), t.width(), ""))
	if text := style.dynamicDimensions(f.Assumptions); text != "" {
		t.line("%s", wrap(text, t.width(), ""))
	}
	t.fitSizes(f)
	t.advice(f.Advice, f.Symbol)
	t.line("\nlargest %s on devices", f.Symbol)
	t.table([]column{rightColumn, rightColumn, proseColumn}, nil, t.deviceRows(f.Devices))
	t.list("assumptions", style.otherAssumptions(f.Assumptions))
	t.list("notes", style.messages(f.Notes))
	_, err := io.WriteString(w, t.String())
	return err
}

// fitAnswer is the largest size in one sentence.
func (t *reportText) fitAnswer(f *report.FitResult) string {
	purpose, used := "inference", "peak"
	if f.Purpose == "train" {
		purpose, used = "training", "reserved"
	}
	reserve := ""
	if f.ReserveBytes > 0 {
		reserve = t.size(f.ReserveBytes) + " more is kept for the runtime's context"
	}
	if f.Largest == nil {
		text := fmt.Sprintf("no %s is small enough for %s in %s", f.Symbol, purpose, t.size(f.BudgetBytes))
		return joined("; ", text, reserve)
	}
	more := ""
	if f.Limited {
		more = "larger sizes are not possible or were not tried"
	}
	return fmt.Sprintf("largest %s for %s in %s: %s (%s)", f.Symbol, purpose, t.size(f.BudgetBytes), Count(*f.Largest),
		joined("; ", t.size(*f.LargestBytes)+" "+used, reserve, more))
}

// joined joins the texts that are not empty.
func joined(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), separator)
}

// fitSizes lists sizes with their memory, and the formula.
func (t *reportText) fitSizes(f *report.FitResult) {
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
		text := fmt.Sprintf("memory = %s + %s * %s, for %s from %s to %s", t.size(m.Fixed), t.size(m.PerUnit), f.Symbol, f.Symbol, Count(m.From), Count(m.To))
		t.line("\n%s", wrap(text, t.width(), "  "))
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
