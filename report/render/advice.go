package render

import (
	"onnxmem/report"
)

// advice lists what would make training smaller, the change that saves most
// first. symbol names what a fit enlarges, empty outside fits.
func (t *reportText) advice(list []report.Advice, symbol string) {
	if len(list) == 0 {
		return
	}
	head, columns := []string{"saves", "peak after", "change", "cost"}, []column{rightColumn, rightColumn, proseColumn, proseColumn}
	if symbol != "" {
		head, columns = append([]string{"largest " + symbol}, head...), append([]column{rightColumn}, columns...)
	}
	var rows [][]string
	for _, a := range list {
		change, cost := t.style.adviceText(a.Finding)
		row := []string{t.size(a.SavesBytes), t.size(a.PeakBytes), change, cost}
		if symbol != "" {
			largest := "none"
			if a.Largest != nil {
				largest = Count(*a.Largest)
			}
			row = append([]string{largest}, row...)
		}
		rows = append(rows, row)
	}
	t.line("\nwhat would make training smaller (each simulated)")
	t.table(columns, head, rows)
}
