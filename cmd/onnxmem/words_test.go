package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onnxmem/report/finding"
	"onnxmem/testdata/corpus"
)

// This file tests that the program speaks as ONNX, ONNX Runtime, PyTorch and Go
// do: words and turns of phrase that were in the way of readers do not come back.

// oddSentences are found in texts for people.
var oddSentences = regexp.MustCompile(`(?i)\bnode outputs?\b|\bkept (for|after) (the )?(backward|forward)\b|\bopen dims?\b|\bleaves? (it |them )?open\b|\bleft open\b|` +
	`\bnothing binds\b|\bbinds?\b|\bbinding\b|\belements that train\b|\balive\b|\bsaves +leaves\b|\bwithin the gates\b|\ba gate\b|\bto (run|train): |\bin ort-|\bas one arena\b|` +
	`\bclassic (bytes|rule)\b|\beach turn\b|\bturn to turn\b|\btrips\b|\btaken to (hide|write|keep|run)\b|\bclasses apart\b|\belements less\b|\bhangs? on\b|\bexpect the like\b|\bflatter\b|` +
	`\bonly waits\b|\bwaits for\b|\bcosts its size\b|\bbreaks its\b|\bthe model breaks\b|\bnames no parameter\b|\btake an optimizer\b|\bleaves the training\b|\bmemory comes about\b|` +
	`\brather than one run\b|\bis not known here\b|\bis all taken\b|\ball else on\b|\bits kind trains\b|\bas it stands\b|\bwhat each costs\b|\bas-written\b|\boptstate\b|\bwrite straight\b|\bmade anew\b`)

// oddFields are names of fields in JSON.
var oddFields = regexp.MustCompile(`^(classic_bytes|optstate|temp|init|restored_batchnorm|kept.*|alive.*|gates?)$`)

// oddNames are exported identifiers.
var oddNames = []string{
	"AsWritten", "Restored", "Captured", "Dangling", "BornInside", "OrtLoad", "Knowledge", "ClassicBytes", "Tally", "OptState", "Moment", "Cut", "Own", "Gate", "Gates",
}

// wordModels are models whose reports say most of what there is to say.
var wordModels = []string{"gpt2_2l_past_ts17", "own_unet3_ts17", "own_lstm_gru_ts17", "own_scripted_loop_ts17", "mobilenet_v3_small_dyn22"}

// TestWordsOfTexts runs every command that prints texts.
func TestWordsOfTexts(t *testing.T) {
	folder := t.TempDir()
	runs := [][]string{{"--help"}, {"explain"}, {"ops", "--help"}, {"man", "--help"}, {"version", "--help"}, {"explain", "--help"}}
	for _, e := range finding.Entries() {
		runs = append(runs, []string{"explain", string(e.Code)})
	}
	for _, command := range []string{"report", "shapes", "fit"} {
		runs = append(runs, []string{command, "--help"})
	}
	for _, name := range wordModels {
		path := writeTestFile(t, corpus.ZooNamed(t, name).Bytes(t), folder, name+".onnx")
		runs = append(runs, []string{"report", "--train", path}, []string{"report", "--device", "t4", "--max-peak", "1B", "--max-unknown", "0", "--strict", path}, []string{"shapes", path})
	}
	for _, name := range []string{"own_unet3_ts17.onnx", "own_lstm_gru_ts17.onnx"} {
		path := filepath.Join(folder, name)
		runs = append(runs, []string{"report", "--format", "html", "--train", path}, []string{"report", "--format", "md", path}, []string{"fit", "--budget", "8GB", path},
			[]string{"fit", "--budget", "1001MB", "--train", path})
	}
	for _, args := range runs {
		var stdout, stderr bytes.Buffer
		run(args, strings.NewReader(""), &stdout, &stderr)
		text := stdout.String()
		if slices.Contains(args, "html") {
			text = withoutData(text)
		}
		for _, line := range strings.Split(text+stderr.String(), "\n") {
			if odd := oddSentences.FindString(line); odd != "" {
				t.Errorf("%q: %q in %q", args, odd, line)
			}
		}
	}
}

// withoutData is a page without uPlot and its styles, which are not ours, and
// without JSON.
func withoutData(page string) string {
	for _, block := range []string{`(?s)<style>.*?</style>`, `(?s)<script type="application/json".*?</script>`, `(?s)<script>/\*.*?</script>`} {
		page = regexp.MustCompile(block).ReplaceAllString(page, "")
	}
	return page
}

// TestWordsOfFields looks at the fields of JSON.
func TestWordsOfFields(t *testing.T) {
	folder := t.TempDir()
	for _, name := range wordModels {
		path := writeTestFile(t, corpus.ZooNamed(t, name).Bytes(t), folder, name+".onnx")
		for _, args := range [][]string{{"report", "--train", "--format", "json", path}, {"shapes", "--format", "json", path}, {"fit", "--budget", "8GB", "--format", "json", path}} {
			var stdout, stderr bytes.Buffer
			run(args, strings.NewReader(""), &stdout, &stderr)
			var v any
			if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
				t.Logf("%q: %s", args, stderr.String()) // a fit that is not possible
				continue
			}
			eachField(v, func(field string) {
				if oddFields.MatchString(field) {
					t.Errorf("%q: field %s", args, field)
				}
			})
			eachMessage(v, func(text string) {
				if odd := oddSentences.FindString(text); odd != "" {
					t.Errorf("%q: %q in %q", args, odd, text)
				}
			})
		}
	}
}

func eachField(v any, visit func(string)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			eachField(e, visit)
		}
	case map[string]any:
		for key, e := range v {
			visit(key)
			eachField(e, visit)
		}
	}
}

// eachMessage visits the sentences of JSON, which are in fields of these names.
func eachMessage(v any, visit func(string)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			eachMessage(e, visit)
		}
	case map[string]any:
		for key, e := range v {
			if text, ok := e.(string); ok && slices.Contains([]string{"message", "reason", "cost"}, key) {
				visit(text)
			}
			eachMessage(e, visit)
		}
	}
}

// TestWordsOfNames looks at the exported identifiers of the module.
func TestWordsOfNames(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, layer := range layers {
		err := filepath.WalkDir(filepath.Join(root, layer), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "onnxpb") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				for _, name := range declaredNames(n) {
					if slices.Contains(oddNames, name.Name) {
						t.Errorf("%s: %s", path, name.Name)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// declaredNames are the names that a part of a file declares outside of bodies.
func declaredNames(n ast.Node) []*ast.Ident {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{n.Name}
	case *ast.TypeSpec:
		return []*ast.Ident{n.Name}
	case *ast.ValueSpec:
		return n.Names
	case *ast.Field:
		return n.Names
	}
	return nil
}

// TestWordsOfDocuments looks at what people read first.
func TestWordsOfDocuments(t *testing.T) {
	for _, name := range []string{"README.md", "report/finding/CODES.md", "report/ACCURACY.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			if odd := oddSentences.FindString(line); odd != "" {
				t.Errorf("%s:%d: %q", name, i+1, odd)
			}
		}
	}
}

// TestOptionsAreFlags: what findings suggest is a flag of the commands.
func TestOptionsAreFlags(t *testing.T) {
	root := newRootCommand()
	report, _, err := root.Find([]string{"report"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range finding.OptionNames() {
		if report.Flags().Lookup(string(name)) == nil {
			t.Errorf("report has no flag --%s", name)
		}
	}
	for o, want := range map[finding.Option]string{
		{Name: finding.Fused, Value: "true"}: "--fused", {Name: finding.Foreach, Value: "false"}: "--foreach=false", {Name: finding.Dim, Value: "batch=N"}: "--dim batch=N",
		{Name: finding.Freeze, Value: "it's *"}: `--freeze 'it'\''s *'`, {Name: finding.Dim, Value: "$(id)=N"}: "--dim '$(id)=N'", {Name: finding.Trainable}: "--trainable ''",
	} {
		if got := flagText(o); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
