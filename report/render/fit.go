package render

import (
	"fmt"
	"io"
	"strings"

	"onnxmem/report"
)

func fitJSON(w io.Writer, f *report.FitResult) error { return JSON(w, f) }

// fitTable answers first: the largest size; then the table, the formula and
// the devices.
func fitTable(w io.Writer, f *report.FitResult) error {
	t := &reportText{}
	name, symbol := f.Model.Path, f.Symbol
	budget := fmt.Sprintf("%s, after %s for the runtime's context", t.size(f.BudgetBytes), t.size(f.ReserveBytes))
	switch {
	case f.Largest == nil:
		t.line("%s: not even %s = 1 fits to %s in %s", name, symbol, f.Purpose, budget)
	case f.Limited:
		t.line("%s: %s = %s fits to %s in %s (%s); more is not possible, or was not tried", name, symbol, Count(*f.Largest), f.Purpose, budget, t.size(*f.LargestBytes))
	default:
		t.line("%s: %s = %s is the largest that fits to %s in %s (it takes %s)", name, symbol, Count(*f.Largest), f.Purpose, budget, t.size(*f.LargestBytes))
	}
	var rows [][]string
	for _, r := range f.Table {
		mark := ""
		if !r.Fits {
			mark = "too much"
		}
		rows = append(rows, []string{Count(r.Value), t.size(r.Bytes), mark})
	}
	t.line("\n%s, memory", symbol)
	t.table([]column{rightColumn, rightColumn, leftColumn}, nil, rows)
	if f.Formula != nil {
		t.line("\n%s + %s x %s, between %s = %d and %d", t.size(f.Formula.Fixed), t.size(f.Formula.PerUnit), symbol, symbol, f.Formula.From, f.Formula.To)
	}
	t.advice(f.Advice, symbol)
	t.line("\nlargest %s on devices", symbol)
	t.table([]column{rightColumn, rightColumn, proseColumn}, nil, deviceRows(f.Devices))
	t.list("assumed", f.Assumptions)
	t.list("noted", f.Notes)
	_, err := io.WriteString(w, strings.TrimLeft(t.String(), "\n"))
	return err
}

// deviceRows has one row for all devices of one size of memory. Their names are
// those that --device takes.
func deviceRows(devices []report.DeviceFit) [][]string {
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
		rows = append(rows, []string{largest, Size(d.Bytes, true), d.Name})
	}
	return rows
}
