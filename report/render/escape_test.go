package render_test

import (
	"encoding/csv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"onnxmem/report"
	"onnxmem/report/render/internal/rendertest"
)

// No text format lets a name steer the terminal: ECMA-48 control sequences
// begin with ESC or with a C1 control character.
func TestTextHoldsNoControlCharacters(t *testing.T) {
	r := rendertest.Analyze(t, rendertest.Convolution(), report.Options{})
	r.Model.Path = "a\x1b]0;title\x07\u009b2J\u202e.onnx"
	for _, format := range []string{"table", "csv", "md"} {
		text := rendertest.Written(t, format, r)
		for _, c := range text {
			if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) {
				t.Errorf("%s holds %q", format, c)
			}
		}
	}
}

// The table fits the terminal, but for the model's path.
func TestTableKeepsToTheWidth(t *testing.T) {
	for _, r := range []*report.Result{rendertest.Analyze(t, rendertest.Convolution(), report.Options{}), rendertest.Analyze(t, rendertest.Unknown(), report.Options{})} {
		r.Inference.PeakNode = strings.Repeat("a/very/long/name/", 12)
		for i := range r.Inference.LiveAtPeak {
			r.Inference.LiveAtPeak[i].Name = strings.Repeat("x", 150)
			r.Inference.LiveAtPeak[i].NeededBy = strings.Repeat("y", 150)
		}
		for i, line := range strings.Split(rendertest.Written(t, "table", r), "\n") {
			if n := utf8.RuneCountInString(line); n > 100 && i > 0 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}

// A cell that begins with one of = + - @ is a formula to spreadsheets: OWASP,
// "CSV Injection".
func TestCSVHoldsNoFormulas(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(rendertest.Written(t, "csv", rendertest.Analyze(t, rendertest.Convolution(), report.Options{})))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 6 { // the head and five nodes
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
				t.Errorf("cell %q", cell)
			}
		}
	}
	if rows[1][2] != rendertest.Hostile || rows[4][2] != `line\nbreak \x1b[2J` {
		t.Errorf("names %q and %q", rows[1][2], rows[4][2])
	}
}

// In a Markdown table a pipe ends a cell unless it is escaped: GFM 4.10.
func TestMarkdownRowsHaveTheirCells(t *testing.T) {
	cells := 0
	for _, line := range strings.Split(rendertest.Written(t, "md", rendertest.Analyze(t, rendertest.Convolution(), report.Options{})), "\n") {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(line, "|") - strings.Count(line, `\|`)
		if cells == 0 {
			cells = n
		}
		if n != cells {
			t.Errorf("%d cells, want %d: %s", n-1, cells-1, line)
		}
		if strings.Contains(line, "<") && !strings.Contains(line, "`") {
			t.Errorf("markup outside of code: %s", line)
		}
	}
}
