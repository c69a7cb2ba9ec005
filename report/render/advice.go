package render

import (
	"fmt"

	"onnxmem/report"
)

// advice lists what would make training smaller, the change that saves most
// first. symbol names what a fit enlarges, empty outside fits.
func (t *reportText) advice(list []report.Advice, symbol string) {
	if len(list) == 0 {
		return
	}
	head, columns := []string{"saves", "leaves", "change", "cost"}, []column{rightColumn, rightColumn, proseColumn, proseColumn}
	if symbol != "" {
		head, columns = append([]string{symbol}, head...), append([]column{rightColumn}, columns...)
	}
	var rows [][]string
	for _, a := range list {
		row := []string{t.size(a.SavesBytes), t.size(a.PeakBytes), fmt.Sprintf("%s (%s)", a.Change, a.Flags), a.Cost}
		if symbol != "" {
			largest := "none"
			if a.Largest != nil {
				largest = Count(*a.Largest)
			}
			row = append([]string{largest}, row...)
		}
		rows = append(rows, row)
	}
	t.line("\nwhat would make training smaller, each simulated")
	t.table(columns, head, rows)
}
