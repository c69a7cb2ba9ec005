package render

import (
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A column says how the cells of a column stand, and what happens to those
// that are too wide: fit is nil for columns that keep their width.
type column struct {
	align text.Align
	fit   func(s string, width int) string
}

var (
	leftColumn  = column{text.AlignLeft, nil}
	rightColumn = column{text.AlignRight, nil}
	nameColumn  = column{text.AlignLeft, shorten}
	proseColumn = column{text.AlignLeft, wrapProse}
)

// columnGap is the space between columns.
const columnGap = 2

// table writes rows without lines around them, within the width of the
// terminal. The head may be nil.
func (t *reportText) table(columns []column, head []string, rows [][]string) {
	w := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", columnGap)
	style.Format.Header = text.FormatDefault
	w.SetStyle(style)
	widths := columnWidths(columns, append([][]string{head}, rows...), t.width())
	configs := make([]table.ColumnConfig, len(columns))
	for i, c := range columns {
		configs[i] = table.ColumnConfig{Number: i + 1, Align: c.align, AlignHeader: c.align}
		if c.fit != nil {
			configs[i].WidthMax, configs[i].WidthMaxEnforcer = widths[i], c.fit
		}
	}
	w.SetColumnConfigs(configs)
	if head != nil {
		w.AppendHeader(tableRow(head))
	}
	for _, row := range rows {
		w.AppendRow(tableRow(row))
	}
	t.WriteString(trimLines(w.Render()) + "\n")
}

func tableRow(cells []string) table.Row {
	row := make(table.Row, len(cells))
	for i, c := range cells {
		row[i] = c
	}
	return row
}

// columnWidths gives each column what its widest cell takes; the columns that
// can fit their cells share what is left, the narrow ones first.
func columnWidths(columns []column, rows [][]string, total int) []int {
	widths := make([]int, len(columns))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], text.StringWidthWithoutEscSequences(cell))
		}
	}
	left := total - columnGap*(len(columns)-1)
	open := []int{}
	for i, c := range columns {
		if c.fit == nil {
			left -= widths[i]
		} else {
			open = append(open, i)
		}
	}
	for len(open) > 0 {
		share, rest := max(left/len(open), 8), open[:0:0]
		for _, i := range open {
			if widths[i] <= share {
				left -= widths[i]
			} else {
				rest = append(rest, i)
			}
		}
		if len(rest) == len(open) {
			for _, i := range rest {
				widths[i] = share
			}
			break
		}
		open = rest
	}
	return widths
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
	return strings.ReplaceAll(trimLines(wrapProse(s, width-len(indent))), "\n", "\n"+indent)
}

// wrapProse breaks a line at spaces, but not between a number and its unit: a
// character for private use, which is no space to anybody, stands in there.
func wrapProse(s string, width int) string {
	const noBreak = "\ue000"
	joined := numberAndUnit.ReplaceAllString(s, "$1"+noBreak+"$2")
	return strings.ReplaceAll(text.WrapSoft(joined, width), noBreak, " ")
}

var numberAndUnit = regexp.MustCompile(`([0-9]) ([kKMGTPE]?i?(?:B|MACs|FLOPs)\b)`)
