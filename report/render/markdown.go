package render

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"onnxmem/report"
)

// reportMarkdown writes the report in GitHub's Markdown
// (https://github.github.com/gfm/), for pull requests and wikis.
func reportMarkdown(w io.Writer, r *report.Result, style Style) error {
	t := &reportText{style: style}
	m := &markdown{}
	if style.Continues {
		m.line("")
	}
	m.line("## %s", code(r.Model.Path))
	m.line("")
	m.line("%s", prose(strings.Join(t.about(r), ", ")))
	if text := style.dynamicDimensions(r.Assumptions); text != "" {
		m.line("\n%s", prose(text))
	}
	var rows [][]string
	for _, a := range t.answers(r) {
		rows = append(rows, []string{strings.Replace(a.what, "  ", "· ", 1), a.number, prose(a.why)})
	}
	m.table("", []string{"", "", ""}, "lrl", rows)
	m.largestWeights(t, r)
	m.liveAtPeak(t, r)
	if r.Training != nil {
		m.advice(t, r.Training.Advice)
	}
	if style.PerNode {
		m.nodes(t, r)
	}
	for _, n := range style.remarks(r, style.otherAssumptions(r.Assumptions)) {
		m.line("\n### %s\n", n.Title)
		for _, item := range n.Items {
			m.line("- %s", prose(item))
		}
	}
	_, err := w.Write(m.Bytes())
	return err
}

// shapesMarkdown writes one row a tensor.
func shapesMarkdown(w io.Writer, s *report.ShapesResult) error {
	m := &markdown{}
	m.line("## %s", code(s.Model.Path))
	var rows [][]string
	for _, t := range s.Tensors {
		rows = append(rows, []string{code(tensorName(t)), code(TypeText(t)), optionalNumber(t.Bytes), string(t.Known), code(t.Reason)})
	}
	m.table("", []string{"tensor", "type", "bytes", "known", "reason"}, "llrll", rows)
	for _, d := range s.Diagnostics {
		m.line("\n- %s", code(diagnosticLine(d)))
	}
	_, err := w.Write(m.Bytes())
	return err
}

type markdown struct{ bytes.Buffer }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *markdown) largestWeights(t *reportText, r *report.Result) {
	var rows [][]string
	for _, w := range r.Weights.Largest[:min(t.style.Top, len(r.Weights.Largest))] {
		rows = append(rows, []string{t.size(w.Bytes), code(weightType(w)), code(w.Name)})
	}
	m.table("Largest weights", []string{"size", "type", "name"}, "rll", rows)
}

func (m *markdown) liveAtPeak(t *reportText, r *report.Result) {
	inf := r.Inference
	var rows [][]string
	for _, l := range inf.LiveAtPeak[:min(t.style.Top, len(inf.LiveAtPeak))] {
		rows = append(rows, []string{t.sizeOrUnknown(l.Bytes, positive(l.BytesAtLeast)), code(l.Name), code(l.Producer), code(l.NeededBy)})
	}
	m.table("Live at the peak, while "+code(inf.PeakNode)+" runs", []string{"size", "tensor", "produced by", "needed by"}, "rlll", rows)
}

func (m *markdown) advice(t *reportText, list []report.Advice) {
	var rows [][]string
	for _, a := range list {
		text := advice[a.Code]
		rows = append(rows, []string{t.size(a.SavesBytes), t.size(a.PeakBytes), prose(text.change(t.style, a.Finding)), code(t.style.options(a.Options)), prose(text.cost(t.style, a.Finding))})
	}
	m.table("What would make training smaller (each simulated)", []string{"saves", "peak after", "change", "options", "cost"}, "rrlll", rows)
}

func (m *markdown) nodes(t *reportText, r *report.Result) {
	var rows [][]string
	for _, n := range r.Nodes {
		rows = append(rows, []string{code(n.Name), code(n.Op), code(strings.Join(n.OutputShapes, " ")), Count(n.Params), t.optionalSize(n.OutputBytes), optionalMagnitude(n.MACs)})
	}
	m.table("Nodes", []string{"node", "operator", "type", "parameters", "output", "MACs"}, "lllrrr", rows)
}

// table writes a table; align has l or r for each column.
func (m *markdown) table(title string, head []string, align string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	if title != "" {
		m.line("\n### %s", title)
	}
	rule := strings.Split(align, "")
	for i, a := range rule {
		rule[i] = map[string]string{"l": "---", "r": "--:"}[a]
	}
	m.line("")
	for _, row := range slices.Concat([][]string{head, rule}, rows) {
		cells := slices.Clone(row)
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`) // in code too: GFM 4.10
		}
		m.line("| %s |", strings.Join(cells, " | "))
	}
}

// code sets a text from a model as code, in which nothing is a link, a mention
// or markup: between more backticks than it holds in a row (GFM 6.3).
func code(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// prose leaves a text as it is when nothing in it could mean more than it says.
func prose(s string) string {
	if plainProse.MatchString(s) && !strings.Contains(strings.ToLower(s), "www.") {
		return s
	}
	return code(s)
}

var plainProse = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 .,:;'+()=-]*$`)
