package main

import (
	"fmt"
	"math"
	"strings"
)

// A mdTable builds a Markdown table.
type mdTable struct{ strings.Builder }

// newTable starts a table; a title that begins with > is of a column of
// numbers, which align right.
func newTable(titles ...string) *mdTable {
	t := &mdTable{}
	names, rules := make([]string, len(titles)), make([]string, len(titles))
	for i, title := range titles {
		names[i], rules[i] = strings.TrimPrefix(title, ">"), "---"
		if names[i] != title {
			rules[i] = "---:"
		}
	}
	t.row(names...)
	t.row(rules...)
	return t
}

func (t *mdTable) row(cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, "|", "\\|")
	}
	fmt.Fprintf(t, "| %s |\n", strings.Join(cells, " | "))
}

// percent prints a share with a digit after the point; what would round to
// zero but is not keeps more.
func percent(x float64) string {
	switch a := math.Abs(x); {
	case a == 0:
		return "0"
	case a < 0.00001:
		return "<0.001%"
	case a < 0.0005:
		return fmt.Sprintf("%.3f%%", 100*x)
	}
	return fmt.Sprintf("%.1f%%", 100*x)
}
