package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/modeltest"
)

// hidden and others are parts of names that a hostile file may have.
var (
	hidden = []string{
		// Control sequences: ECMA-48, xterm.
		"a\x1b[2Jb", "a\x1b]0;title\x07b", "a\x1b]8;;http://example.com\x1b\\b", "a\x1b[31mred\x1b[0m", "a\x1bcb", "a\u009b2Jb", "a\u0085b",
		"a\x00b", "a\x07b", "a\x08\x08b", "a\x7fb", "a\x0eb", "a\u0090q\u009cb",
		// Line ends and other spaces.
		"a\nb", "a\r\nb", "a\rb", "a\tb", "a\vb", "a\fb", "a\u2028b", "a\u2029b", "a\u00a0b", "a\u3000b",
		// Text turned around: Unicode Standard Annex #9, "Trojan Source".
		"a\u202eb", "a\u202ab\u202c", "a\u202d\u202cb", "a\u2066b\u2069", "a\u2067b", "a\u2068b", "a\u200eb", "a\u200fb", "a\u061cb",
		// Characters that do not show.
		"a\u200bb", "a\u200cb", "a\u200db", "a\u2060b", "a\ufeffb", "a\u00adb", "a\u034fb", "a\u180eb", "a\u3164b", "a\uffa0b", "a\ufe0fb", "a\U000e0100b", "a\U000e0041b",
		"a\u2800b", "a\ufff9b\ufffb", "a\ufdd0b", "a\ue000b", "a\U0010ffffb",
	}
	// No UTF-8: a lone byte, a C1 control, a cut character, an overlong one, a
	// surrogate, one past the last.
	broken = []string{"a\xffb", "a\x9b2Jb", "a\xc3", "a\xc0\xafb", "a\xed\xa0\x80b", "\xf4\x90\x80\x80"}
	// What spreadsheets, Markdown, HTML, templates and shells make something of.
	active = []string{
		"=cmd|' /C calc'!A0", "+1+1", "-1-1", "@SUM(1)", "＝1+1", "a|b", "a`b", "](http://example.com)", "<script>alert(1)</script>", "</script><b>", "\"><img src=x>",
		"&amp;", "{{.}}", "%s%n", "$(id)",
	}
)

// payloads are names of such parts, several in each where it makes no
// difference what a name begins with.
func payloads() []string {
	var names []string
	for list := range slices.Chunk(append(slices.Clone(hidden), active...), 8) {
		names = append(names, strings.Join(list, ""))
	}
	names = append(names, strings.Join(broken, ""))
	return append(names, active[:5]...)
}

// raw finds what may never be printed. It is written out here, not taken from
// the program.
var raw = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u00a0\u00ad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ue000-\uf8ff\ufdd0-\ufdef\U000e0000-\U000e0fff\U0010fffe-\U0010ffff]")

// mustBePrintable reports text that is raw.
func mustBePrintable(t *testing.T, what, text string) {
	t.Helper()
	if at := raw.FindStringIndex(text); at != nil {
		t.Errorf("%s: holds %q in %q", what, text[at[0]:at[1]], text[max(0, at[0]-40):min(len(text), at[1]+40)])
	}
	if !utf8.ValidString(text) {
		t.Errorf("%s: is no UTF-8", what)
	}
}

// namedModels are models in which everything that can have a name has that
// one: a good one, one with errors, and one whose shapes are not known.
func namedModels(name string) map[string][]byte {
	good := modeltest.New(17).Producer(name, name).Doc(name).Meta(name, name).Opset(name, 1).Name(name).
		Input(name, onnxgraph.Float, name, 4).
		InitZeros(name+"w", onnxgraph.Float, 4, 4).
		InitExternal(name+"e", onnxgraph.Float, []int64{4, 4}, name, 0, 64).
		Node("MatMul", []string{name, name + "w"}, []string{name + "h"}, modeltest.NodeName(name), modeltest.NodeDoc(name), modeltest.NodeMeta(name, name)).
		Node("Relu", []string{name + "h"}, []string{name + "i"}, modeltest.NodeName(name+"2"), modeltest.Int(name, 1)).
		Node("MatMul", []string{name + "i", name + "e"}, []string{name + "j"}, modeltest.NodeName("-"+name)).
		Output(name + "j")
	broken := modeltest.New(17).Input(name, onnxgraph.Float, 2, 3).
		InitZeros(name+"w", onnxgraph.Float, 4, 5).
		Node("MatMul", []string{name, name + "w"}, []string{name + "y"}, modeltest.NodeName(name)).
		Node(name, []string{name + "y", name + "none"}, []string{name + "z"}, modeltest.NodeName(name), modeltest.Domain(name)).
		Node("Add", []string{name + "z", name + "cycle"}, []string{name + "cycle"}).
		Output(name+"z", name+"lost")
	unknown := modeltest.New(17).Opset(name, 1).Input(name, onnxgraph.Float, 2, name).Input(name+"c", onnxgraph.Bool).
		Node(name, []string{name}, []string{name + "y"}, modeltest.Domain(name)).
		Node("F"+name, []string{name}, []string{name + "f"}, modeltest.Domain(name)).
		Node("If", []string{name + "c"}, []string{name + "g"}, modeltest.NodeName(name),
			modeltest.Subgraph("then_branch", modeltest.Body().Name(name).Node("NonZero", []string{name}, []string{name + "p"}).Output(name+"p")),
			modeltest.Subgraph("else_branch", modeltest.Body().Constant(name+"q", []int64{1, 2}, []int64{5, 6}).Output(name+"q"))).
		Function(name, "F"+name, modeltest.Body().Opset("", 17).Inputs("a").Output("b").Node("NonZero", []string{"a"}, []string{"b"}, modeltest.NodeName(name))).
		Output(name+"y", name+"f", name+"g")
	return map[string][]byte{"good": good.Bytes(), "broken": broken.Bytes(), "unknown": unknown.Bytes()}
}

// TestNamesNeverReachATerminalRaw feeds every payload, as every name of a model
// and in every argument, through every command and every format.
func TestNamesNeverReachATerminalRaw(t *testing.T) {
	for _, name := range payloads() {
		t.Run(fmt.Sprintf("%+q", name), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for kind, file := range namedModels(name) {
				path := writeTestFile(t, file, folder, kind+".onnx")
				for _, args := range namedCommands(folder) {
					checkPrinted(t, kind, name, append(args, path))
				}
			}
			checkArguments(t, folder, name)
		})
	}
}

// namedCommands are the runs whose output holds names.
func namedCommands(folder string) [][]string {
	return [][]string{
		{"report"}, {"report", "--train", "--per-node"}, {"report", "--units", "iec", "--strict", "--max-unknown", "0", "--device", "a100-40gb"},
		{"report", "--format", "json", "--train"}, {"report", "--format", "csv"}, {"report", "--format", "md", "--per-node", "--train"}, {"report", "--format", "html", "--train"},
		{"shapes"}, {"shapes", "--format", "json"}, {"shapes", "--format", "csv"}, {"shapes", "--format", "md"},
		{"shapes", "--strict", "--format", "table", "-o", filepath.Join(folder, "annotated.onnx")},
		{"fit", "--budget", "8GB"}, {"fit", "--budget", "8GB", "--format", "json"}, {"fit", "--budget", "8GB", "--train"}, {"fit", "--budget", "1kB", "--reserve", "0"},
		{"report", "--dim", "nonesuch=1"}, {"report", "--input-shapes", "nonesuch:1"}, {"shapes", "--feed", "nonesuch=[1]"}, {"report", "--freeze", "nonesuch", "--train"},
	}
}

// checkPrinted runs the program and checks all that it prints.
func checkPrinted(t *testing.T, kind, name string, args []string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(args, strings.NewReader(""), &stdout, &stderr)
	what := fmt.Sprintf("%s %q", kind, args)
	if code < exitOK || code > exitUsage {
		t.Errorf("%s: code %d", what, code)
	}
	mustBePrintable(t, what+", errors", stderr.String())
	out := stdout.String()
	if len(out) == 0 {
		return
	}
	switch {
	case slices.Contains(args, "html"):
		checkPage(t, what, out)
		return
	case slices.Contains(args, "json"):
		checkJSON(t, what, name, out)
	case slices.Contains(args, "csv"):
		checkCells(t, what, out)
	}
	mustBePrintable(t, what, out)
	if strings.ContainsAny(out, "\t\r") {
		t.Errorf("%s: holds a tab or a carriage return", what)
	}
}

// checkJSON: programs get the name as it is, but for what is no UTF-8.
func checkJSON(t *testing.T, what, name, out string) {
	var v any
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	found := false
	eachText(v, func(text string) { found = found || strings.Contains(text, strings.ToValidUTF8(name, "")) })
	if !found && utf8.ValidString(name) {
		t.Errorf("%s: no text in it holds the name", what)
	}
}

func eachText(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, e := range v {
			eachText(e, visit)
		}
	case map[string]any:
		for key, e := range v {
			visit(key)
			eachText(e, visit)
		}
	}
}

var number = regexp.MustCompile(`^-?[0-9]+$`)

// checkCells: no cell of a model's texts is a formula.
func checkCells(t *testing.T, what, out string) {
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && !number.MatchString(cell) && strings.ContainsAny(string([]rune(cell)[0]), "=+-@＝＋－＠") {
				t.Errorf("%s: cell %q", what, cell)
			}
		}
	}
}

var pageData = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// checkPage: the markup is printable, and so is what the page's scripts make
// of its data. The scripts themselves are ours.
func checkPage(t *testing.T, what, page string) {
	data := pageData.FindStringSubmatch(page)
	var v any
	if data == nil {
		t.Errorf("%s: has no data", what)
		return
	}
	if err := json.Unmarshal([]byte(data[1]), &v); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	eachText(v, func(text string) { mustBePrintable(t, what+", data", text) })
	markup := withoutScripts(page)
	mustBePrintable(t, what, markup)
	if strings.Contains(markup, "<script>alert") || strings.Contains(markup, "<img") || strings.Contains(markup, "</script><b>") {
		t.Errorf("%s: holds markup from the model", what)
	}
}

func withoutScripts(page string) string {
	var markup strings.Builder
	for {
		before, after, found := strings.Cut(page, "<script>")
		markup.WriteString(before)
		if !found {
			return markup.String()
		}
		_, page, _ = strings.Cut(after, "</script>")
	}
}

// checkArguments gives the payload as a path and as every other argument.
func checkArguments(t *testing.T, folder, name string) {
	good := filepath.Join(folder, "good.onnx")
	runs := [][]string{
		{"report", filepath.Join(folder, "missing", name)}, {name}, {"shapes", good, "-o", filepath.Join(folder, "missing", name)},
		{"report", good, "--format", name}, {"shapes", good, "--format", name}, {"fit", good, "--format", name}, {"ops", "--format", name}, {"version", "--format", name},
		{"report", good, "--dim", name}, {"report", good, "--dim", name + "=x"}, {"report", good, "--dim", name + "z=1"}, {"report", good, "--input-shapes", name + "z:1"},
		{"report", good, "--input-shapes", name + "z:" + name}, {"shapes", good, "--feed", name + "=" + name}, {"shapes", good, "--feed", name + "z=[1]"},
		{"report", good, "--feed", name + "=" + filepath.Join(folder, name+".npy")}, {"report", good, "--baseline", filepath.Join(folder, "missing", name)},
		{"report", good, "--units", name}, {"report", good, "--device", name}, {"report", good, "--optimizer", name}, {"report", good, "--max-peak", name},
		{"report", good, "--runtime", name}, {"report", good, "--freeze", name, "--train"}, {"fit", good, "--budget", name}, {"fit", good, "--budget", "8GB", "--symbol", name},
		{"man", name}, {"help", name}, {"completion", name}, {"report", "--" + name}, {"report", good, "--top", name},
	}
	for _, args := range runs {
		checkPrinted(t, "argument", "", args)
	}
	if strings.ContainsAny(name, "/\x00") {
		return
	}
	named := filepath.Join(folder, name)
	if err := os.Link(good, named); err != nil {
		return // the file system takes no such name
	}
	for _, format := range []string{"table", "json", "csv", "md", "html"} {
		checkPrinted(t, "path", name, []string{"report", "--format", format, named})
	}
	checkPrinted(t, "path", "", []string{"report", good, "-o", named})
}
