package finding_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onnxmem/report/finding"
)

// A source is the Go code of the module that is not for tests, read for codes.
type source struct {
	files map[string]*ast.File // by path with slashes
}

func readSource(t *testing.T) source {
	t.Helper()
	root := filepath.Join("..", "..")
	s := source{files: map[string]*ast.File{}}
	for _, dir := range []string{"onnxgraph", "shapeinfer", "report", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "onnxgo" || entry.Name() == "onnxpb" || entry.Name() == "testdata"):
				// onnxgo has codes of its own, for what onnx-go loses; the program does
				// not link it.
				return filepath.SkipDir
			case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			rel, _ := filepath.Rel(root, path)
			s.files[filepath.ToSlash(rel)] = f
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// codeCalls are functions that give a code away, and which argument it is.
var codeCalls = map[string]int{"diagnose": 1, "Warn": 0}

// codeTypes are the types of codes other than this package's.
var codeTypes = []string{"Code", "DataCode", "FormatCode"}

var codeConstant = regexp.MustCompile(`^Code[A-Z]`)

// raised are the codes that onnxgraph and shapeinfer, and report as
// diagnostics, give: text in the place of a code, and constants that are used.
func (s source) raised() map[string]string {
	codes, constants := map[string]string{}, map[string]string{} // the place, the code by name
	for path, f := range s.files {
		inOp := strings.HasPrefix(path, "shapeinfer/")
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				typ, _ := n.Type.(*ast.Ident)
				for i, name := range n.Names {
					typed := typ != nil && slices.Contains(codeTypes, typ.Name) && !strings.HasPrefix(path, "report/finding/")
					if i < len(n.Values) && (typed || inOp && codeConstant.MatchString(name.Name)) {
						if text, ok := textOf(n.Values[i]); ok {
							constants[name.Name] = text
						}
					}
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
					addText(codes, n.Value, path)
				}
			case *ast.CallExpr:
				if i, ok := codeCalls[calledName(n)]; ok && i < len(n.Args) {
					addText(codes, n.Args[i], path)
				}
			case *ast.AssignStmt:
				if name, ok := n.Lhs[0].(*ast.Ident); ok && name.Name == "code" && inOp {
					addText(codes, n.Rhs[0], path)
				}
			}
			return true
		})
	}
	for name, path := range s.uses() {
		if code, ok := constants[name]; ok {
			codes[code] = path
		}
	}
	return codes
}

func textOf(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

func addText(codes map[string]string, e ast.Expr, path string) {
	if text, ok := textOf(e); ok {
		codes[text] = path
	}
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// uses are the names that expressions outside of declarations of constants use,
// each with one place.
func (s source) uses() map[string]string {
	used := map[string]string{}
	for path, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				return n.Tok != token.CONST
			case *ast.SelectorExpr:
				used[n.Sel.Name] = path
			case *ast.Ident:
				used[n.Name] = path
			}
			return true
		})
	}
	return used
}

// findingConstants are this package's codes by the names of their constants.
func (s source) findingConstants() map[string]string {
	constants := map[string]string{}
	f := s.files["report/finding/codes.go"]
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if text, ok := textOf(spec.Values[0]); ok {
				constants[spec.Names[0].Name] = text
			}
		}
		return true
	})
	return constants
}

// findingUses are the constants of this package that others than render use.
func (s source) findingUses() map[string]bool {
	used := map[string]bool{}
	for path, f := range s.files {
		if strings.HasPrefix(path, "report/finding/") || strings.HasPrefix(path, "report/render/") {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "finding" {
					used[sel.Sel.Name] = true
				}
			}
			return true
		})
	}
	return used
}

// TestEveryCodeHasAnEntry: what is raised anywhere is explained, and what is
// explained is raised.
func TestEveryCodeHasAnEntry(t *testing.T) {
	s := readSource(t)
	raised := s.raised()
	if len(raised) < 40 {
		t.Fatalf("only %d codes of diagnostics were found: %v", len(raised), raised)
	}
	uses := s.findingUses()
	for name, code := range s.findingConstants() {
		if !uses[name] {
			t.Errorf("nothing raises %s (%s)", name, code)
		}
		raised[code] = "report/finding/codes.go"
	}
	explained := map[string]bool{}
	for _, e := range finding.Entries() {
		code := string(e.Code)
		if explained[code] {
			t.Errorf("%s has two entries", code)
		}
		explained[code] = true
		if raised[code] == "" {
			t.Errorf("nothing raises %s, which has an entry", code)
		}
	}
	for code, path := range raised {
		if !explained[code] {
			t.Errorf("%s of %s has no entry", code, path)
		}
	}
}

// TestEntriesAreComplete: each entry has a title of a few words, a meaning in
// sentences, a kind that is listed and a severity.
func TestEntriesAreComplete(t *testing.T) {
	spelled := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, e := range finding.Entries() {
		switch {
		case !spelled.MatchString(string(e.Code)):
			t.Errorf("%q is not in lower case with hyphens", e.Code)
		case e.Title == "" || len(e.Title) > 60 || strings.HasSuffix(e.Title, "."):
			t.Errorf("%s: title %q", e.Code, e.Title)
		case !strings.HasSuffix(e.Meaning, "."):
			t.Errorf("%s: meaning %q is no sentence", e.Code, e.Meaning)
		case !slices.Contains(finding.Kinds(), e.Kind):
			t.Errorf("%s: kind %q", e.Code, e.Kind)
		case !slices.Contains([]finding.Severity{finding.Note, finding.Warning, finding.Error}, e.Severity):
			t.Errorf("%s: severity %q", e.Code, e.Severity)
		case e.Severity == finding.Error && e.Remedy == "":
			t.Errorf("%s is an error without a remedy", e.Code)
		}
	}
}

func TestNear(t *testing.T) {
	for wrong, want := range map[string]finding.Code{
		"unknown-oprator": "unknown-operator", "Assumed-Dim": finding.AssumedDimension, "duplicate": finding.DuplicateWeights, "": "", "raank": "rank",
	} {
		near := finding.Near(wrong)
		if len(near) == 0 || want != "" && near[0] != want {
			t.Errorf("%q: near %v, want %s first", wrong, near, want)
		}
	}
	if f := finding.New("no-such-code"); f.Severity != finding.Note {
		t.Errorf("%+v", f)
	}
}
